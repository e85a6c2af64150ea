"""Give a line its kind by its neighbours: a title above a rule, table rows around dashes, a sentence over two lines."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby, pairwise

from assay.ingest import fences
from assay.ingest import paragraphs as broken
from assay.ingest.answers import answered
from assay.ingest.parts import BLANK, CODE, HEADING, LOG, PROSE, TABLE, Part
from assay.ingest.printed import is_a_log
from assay.ingest.statements import is_only

_DASHES = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)+\|?")
_UNDERLINE = re.compile(r"\s*(?P<marks>={3,}|-{3,}|~{3,})\s*")
_LONGEST_TITLE = 100


def without_answers(parts: list[Part]) -> list[Part]:
    """Of what Assay wrote itself, only the tables."""
    own = answered([part.line.text for part in parts])
    return [Part(part.line, BLANK) if at in own and part.kind != TABLE else part for at, part in enumerate(parts)]


def underlined(parts: list[Part]) -> list[Part]:
    """A line with a rule of the same length below it is a heading, as in plain text."""
    result = list(parts)
    for at in range(1, len(parts)):
        title, rule = parts[at - 1], _UNDERLINE.fullmatch(parts[at].line.text)
        if rule is None or title.kind not in (PROSE, LOG) or not title.said or len(title.said) > _LONGEST_TITLE:
            continue
        alone = at == 1 or parts[at - 2].kind in (BLANK, HEADING)
        if alone and abs(len(rule["marks"]) - len(title.line.text.strip())) <= 2:
            level = 1 if rule["marks"][0] == "=" else 2
            result[at - 1] = replace(title, kind=HEADING, level=level)
            result[at] = Part(parts[at].line, BLANK)
    return result


def printed_code(parts: list[Part]) -> list[Part]:
    """Output in a fence that is said to hold code is output."""
    result, at = list(parts), 0
    while at < len(parts):
        end = at
        while end < len(parts) and parts[end].kind == CODE:
            end += 1
        texts = [part.line.text for part in parts[at:end]]
        spans = [(first, last) for first, last in fences.quoted(texts) if is_a_log(texts[first:last])]
        for first, last in [(0, len(texts))] if end > at and fences.holds_output(texts) else spans:
            block = parts[at + first : at + last]
            result[at + first : at + last] = [replace(part, kind=LOG) for part in block]
        at = end + 1
    return result


def tables(parts: list[Part]) -> list[Part]:
    """Rows need no bars at their ends: the line of dashes under the heads says that it is a table."""
    result = list(parts)
    for at, part in enumerate(parts):
        if at == 0 or not part.said or _DASHES.fullmatch(part.line.text.strip()) is None:
            continue
        first = last = at
        while last + 1 < len(parts) and parts[last + 1].said and "|" in parts[last + 1].line.text:
            last += 1
        if "|" in parts[at - 1].line.text and parts[at - 1].said:
            first = at - 1
        for row in range(first, last + 1 if first < at else first):
            result[row] = replace(parts[row], kind=TABLE)
    return result


def paragraphs(parts: list[Part]) -> list[Part]:
    """Prose that an editor has broken into lines is put together again, under the number of its first line."""
    result = list(parts)
    pairs = [part.line.text for part, after in pairwise(parts) if part.kind == after.kind == PROSE]
    width = broken.width_of(pairs)
    for kind, group in groupby(range(len(parts)), key=lambda at: parts[at].kind):
        places = list(group)
        if kind == PROSE and len(places) > 1:
            _joined(result, places, width, broken.ends_with_a_stop(parts[at].said for at in places))
    return result


def _joined(parts: list[Part], places: list[int], width: int, ends: bool) -> None:
    """Each sentence is kept at its first line; the lines on which it continues are not read separately."""
    first = places[0]
    for before, at in pairwise(places):
        so_far, part = parts[first], parts[at]
        raw = (parts[before].line.text, part.line.text)
        adjacent = part.number - parts[before].number <= 1 and not is_only(part.said)
        if not adjacent or not broken.goes_on(so_far.said, part.said, raw=raw, width=width, ends=ends):
            first = at
            continue
        starts = (*(so_far.starts or ((0, so_far.number),)), (len(so_far.said) + 1, part.number))
        parts[first] = replace(so_far, said=f"{so_far.said} {part.said}", starts=starts)
        parts[at] = Part(part.line, PROSE)
