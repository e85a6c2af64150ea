"""Every figure that a page quotes of a run: in a sentence, or in a cell of a table whose row names the run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from assay.auditing.case import Case, Sentence
from assay.auditing.meant import FIELDS
from assay.language.lex import lex
from assay.language.modality import DONE
from assay.language.pairing import told
from assay.language.said import Said, Subject, Value
from assay.language.tables import cell_number, head

_QUOTED = frozenset(FIELDS) - {"speed"}
_OF_OTHERS = frozenset({"std", "min", "initial", "median", "p99"})
_MOST_ROWS = 200
_MANY = 10


@dataclass(frozen=True, kw_only=True)
class Quote:
    """A figure as a page gives it, of the runs with these settings."""

    sentence: Sentence
    value: Value
    text: str
    of: tuple[Subject, ...]
    beside: tuple[Value, ...] = ()
    pieces: tuple[str, ...] = ()  # of its sentence: what stands before the first figure, and after each up to this one


def quotes(case: Case) -> list[Quote]:
    return [*_sayings(case), *_cells(case)]


def _sayings(case: Case) -> Iterator[Quote]:
    for sentence in (one for one in case.sentences if not one.cut):
        for said in sentence.said():
            for one in told(said) if not said.changes else ():
                if _is_quoted(one.value) and not _is_of_many(said, one.value):
                    text, pieces = said.text[one.value.start : one.value.end], _pieces(said, one.value)
                    yield Quote(
                        sentence=sentence, value=one.value, text=text, of=one.of, beside=one.beside, pieces=pieces
                    )


def _pieces(said: Said, value: Value) -> tuple[str, ...]:
    figures = sorted(one.start for one in said.values if not one.is_setting and one.start <= value.start)
    return tuple(said.text[a:b] for a, b in pairwise([0, *figures]))


def _is_quoted(value: Value) -> bool:
    """A result of one run or the mean of some, plainly given; sums, parts and bounds are of others."""
    if value.name not in _QUOTED or value.modality != DONE or value.denied or value.bound:
        return False
    if value.average in _OF_OTHERS or value.scope not in ("", "global"):
        return False
    if value.average == "max" and value.name != "memory":
        return False
    return not (value.failed or value.number.upper is not None or value.number.in_words)


def _is_of_many(said: Said, value: Value) -> bool:
    """`The latency of 1000 inferences is 2.2 seconds`: not of one."""
    if value.name != "latency" and not value.name.endswith("_ms"):
        return False
    counts = [one.number for one, after in pairwise(lex(said.text)) if "timed" in after.roles]
    return value.average == "total" or any(one is not None and one.value >= _MANY for one in counts)


def _cells(case: Case) -> Iterator[Quote]:
    """The figures of tables whose rows name their runs by a setting."""
    for table in case.tables:
        heads = [head(text) for text in table.head]
        if not any(one.is_setting for one in heads):
            continue
        for line, cells in table.rows[:_MOST_ROWS]:
            sentence = Sentence(source=table.source, line=line, text=" | ".join(cells), paragraph=0)
            row = [(one, text, cell_number(text, one.unit)) for one, text in zip(heads, cells, strict=False)]
            of = tuple(
                Subject(name=one.name, readings=held.readings)
                for one, _, held in row
                if one.is_setting and held is not None and held.upper is None
            )
            if not of or any(one.is_setting and held is None for one, _, held in row):
                continue
            for one, text, held in row:
                if one.name in _QUOTED and not one.derived and held is not None:
                    value = Value(name=one.name, number=held, start=0, end=0, split=one.split, average=one.average)
                    if _is_quoted(value) and value.average != "total":
                        yield Quote(sentence=sentence, value=value, text=text.strip(), of=of)
