"""What a rule asks about a whole sentence: is it plain, does it compare, which kinds of figures does it mention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from assay.auditing.case import Sentence
from assay.language.claims import said, said_in
from assay.language.kinds import SETTINGS
from assay.language.lex import Token, lex
from assay.language.modality import ASKED, SUPPOSED
from assay.language.said import Change, Said
from assay.language.vocabulary import words

#: kinds of figures that a rule may ask for
_ASKED_FOR = frozenset({"accuracy", "loss", "latency", "cpu", "memory", "rate", "time"})
_KINDS = {"val_loss": "loss", "test_loss": "loss", "speed": "time", "ttft_mean_ms": "latency", "e2e_mean_ms": "latency"}
_BETTER = frozenset({"up", "down", "best"})


@lru_cache(maxsize=8192)
def is_plain(text: str) -> bool:
    """Says that something was so: no supposition, no question."""
    return all(one.modality not in (SUPPOSED, ASKED) for one in said_in(text))


@lru_cache(maxsize=8192)
def compares(text: str) -> bool:
    """Says that one thing was better or worse than another."""
    return is_plain(text) and any(_has_better(one.text) and not _is_denied(one) for one in said_in(text))


#: words of movement alone: `the losses went down`
_MOVED = frozenset(
    {"up", "down", "went", "goes", "going", "go", "fell", "fall", "falls", "rose", "rise", "rises", "grew", "grows"}
)


def _has_better(sentence: str) -> bool:
    tokens = lex(sentence)
    return any(
        token.roles.keys() & _BETTER and token.text not in _MOVED and not _names_a_run(tokens, at)
        for at, token in enumerate(tokens)
    )


def _names_a_run(tokens: Sequence[Token], at: int) -> bool:
    """`The higher learning rate has 97.9 %`, `at least`: which run is meant, and not how good it is."""
    following = tokens[at + 1].term if at + 1 < len(tokens) else ""
    return (at > 0 and tokens[at - 1].text == "at") or following in SETTINGS


def _is_denied(one: Said) -> bool:
    return bool(one.roles & {"not", "same"})


@lru_cache(maxsize=8192)
def of_one_run(text: str) -> bool:
    """Of a run on its way (`the loss dropped from 9.4 to 7.1 during training`), not of one against another."""
    one = said(text)
    return "within" in one.roles and not one.roles & {"than", "best"} and not (one.effects or one.comparisons)


@lru_cache(maxsize=8192)
def metrics_of(text: str) -> tuple[str, ...]:
    """Kinds of figures that are named, also by `faster` and `longer`."""
    found = [_KINDS.get(name, "rate" if "_per_s" in name else name) for one in said_in(text) for name in one.metrics]
    return tuple(name for name in dict.fromkeys(found) if name in _ASKED_FOR)


def changes(sentence: Sentence, inherited: str | None = None) -> Iterator[Change]:
    """Every sized difference that is said to be so; `inherited`: what the sentence before spoke of."""
    for one in sentence.said(inherited or ""):
        yield from (change for change in one.changes if change.modality not in (SUPPOSED, ASKED))


def shown(sentence: Sentence, change: Change) -> str:
    """The words of a difference as they stand in the text."""
    for one in sentence.said():
        words = one.text[change.start : change.end]
        if any((change.start, change.end) == (other.start, other.end) for other in one.changes) or "%" in words:
            return words
    return f"{change.value:g}"


def runs_counted(one: Said) -> int:
    """The number of runs that a sentence mentions, as in "over 10 runs"; 0 if it gives none."""
    counts = [token.number for token, after in pairwise(lex(one.text)) if after.text in _SEVERAL]
    return next((int(number.value) for number in counts if number is not None and number.whole), 0)


_SEVERAL = words("SEVERAL_RUNS")
