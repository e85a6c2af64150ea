"""Bytes that were good, spoilt: what editors, kills, disks and strangers do to a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

#: no input is longer: what is not linear shows itself well before
MOST_BYTES = 200_000
_TOKENS = (
    b"\0", b"\xff", b"\xed\xa0\x80", b"\r", b"\x1b[31m", b"```", b"|", b"=", b": ", b"t=1 ", b"line=1 kind=2 self=3 ",
    b"step 1e999 ", b"nan", b"-inf", b"1e-400", b"9" * 400, b"9" * 5000, "²".encode(), "½".encode(), b"{", b"[", b'"',
    b"[" * 3000, b'{"a":' * 2000, b"(", b"<", b"<table>", b"</pre>", b"&amp;", b"&#x110000;", b"*a *b", b"!!python/x ",
    b"<<: *a\n", b"&a [*a]", b"---\n", b"\t", b" " * 3000, b"\n" * 300, b"01" * 800, b"a " * 500, b"1,000,000.5", b"%",
    b"\xe2\x80\xa8", b"#", b"> ", b"$ ", b"0/0", b"-1", b"null", b"true", b"[]", b"{}", b"3m 20s", b"half of ", b"..",
)  # fmt: skip
_NUMBER = re.compile(rb"\d[\d.]{0,30}")


def mutate(content: bytes, chance: Random, others: list[bytes] | None = None) -> bytes:
    """A few changes, one after the other."""
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        change = chance.choice(_CHANGES)
        content = change(content, chance)
        if others and chance.random() < 0.1:
            content = _spliced(content, chance.choice(others), chance)
    return content[:MOST_BYTES]


def _span(content: bytes, chance: Random, most: int = 2000) -> tuple[int, int]:
    begin = chance.randint(0, len(content))
    return begin, min(len(content), begin + chance.choice((1, 2, 10, 100, most)))


def _flipped(content: bytes, chance: Random) -> bytes:
    spoilt = bytearray(content)
    for _ in range(chance.choice((1, 5, 50)) if content else 0):
        spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
    return bytes(spoilt)


def _cut(content: bytes, chance: Random) -> bytes:
    begin, end = _span(content, chance)
    return content[:begin] + content[end:]


def _ended(content: bytes, chance: Random) -> bytes:
    return content[: chance.randint(0, len(content))]


def _repeated(content: bytes, chance: Random) -> bytes:
    begin, end = _span(content, chance)
    times = min(chance.choice((2, 10, 1000, 20_000)), 1 + MOST_BYTES // max(1, end - begin))
    return content[:end] + content[begin:end] * times + content[end:]


def _inserted(content: bytes, chance: Random) -> bytes:
    at = chance.randint(0, len(content))
    return content[:at] + chance.choice(_TOKENS) * chance.choice((1, 1, 3, 100)) + content[at:]


def _renumbered(content: bytes, chance: Random) -> bytes:
    found = list(_NUMBER.finditer(content))[:5000]
    if not found:
        return _inserted(content, chance)
    one = chance.choice(found)
    return content[: one.start()] + chance.choice(_TOKENS) + content[one.end() :]


def _shuffled(content: bytes, chance: Random) -> bytes:
    lines = content.split(b"\n")
    chance.shuffle(lines)
    return b"\n".join(lines)


def _joined(content: bytes, chance: Random) -> bytes:
    """Line ends that got lost."""
    return content.replace(b"\n", chance.choice((b"", b" ", b"\r", b"\\n")))


def _spliced(content: bytes, other: bytes, chance: Random) -> bytes:
    return content[: chance.randint(0, len(content))] + other[chance.randint(0, len(other)) :]


_CHANGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    _flipped, _cut, _ended, _repeated, _inserted, _inserted, _renumbered, _renumbered, _shuffled, _joined,
)  # fmt: skip
