"""What events may hold: name by name, which type.

Anyone can write into these files: programs through `assay.log`, shell scripts, other versions, a disk that failed. What
is not of its type is taken out where the file is read, so that one bad value costs itself and no other run. A name that
stands in no table may hold anything that is small.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Check: TypeAlias = Callable[[Any], bool]
#: squares and products of figures must stay numbers
_MOST = 1e100
_LARGEST_INT = 1 << 63
#: the last second of the year 9999: no calendar goes further
_LAST_T = 253402300799.0
_LONGEST_S = 1e12
_DEEPEST = 8
_NUMBERS = (float, int)  # a bool is neither


def text(value: Any) -> bool:
    return type(value) is str


def flag(value: Any) -> bool:
    return isinstance(value, bool)


def count(value: Any) -> bool:
    return type(value) is int and -_LARGEST_INT < value < _LARGEST_INT


def figure(value: Any) -> bool:
    kind = type(value)
    return (kind is float and -_MOST <= value <= _MOST) or (kind is int and -_LARGEST_INT < value < _LARGEST_INT)


def span(value: Any) -> bool:
    return type(value) in _NUMBERS and -_LONGEST_S < value < _LONGEST_S


def moment(value: Any) -> bool:
    return type(value) in _NUMBERS and 0 <= value <= _LAST_T


def single(value: Any) -> bool:
    return value is None or text(value) or flag(value) or figure(value)


def texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def lines(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(count, value))


def figures(value: Any) -> bool:
    return isinstance(value, dict) and all(map(figure, value.values()))


def setting(value: Any) -> bool:
    return (type(value) is int and -_MOST < value < _MOST) or small(value)  # a seed may have more than 64 bits


def settings(value: Any) -> bool:
    return isinstance(value, dict) and all(map(setting, value.values()))


def fault(value: Any) -> bool:
    return isinstance(value, dict) and all(text(value.get(name, "")) for name in ("code", "message", "hint"))


def small(value: Any, depth: int = 0) -> bool:
    kind = type(value)
    if kind is float:
        return -_MOST <= value <= _MOST or not math.isfinite(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is int:
        return bool(-_LARGEST_INT < value < _LARGEST_INT)
    if depth >= _DEEPEST or kind not in (dict, list):
        return False
    return all(small(one, depth + 1) for one in (value.values() if kind is dict else value))


#: what a table asks for, in words
_WORDS: dict[Check, str] = {
    text: "text", flag: "true or false", count: "a whole number", figure: "a number", span: "seconds", moment: "a date",
    single: "one value", texts: "a list of texts", lines: "two line numbers", figures: "names with a number each",
    fault: "a failure with its code", settings: "names with values", setting: "a value of a sensible size",
    small: "a value of a sensible size",
}  # fmt: skip
#: of these, what is bad is taken out by itself
_EACH: dict[Check, Check] = {figures: figure, settings: setting}

Table: TypeAlias = Mapping[str, "Check | Table"]


_ENVELOPE: dict[str, Check] = {"t": moment, "mono_s": span, "from": text, "rank": count, "line": count, "offset": count,
                    "elapsed_s": span, "gpu": single, "host": single, "node": single}  # fmt: skip
_TOTALS = dict.fromkeys(("cpu_s", "rss_bytes_peak", "read_bytes", "write_bytes", "own_cpu_s"), figure)
_KINDS: dict[str, dict[str, Check]] = {
    "phase": {"name": text, "edge": text, "seconds": span},
    "sample": {**_TOTALS, "gpu": count, "host": text, "throttle": texts, "read_calls": figure, "write_calls": figure},
    "error": {"name": single, "edge": single, "code": text, "message": text, "hint": text},
    "how": {
        "how": text,
        "model": text,
        "device": text,
        "job": single,
        "recorder_pid": count,
        "boot": text,
        "node": text,
    },
    "seen": {"file": text, "bytes": count},
    "beat": {"beside": texts},
    "end": {**_TOTALS, "status": text, "exit_code": count, "wall_s": span, "watched_s": span, "error": fault},
}
_EVENTS: dict[str, dict[str, Check]] = {kind: {**_ENVELOPE, **table} for kind, table in _KINDS.items()}
#: for each kind, names that no text, no fraction and no whole number can stand for
_UNFIT = {
    kind: tuple(frozenset(name for name, check in table.items() if not check(one)) for one in ("", 0.5, 1))
    for kind, table in {"": _ENVELOPE, **_EVENTS}.items()
}
#: a number that every check of numbers takes
_SURELY = 1e11
#: without it an event says nothing
_NEEDED = {"phase": "name"}


def taken_out(value: dict[str, Any], table: Table, otherwise: Check = small) -> list[str]:
    """Take out of `value` what does not belong there; each in words, nothing where all is well."""
    found: list[str] = []
    for name, check, one in [(name, table.get(name, otherwise), one) for name, one in value.items()]:
        if callable(check) and one is not None and check(one):
            continue
        if one is None:
            del value[name]  # says as little as if it were not there
        elif isinstance(one, dict) and (not callable(check) or check in _EACH):
            inner = taken_out(one, {}, _EACH[check]) if callable(check) else taken_out(one, check)
            found += [f"`{_short(name)}.{wrong.removeprefix('`')}" for wrong in inner]
        else:
            found.append(f"`{_short(name)}` is not {_words(check)}")
            del value[name]
    return found


def check_event(event: dict[str, Any]) -> str:
    """Take out of an event what is not valid; in words what that was. A figure beyond all bounds becomes infinite.

    Where what it is about is missing, its kind is taken too: then it says nothing.
    """
    kind = event["kind"]
    table, otherwise = _EVENTS.get(kind, _ENVELOPE), setting if kind == "param" else small
    event.pop("at_s", None)  # ours alone to say
    unfit_texts, unfit_floats, unfit_ints = _UNFIT.get(kind, _UNFIT[""])
    bad = []
    for name, value in event.items():  # almost all are seen to be well without asking their check
        type_ = type(value)
        if type_ is str:
            if name not in unfit_texts:
                continue
        elif type_ is float:
            if 0 <= value < _SURELY and name not in unfit_floats:
                continue
        elif type_ is int and 0 <= value < _SURELY and name not in unfit_ints:
            continue
        if not table.get(name, otherwise)(value):
            bad.append(name)
    if not bad:
        return ""
    for name in bad:
        value = event[name]
        if name not in table and isinstance(value, (int, float)):
            event[name] = float(value) if -_MOST < value < _MOST else math.inf
        else:
            del event[name]
    if _NEEDED.get(kind, "kind") not in event:
        event.clear()
    return f"`{_short(bad[0])}` is not {_words(table.get(bad[0], otherwise))}"


def _words(check: Check | Table) -> str:
    return _WORDS[check] if callable(check) else "an object of known fields"


def _short(name: str) -> str:
    return name if len(name) <= 60 else name[:60] + "…"
