"""Every figure that a page quotes of a run: in a sentence, or in a cell of a table whose row names the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.auditing.case import Case, Sentence, Table
from assay.auditing.language import runs_counted
from assay.auditing.meant import FIELDS, LATENCIES, PERCENTILES
from assay.ingest.prose import on_its_side
from assay.language.cues import has
from assay.language.lex import lex
from assay.language.modality import DONE
from assay.language.numbers import SECONDS
from assay.language.pairing import told
from assay.language.said import Said, Subject, Value
from assay.language.tables import cell_number, head
from assay.language.vocabulary import words

_QUOTED = frozenset(FIELDS) - {"speed"}
_OF_OTHERS = frozenset({"std", "min", "initial", "p95", "p99.9"})
_MOST_ROWS = 200
_MANY = 10
_SENT, _ONE_USER = words("SENT"), words("ONE_USER")
_AGAIN = words("AGAIN")


@dataclass(frozen=True, kw_only=True)
class Quote:
    """A figure as a page gives it, of the runs with these settings."""

    sentence: Sentence
    value: Value
    text: str
    of: tuple[Subject, ...]
    beside: tuple[Value, ...] = ()
    every: bool = False  # said of all runs alike
    after: str = ""  # what follows it, up to the next figure
    pieces: tuple[str, ...] = ()  # of its sentence: what stands before the first figure, and after each up to this one


def quotes(case: Case) -> list[Quote]:
    return [*_sayings(case), *_cells(case)]


def _sayings(case: Case) -> Iterator[Quote]:
    for sentence in (one for one in case.sentences if not one.cut):
        for said in (one for one in sentence.said() if not _is_one_more(one)):
            for one in told(said):
                if one.value.number.in_words and has(said.text, "covers_more"):
                    continue  # `with compiling, about fifteen minutes`
                if _is_load(said, one.value) or _is_of_one_user(said, one.value):
                    continue
                if _is_quoted(one.value) and not _is_of_many(said, one.value) and not _is_of_all(said, one.value):
                    text, pieces = said.text[one.value.start : one.value.end], _pieces(said, one.value)
                    yield Quote(
                        sentence=sentence,
                        value=one.value,
                        text=text,
                        of=one.of,
                        beside=one.beside,
                        every="all_runs" in said.roles,
                        pieces=pieces,
                        after=_after(said, one.value),
                    )


def _after(said: Said, value: Value) -> str:
    figures = sorted(one.start for one in said.values if not one.is_setting and one.start > value.start)
    return said.text[value.end : figures[0] if figures else len(said.text)]


def _pieces(said: Said, value: Value) -> tuple[str, ...]:
    figures = sorted(one.start for one in said.values if not one.is_setting and one.start <= value.start)
    return tuple(said.text[a:b] for a, b in pairwise([0, *figures]))


def _is_quoted(value: Value) -> bool:
    """A plain result of one run, or the mean of some; not a sum, a part or a bound."""
    if value.name not in _QUOTED or value.modality != DONE or value.denied:
        return False
    if value.average in _OF_OTHERS or value.scope not in ("", "global"):
        return False
    if value.average in PERCENTILES and value.name not in LATENCIES:
        return False
    if value.average == "max" and value.name != "memory":
        return False
    if value.bound and not is_bounded(value):
        return False
    spelled = value.number.in_words and not value.bound and value.number.unit != SECONDS
    return not (value.failed or value.number.upper is not None or spelled)


def is_bounded(value: Value) -> bool:
    """`under 2 minutes`, `more than 90 %`: what was measured; `needs at least 16 GB` may be what it asks for."""
    if value.name == "memory":
        return value.bound < 0
    return value.name in ("time", "accuracy", "rate") or value.name.endswith("_per_s") or value.name in LATENCIES


def _is_one_more(said: Said) -> bool:
    """`I repeated the run and got 172.4 s`: of a try whose log may not be here."""
    return any(token.text in _AGAIN for token in lex(said.text))


def _is_of_many(said: Said, value: Value) -> bool:
    """`The latency of 1000 inferences is 2.2 seconds`: not of one."""
    if value.name != "latency" and not value.name.endswith("_ms"):
        return False
    counts = [one.number for one, after in pairwise(lex(said.text)) if "timed" in after.roles]
    return value.average == "total" or any(one is not None and one.value >= _MANY for one in counts)


def _is_load(said: Said, value: Value) -> bool:
    """`vLLM at 16 requests/s`, `we sent 16 requests/s`: what was asked for, whatever was answered."""
    if value.name != "requests_per_s":
        return False
    before = said.text[: value.start].lower().split()
    return before[-1:] == ["at"] or not _SENT.isdisjoint(before)


def _is_of_one_user(said: Said, value: Value) -> bool:
    """`each user saw 25 tokens/s`: a log has the rate of all of them."""
    words = {token.text.lower() for token in lex(said.text)}
    return value.name.endswith("tokens_per_s") and not _ONE_USER.isdisjoint(words)


def _is_of_all(said: Said, value: Value) -> bool:
    """`The three runs took 3.6 minutes altogether` is not about a single one."""
    return value.name == "time" and value.average == "total" and runs_counted(said) > 1


def _cells(case: Case) -> Iterator[Quote]:
    """The figures of tables whose rows, or columns, name their runs by a setting."""
    for table in case.tables:
        for titles, placed in _runs_of(table):
            heads = [head(text) for text in titles]
            row = [(one, place, cell_number(place[1], one.unit)) for one, place in zip(heads, placed, strict=False)]
            of = tuple(
                Subject(name=one.name, readings=held.readings)
                for one, _, held in row
                if one.is_setting and held is not None and held.upper is None
            )
            if not of or any(one.is_setting and held is None for one, _, held in row):
                continue
            for one, (line, text), held in row:
                if one.name in _QUOTED and not one.derived and held is not None:
                    average = one.average or ("mean" if "±" in text else "")  # nothing has a spread but a mean
                    value = Value(name=one.name, number=held, start=0, end=0, split=one.split, average=average)
                    if _is_quoted(value) and value.average != "total":
                        sentence = Sentence(source=table.source, line=line, text=_row(table, line), paragraph=0)
                        yield Quote(sentence=sentence, value=value, text=text.strip(), of=of)


def _runs_of(table: Table) -> Iterator[tuple[Sequence[str], list[tuple[int, str]]]]:
    """Per run the heads, and its cells with their lines: a run is a row, or a column of a table on its side."""
    rows = table.rows[:_MOST_ROWS]
    turned = on_its_side(table.head, [cells for _, cells in rows])
    if turned is None:
        for line, cells in rows:
            yield table.head, [(line, cell) for cell in cells]
        return
    heads = [turned[0], *(cells[0] for _, cells in rows)]
    for at in range(1, len(turned)):
        yield heads, [(table.line, turned[at]), *((line, cells[at]) for line, cells in rows)]


def _row(table: Table, line: int) -> str:
    return " | ".join(next((cells for number, cells in table.rows if number == line), table.head))
