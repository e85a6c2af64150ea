"""Where a sentence ends, and where a clause that may be meant otherwise begins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from assay.language.lex import Token, lex
from assay.language.vocabulary import words

_END = re.compile(
    r"(?<=[.!?。！？])(?<!\bvs\.)(?<!\bca\.)(?<!\bi\.e\.)(?<!\be\.g\.)(?<!\bcf\.)(?<!\bapprox\.)(?<!\bavg\.)(?<!\bresp\.)"
    r"(?<!\bNo\.)(?:\s+(?=[^\W\d_a-zß-öø-ÿ]|[\"'(*\d¿¡]|[a-z][a-z_]{0,15}\s?=)|(?<=[。！？]))"
)
#: a clause that begins with one of these is meant by itself
_TURNS = words("TURNS")
_PARTS = frozenset(";—")
#: `1.`, `2)`, `-`: the number of an item in a list is none of its figures
_ITEM = re.compile(r"^\W{0,4}\(?(?:\d{1,2}|[a-zA-Z])[.)]\s+(?=\S)")


@lru_cache(maxsize=1 << 14)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a paragraph."""
    return tuple(one for _, one in placed(text))


def placed(text: str) -> Iterator[tuple[int, str]]:
    """Each sentence of a paragraph, and where in it the sentence begins."""
    item = _ITEM.match(text)
    begin = item.end() if item else 0
    for end, following in ((found.start(), found.end()) for found in _END.finditer(text, begin)):
        if one := text[begin:end].strip():
            yield begin, one
        begin = following
    if one := text[begin:].strip():
        yield begin, one


def clauses(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Pieces of a sentence that are meant one way: what the paper did, but what I did."""
    piece: list[Token] = []
    for at, token in enumerate(tokens):
        turns = token.text in _TURNS and not token.roles.keys() & {"up", "down"}
        if piece and (token.text in _PARTS or turns or _concludes(tokens, at)):
            yield piece
            piece = []
        piece.append(token)
    if piece:
        yield piece


def turns(text: str) -> bool:
    """`but`, `while`, `not`: what is said first is not all that is meant."""
    return any(token.text in _TURNS or "not" in token.roles for token in lex(text))


def _concludes(tokens: Sequence[Token], at: int) -> bool:
    """`…, so I would use it`: what was seen is not supposed because of what follows from it."""
    following = tokens[at + 1].text if at + 1 < len(tokens) else ""
    if tokens[at].text == ":":
        return following in _PRONOUNS  # `which my network passes: it gets more than 87 %`
    if tokens[at].text != "so" or at == 0 or tokens[at - 1].text != ",":
        return False
    return following in ("i", "we", "one") or any("supposed" in token.roles for token in tokens[at:])


_PRONOUNS = frozenset({"i", "we", "it", "this", "they", "ich", "wir", "es", "sie"})
