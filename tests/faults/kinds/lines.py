"""Faults of what the command prints: lines that no reader expects, and more of them than anyone wants."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from random import Random

from faults.case import HERE, Case
from faults.checks import exit_is, run_dirs, status_is, went_well
from faults.fuzz.fixtures import logs
from faults.fuzz.mutate import mutate

_NAMES = ("t", "line", "kind", "self", "from", "rank", "v", "mono_s", "at_s", "offset", "source", "came_t", "loss")
_VALUES = ("1", "0.5", "1e999", "-1e999", "nan", "NaN", "inf", "-inf", "9" * 5000, "1e-400", "0x10", "1_000", "²", "")

HOSTILE: dict[str, Callable[[Random], bytes]] = {
    "keys of ours": lambda chance: _pairs(chance, "="),
    "keys of ours, with colons": lambda chance: _pairs(chance, ": "),
    "an object with keys of ours": lambda chance: _object(chance),
    "an endless number": lambda chance: b"step %s loss 0.5\n" % (b"9" * chance.choice((400, 5000, 100_000))),
    "a number beyond all": lambda chance: b"step 1e999 loss 1e999\nepoch 1e400 accuracy inf\n",
    "a mask of digits": lambda chance: b"step=3 mask=%s\n" % (b"01" * chance.choice((400, 4000))),
    "an endless line": lambda chance: chance.choice((b"x", b"=", b" ", b"1", b"a=1 ")) * chance.choice((10**5, 10**6)),
    "deep JSON": lambda chance: b"[" * 50_000 + b"\n" + b'{"a":' * 20_000 + b"\n",
    "bytes": lambda chance: chance.randbytes(chance.choice((100, 100_000))),
    "bad UTF-8": lambda chance: b"loss \xff\xfe 0.5 \xc3\x28 step \xed\xa0\x80 3\n" * 20,
    "escapes": lambda chance: b"\x1b[31mstep 1 loss 0.5\x1b[0m\r\x1b]0;title\x07\x1b[2J\x1b[?25l\x08\x08\n" * 20,
    "zero bytes": lambda chance: b"step\0 3\0 loss\0 0.5\n" * 20,
    "carriage returns": lambda chance: b"".join(b"\r%d%%|##| loss=0.%d" % (i, i) for i in range(2000)),
    "separators": lambda chance: "step 1 loss 0.5\x0b\x0c\x1c\x85\u2028\u2029loss\u00a00.4\n".encode() * 20,
    "a table that never ends": lambda chance: b"| step | loss |\n|---|---|\n" + b"| 1 | 0.5 |\n" * 3000,
    "a traceback": lambda chance: b"Traceback (most recent call last):\n" + b'  File "a.py", line 1, in f\n' * 3000,
    "pairs without end": lambda chance: b" ".join(b"k%d=%d" % (i, i) for i in range(5000)) + b"\n",
    "one step again and again": lambda chance: b"step 1 loss 0.5\n" * 20_000,
}


def _pairs(chance: Random, sign: str) -> bytes:
    return "".join(
        " ".join(f"{name}{sign}{chance.choice(_VALUES)}" for name in chance.sample(_NAMES, 4)) + " loss=0.5\n"
        for _ in range(20)
    ).encode()


def _object(chance: Random) -> bytes:
    values = (1, 0.5, None, True, [], {}, [1], "x", 10**400, float("nan"), {"a": {"b": [1]}}, "9" * 5000)
    rows = [{name: chance.choice(values) for name in chance.sample(_NAMES, 5)} | {"loss": 0.5} for _ in range(20)]
    return "\n".join(str(row) if chance.random() < 0.3 else _text(row) for row in rows).encode() + b"\n"


def _text(row: object) -> str:
    return json.dumps(row)


def hostile(case: Case) -> None:
    """A few kinds of them; the command must get to its end, and what it printed into the record byte by byte."""
    names = case.chance.sample(sorted(HOSTILE), 3)
    content = b"".join(HOSTILE[name](case.chance) for name in names)
    prints(case, content)
    for path in case.folder.glob("runs/*/output.log"):
        if path.read_bytes() != content:
            case.wrong("lost", f"output.log is not what was printed ({', '.join(names)})")


def prints(case: Case, content: bytes) -> None:
    """The program prints these bytes in pieces, and waits a little before it ends: readers read meanwhile."""
    (case.folder / "content").write_bytes(content)
    process = case.run(HERE / "printing.py", "content", case.chance.randrange(10**6), 0.3)
    went_well(case, process, 5, output=False)
    if run_dirs(case):
        case.ask("show", codes=(0,))


def told_while_reading(case: Case) -> None:
    """TERM amid a flood: signals are not held back by what there is to read."""
    name = case.chance.choice(sorted(HOSTILE))
    (case.folder / "content").write_bytes(HOSTILE[name](case.chance) * 3)
    process = case.run(HERE / "printing.py", "content", case.seed, 300)
    if case.begun(process):
        time.sleep(case.chance.uniform(0.0, 0.3))
    told_s = time.monotonic()
    process.terminate()
    exit_is(case, process, 143, -15)
    if time.monotonic() - told_s > 30:
        case.wrong("hangs", f"TERM was answered after {time.monotonic() - told_s:.0f} s ({name})")
    status_is(case, "interrupted", "none")


def spoilt_logs(case: Case) -> None:
    """Logs that readers know, spoilt, while they are recorded."""
    known = logs()
    content = mutate(case.chance.choice(known), case.chance, known)
    prints(case, content)
