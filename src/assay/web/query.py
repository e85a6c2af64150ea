"""The list of runs as asked for: searched, narrowed, sorted, grouped, one piece at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.errors import UsageError
from assay.model.summary import Summary
from assay.store.find import condition, field_of, ordered, running_first
from assay.summary.index import LEAN, Listed, summaries
from assay.views.table import COLUMNS, Column, cell, columns_for
from assay.web.folder import Entry

_MOST = 500
_MOST_CONDITIONS, _MOST_COLUMNS = 20, 40
#: how many words are suggested, and of how many runs
_SUGGESTED, _SUGGESTED_OF = 200, 500
#: settings stand where the empty name does
_ORDER = (
    "name", "status", "error", "", "loss", "accuracy", "samples_per_s_own", "tokens_per_s", "output_tokens_per_s",
    "ttft_p50_ms", "e2e_p50_ms", "wall_s", "started", "how", "steps", "memory_bytes_max", "cpu_pct_mean",
    "gpu_util_pct_mean", "energy_j", "system", "job_id",
)  # fmt: skip
_GROUPED = ("study", "cell", "system", "host", "how", "status", "name")


@dataclass(frozen=True, kw_only=True)
class Query:
    words: str = ""
    conditions: tuple[str, ...] = ()
    sort: str = "-started"
    group: str = ""
    columns: tuple[str, ...] = ()
    offset: int = 0
    limit: int = 100

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Query:
        """From the address of a page: every view can be linked to."""
        conditions = tuple(one for one in short(query, "where", 20_000).split(";") if one.strip())
        if len(conditions) > _MOST_CONDITIONS:
            raise UsageError(f"{len(conditions)} conditions are too many", f"write at most {_MOST_CONDITIONS}")
        return cls(
            words=short(query, "q"),
            conditions=conditions,
            sort=short(query, "sort") or "-started",
            group=short(query, "group"),
            columns=tuple(name for name in short(query, "columns", 4000).split(",") if name)[:_MOST_COLUMNS],
            offset=whole(query, "offset", 0),
            limit=min(whole(query, "limit", 100), _MOST),
        )


def whole(query: Mapping[str, str], name: str, otherwise: int) -> int:
    """A count in an address, with a limited number of digits."""
    text = query.get(name, "")
    if text and not re.fullmatch("[0-9]{1,15}", text):
        raise UsageError(f"`{name}` is a whole number, not `{text[:40]}`")
    return int(text) if text else otherwise


def short(query: Mapping[str, str], name: str, most: int = 500) -> str:
    """A text that an address names."""
    text = query.get(name, "")
    if len(text) > most:
        raise UsageError(f"`{name}` is too long: {len(text):,} characters", f"write at most {most:,}")
    return text


def answer(entries: Sequence[Entry], query: Query) -> dict[str, object]:
    """`total` runs meet it; `rows` are the ones from `offset` on."""
    tests = [condition(text) for text in query.conditions]
    wanted = [field_of(text) for text in query.conditions] + [query.sort.lstrip("-"), query.group]
    lean = not query.words and all(name in LEAN for name in wanted if name)
    known = summaries([entry.listed for entry in entries], [] if lean else None)
    chosen = [(entry, one) for entry, one in zip(entries, known, strict=True) if all(test(one) for test in tests)]
    words = query.words.lower().split()
    if words:
        chosen = [(entry, one) for entry, one in chosen if all(word in _haystack(one) for word in words)]
    chosen = _sorted(chosen, query.sort)
    groups: list[dict[str, object]] = []
    if query.group:
        chosen, groups = _grouped(chosen, query.group)
    piece = chosen[query.offset : query.offset + query.limit]
    shown = [entry.listed.summary for entry, _ in piece]
    columns = _columns([entry.listed for entry, _ in chosen[:_MOST]], query.columns)
    return {
        "total": len(chosen),
        "of": len(entries),
        "columns": [{"field": one.field, "heading": one.heading, "right": one.right} for one in columns],
        "groups": groups,
        "rows": [
            {
                "folder": entry.listed.folder,
                "status": entry.status,
                "how": summary.how,
                "group": _shown(summary.value(query.group)) if query.group else None,
                "cells": [cell(summary, column)[:200] for column in columns],
            }
            for (entry, _), summary in zip(piece, shown, strict=True)
        ],
    }


def _columns(first: Sequence[Listed], asked: Sequence[str]) -> list[Column]:
    """Those asked for, else those that say something of the first runs: the same however far one scrolls."""
    if asked:
        names = ["name", *(name for name in asked if name != "name")]
        return columns_for([], names)
    left_out = ("id", "how", "system") if len({one.lean.system for one in first}) < 2 else ("id",)
    found = [one for one in columns_for(summaries(first), settings=True) if one.field not in left_out] if first else []
    return sorted(found, key=lambda one: _ORDER.index(one.field) if one.field in _ORDER else _ORDER.index(""))


def _haystack(summary: Summary) -> str:
    one = summary
    words = (
        one.name,
        one.id,
        one.status,
        one.system,
        one.host,
        one.source,
        one.study,
        one.how,
        one.model,
        one.note,
        *one.tags,
    )
    settings = [f"{name}={value}" for place in (one.params, one.claims) for name, value in place.items()]
    return " ".join([*filter(None, words), *one.tags, *settings]).lower()


def _sorted(chosen: list[tuple[Entry, Summary]], sort: str) -> list[tuple[Entry, Summary]]:
    """Those that do not know the field come last, whichever way it is sorted. Runs come oldest first."""
    name, backwards = sort.lstrip("-"), sort.startswith("-")
    if name == "started":  # the order they already have
        return running_first(chosen[::-1] if backwards else chosen, lambda one: one[0].status)
    return ordered(chosen, lambda one: one[1].value(name), backwards=backwards)


def _grouped(
    chosen: list[tuple[Entry, Summary]], name: str
) -> tuple[list[tuple[Entry, Summary]], list[dict[str, object]]]:
    """Groups in order of their value, runs inside in the order they had."""
    found: dict[str, list[tuple[Entry, Summary]]] = {}
    order: dict[str, object] = {}
    for one in chosen:
        value = one[1].value(name)
        found.setdefault(_shown(value), []).append(one)
        order.setdefault(_shown(value), value)
    keys = ordered(list(found), order.__getitem__)
    groups = [{"value": key, "count": len(found[key])} for key in keys]
    return [one for key in keys for one in found[key]], groups


def _shown(value: object) -> str:
    return "—" if value is None else str(value)[:200]


def fields(entries: Sequence[Entry]) -> dict[str, list[str]]:
    """What runs can be grouped and narrowed by, settings first; what can be a column; and values to suggest."""
    known = summaries([entry.listed for entry in entries])
    settings = {name for one in known for place in (one.params, one.claims) for name in place}
    others = {name for one in known for name in one.names.intersection(_GROUPED)} - settings
    shown = [one.field for one in COLUMNS] + sorted({name for one in known for name in one.metrics})[:200]
    more = ["tags", "note", "study", "host", "val_loss", "epochs", "samples", "tokens_per_s", "latency_ms"]
    return {
        "fields": [*sorted(settings), *sorted(others)],
        "columns": list(dict.fromkeys([*shown, *sorted(settings), *more])),
        "words": _words(known[-_SUGGESTED_OF:]),
    }


def _words(known: Sequence[Summary]) -> list[str]:
    """What a search can find: names, tags, studies, and settings with their values."""
    found: dict[str, None] = {}
    for one in reversed(known):
        found[one.name] = None
        found.update(dict.fromkeys([*one.tags, *filter(None, [one.study, one.status])]))
        found.update((f"{name}={value}", None) for name, value in one.settings.items() if len(str(value)) < 40)
    return list(found)[:_SUGGESTED]
