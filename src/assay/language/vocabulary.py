"""The words of English as one table of phrases: a phrase, the role it plays, and what it stands for there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import ModuleType

from assay.language.words import en, judged, small
from assay.quantities import QUANTITIES

#: tables of phrases that stand for something, by their role
_TABLES = {
    "TERMS": "term",
    "RATE_UNITS": "rate",
    "SPLITS": "split",
    "SCOPES": "scope",
    "AVERAGES": "average",
    "UP": "up",
    "DOWN": "down",
    "FACTORS": "factor",
    "BEST": "best",
    "ORDER": "order",
}
#: lists of phrases whose role is all there is to them
_LISTS = (
    "SAME", "LINEAR", "CLEARLY", "SLIGHTLY", "LINKS", "ABOUT", "AT_LEAST", "AT_MOST", "SUPPOSED", "DEFAULTS", "OTHERS",
    "OTHER_VERBS", "ELSEWHERE", "EARLIER", "FAILED", "ADMITTED", "NOT", "INSTEAD", "ASKED", "THAN", "FROM", "TO",
    "RESPECTIVELY", "DID", "WE", "PART", "WITHIN", "MACHINES", "THAN_ONLY", "COMPARED", "CAUSED", "ALL_RUNS", "NOISE",
    "CACHED",
    *(name for name in vars(judged) if name.isupper()),
)  # fmt: skip
LISTED: tuple[ModuleType, ...] = (en, small, judged)
#: what a phrase says of itself: its role, and what it stands for in that role
Meaning = tuple[str, object]
Phrase = tuple[tuple[str, ...], Meaning]


def _phrases() -> Iterator[tuple[str, str, object]]:
    for one in QUANTITIES:
        for spelling in (one.name, *one.spellings):
            if len(spelling) > 2 and one.settable:
                yield spelling.replace("_", " "), "term", one.name
    for listed in LISTED:
        for table, role in _TABLES.items():
            held: Mapping[object, str] = getattr(listed, table, {})
            for stands_for, phrases in held.items():
                for phrase in phrases.split("|"):
                    yield phrase.strip(), role, stands_for
        for table in _LISTS:
            for phrase in str(getattr(listed, table, "")).split("|"):
                yield phrase.strip(), table.lower(), True


def words(table: str) -> frozenset[str]:
    """The single words of a table of `small.py`."""
    return frozenset(phrase.strip() for phrase in str(getattr(small, table)).split("|"))


#: by the word before the first of two values, those that may stand before the second: `from 8 to 16`
MOVES = {first: frozenset(one.strip() for one in seconds.split("|")) for first, seconds in small.MOVES.items()}


def _table() -> dict[str, list[Phrase]]:
    """By first word, longest first."""
    found: dict[str, dict[Phrase, None]] = {}
    for text, role, stands_for in _phrases():
        words = tuple(split(text))
        if words:
            found.setdefault(words[0], {}).setdefault((words, (role, stands_for)))
    return {first: sorted(phrases, key=lambda one: -len(one[0])) for first, phrases in found.items()}


def split(phrase: str) -> list[str]:
    """The words of a phrase, as `lex` parts a text: dashes and underlines inside words do not count."""
    return phrase.replace("-", " ").replace("_", " ").replace("/", " / ").lower().split()


_PHRASES = _table()
_STEMS = {word for phrases in _PHRASES.values() for words, _ in phrases for word in words if word.endswith("*")}
_LENGTHS = sorted({len(stem) - 1 for stem in _STEMS}, reverse=True)


@lru_cache(maxsize=20_000)
def spellings(word: str) -> tuple[str, ...]:
    """The word as the table may have it: itself, and the stem it begins with."""
    stems = tuple(stem for length in _LENGTHS if len(word) >= length and (stem := word[:length] + "*") in _STEMS)
    return (word, *stems)


@lru_cache(maxsize=20_000)
def beginning_with(word: str) -> tuple[Phrase, ...]:
    """Phrases whose first word this is."""
    return tuple(phrase for spelling in spellings(word) for phrase in _PHRASES.get(spelling, ()))


@lru_cache(maxsize=20_000)
def terms_beginning_with(word: str) -> tuple[tuple[Phrase, ...], tuple[Phrase, ...]]:
    """(terms, units of rates) whose first word this is."""
    phrases = beginning_with(word)
    return tuple(one for one in phrases if one[1][0] == "term"), tuple(one for one in phrases if one[1][0] == "rate")


@lru_cache(maxsize=20_000)
def cues_beginning_with(word: str) -> tuple[Phrase, ...]:
    """Phrases whose first word this is, but for terms and units."""
    return tuple(phrase for phrase in beginning_with(word) if phrase[1][0] not in ("term", "rate"))
