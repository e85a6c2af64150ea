"""The list of runs as asked for: searched, narrowed, sorted, grouped, one piece at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import UsageError
from assay.model.values import number
from assay.store.find import PLACES, condition, field_of, lookup
from assay.summary.index import LEAN, summaries
from assay.views.table import cell, columns_for
from assay.web.folder import Entry

_MOST = 500
_MOST_CONDITIONS = 20
_GROUPED = ("study", "cell", "system", "host", "how", "status", "name")
_SEARCHED = ("name", "id", "status", "system", "host", "source", "study", "how", "model")


@dataclass(frozen=True, kw_only=True)
class Query:
    words: str = ""
    conditions: tuple[str, ...] = ()
    sort: str = "-started"
    group: str = ""
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
            offset=whole(query, "offset", 0),
            limit=min(whole(query, "limit", 100), _MOST),
        )


def whole(query: Mapping[str, str], name: str, otherwise: int) -> int:
    """A count that an address names; no more digits than any of ours has."""
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


def answer(entries: Sequence[Entry], query: Query) -> dict[str, Any]:
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
    groups: list[dict[str, Any]] = []
    if query.group:
        chosen, groups = _grouped(chosen, query.group)
    piece = chosen[query.offset : query.offset + query.limit]
    shown = [entry.listed.summary for entry, _ in piece]
    columns = [column for column in columns_for(shown) if column.field not in ("id",)] if shown else []
    return {
        "total": len(chosen),
        "of": len(entries),
        "columns": [{"field": one.field, "heading": one.heading, "right": one.right} for one in columns],
        "groups": groups,
        "rows": [
            {
                "folder": entry.listed.folder,
                "status": entry.status,
                "how": summary.get("how"),
                "group": _shown(lookup(summary, query.group)) if query.group else None,
                "cells": [cell(summary, column)[:200] for column in columns],
            }
            for (entry, _), summary in zip(piece, shown, strict=True)
        ],
    }


def _haystack(summary: dict[str, Any]) -> str:
    parts = [str(summary[name]) for name in _SEARCHED if name in summary]
    for place in ("params", "claims"):
        inner = summary.get(place)
        if isinstance(inner, dict):
            parts += [f"{name}={value}" for name, value in inner.items()]
    parts += map(str, summary.get("tags") or [])
    return " ".join(parts).lower()


def _sorted(chosen: list[tuple[Entry, dict[str, Any]]], sort: str) -> list[tuple[Entry, dict[str, Any]]]:
    """Those that do not know the field come last, whichever way it is sorted. Runs come oldest first."""
    name, backwards = sort.lstrip("-"), sort.startswith("-")
    if name == "started":  # the order they already have; imported ones have no date
        return chosen[::-1] if backwards else chosen
    known = [(one, value) for one in chosen if (value := lookup(one[1], name)) is not None]
    numbers = all(number(value) is not None for _, value in known)
    known.sort(key=lambda item: item[1] if numbers else _shown(item[1]), reverse=backwards)
    return [one for one, _ in known] + [one for one in chosen if lookup(one[1], name) is None]


def _grouped(
    chosen: list[tuple[Entry, dict[str, Any]]], name: str
) -> tuple[list[tuple[Entry, dict[str, Any]]], list[dict[str, Any]]]:
    """Groups in order of their value, runs inside in the order they had."""
    found: dict[str, list[tuple[Entry, dict[str, Any]]]] = {}
    order: dict[str, Any] = {}
    for one in chosen:
        value = lookup(one[1], name)
        found.setdefault(_shown(value), []).append(one)
        order.setdefault(_shown(value), value)
    numbers = all(number(value) is not None for value in order.values() if value is not None)
    told = [key for key in found if order[key] is not None]
    told.sort(key=lambda key: order[key] if numbers else key)
    keys = told + [key for key in found if order[key] is None]
    groups = [{"value": key, "count": len(found[key])} for key in keys]
    return [one for key in keys for one in found[key]], groups


def _shown(value: object) -> str:
    return "—" if value is None else str(value)[:200]


def fields(entries: Sequence[Entry]) -> list[str]:
    """What runs can be grouped and narrowed by: settings first."""
    known = summaries([entry.listed for entry in entries])
    settings = {name for one in known for place in PLACES[:2] for name in one.get(place) or {}}
    others = {name for one in known for name in _GROUPED if name in one}
    return [*sorted(settings), *sorted(others)]
