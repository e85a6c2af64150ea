"""WordPiece as bert-base-uncased does it: text to the ids of its pieces. Standard library only.

Lower case, no accents, punctuation apart; then each word as the longest piece that fits, and the longest that goes on
from there (`embed ##ding ##s`). A word is worked out once and remembered: real text says the same words again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_LONGEST_WORD = 100
#: of plain ASCII, a word is letters and figures; every other sign stands alone; the rest is space
_ASCII_WORDS = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class WordPiece:
    """Ids of pieces, and the special ones around them."""

    def __init__(self, vocab: Sequence[str]) -> None:
        self.vocab = {piece: number for number, piece in enumerate(vocab)}
        self.pieces = list(vocab)
        self.pad, self.unknown, self.cls, self.sep, self.mask = (
            self.vocab[name] for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
        )
        self._known: dict[str, list[int]] = {}

    def ids(self, text: str) -> list[int]:
        """The pieces of a text, nothing around them."""
        known, found = self._known, []
        for word in words(text):
            pieces = known.get(word)
            if pieces is None:
                pieces = known[word] = self._pieces(word)
            found += pieces
        return found

    def sentence(self, text: str, longest: int) -> list[int]:
        """`[CLS] … [SEP]`, cut to `longest` ids."""
        return [self.cls, *self.ids(text)[: longest - 2], self.sep]

    def _pieces(self, word: str) -> list[int]:
        """Greedy, from the left; a word that cannot be put together is one unknown."""
        if len(word) > _LONGEST_WORD:
            return [self.unknown]
        found, at = [], 0
        while at < len(word):
            end = len(word)
            prefix = "##" if at else ""
            while end > at and prefix + word[at:end] not in self.vocab:
                end -= 1
            if end == at:
                return [self.unknown]
            found.append(self.vocab[prefix + word[at:end]])
            at = end
        return found


def words(text: str) -> list[str]:
    """Lower-case words and single signs."""
    if text.isascii():
        return _ASCII_WORDS.findall(_CONTROL.sub("", text).lower())
    cleaned = "".join(map(_clean, text))
    found = []
    for word in cleaned.split():
        plain = "".join(c for c in unicodedata.normalize("NFD", word.lower()) if unicodedata.category(c) != "Mn")
        found += "".join(f" {c} " if _stands_alone(c) else c for c in plain).split()
    return found


def _clean(c: str) -> str:
    """Control signs go, spaces of all kinds become plain, a Chinese character is a word."""
    if c in "\t\n\r":
        return " "
    kind = unicodedata.category(c)
    if kind.startswith("C") or c == "\ufffd":
        return ""
    if kind == "Zs":
        return " "
    return f" {c} " if _is_chinese(ord(c)) else c


def _stands_alone(c: str) -> bool:
    return "!" <= c <= "/" or ":" <= c <= "@" or "[" <= c <= "`" or "{" <= c <= "~" or unicodedata.category(c)[0] == "P"


def _is_chinese(code: int) -> bool:
    return (
        0x4E00 <= code <= 0x9FFF
        or 0x3400 <= code <= 0x4DBF
        or 0x20000 <= code <= 0x2CEAF
        or 0xF900 <= code <= 0xFAFF
        or 0x2F800 <= code <= 0x2FA1F
    )
