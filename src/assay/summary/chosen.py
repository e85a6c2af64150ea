"""What users correct in a summary: the figure to compare first (--metric), names (--rename, `[rename]` in assay.toml).

[rename]
"Final score" = "val_accuracy"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path

from assay.core.names import name_of
from assay.core.objective import better_of, matching, objective_of, parsed
from assay.errors import UsageError, did_you_mean
from assay.model.summary import FIELDS, Summary

FILE = "assay.toml"


def figures_of(summary: Summary) -> dict[str, float]:
    """Every number of a run, by its name: what the program reported first."""
    own = {name: one for name, one in summary.single().items() if isinstance(one, (int, float))}
    return {**summary.metrics, **{name: float(one) for name, one in own.items() if not isinstance(one, bool)}}


def metric_named(text: str, summaries: Sequence[Summary]) -> tuple[str, int]:
    """(name, 1 for more, -1 for less, 0 where nobody knows) of `iter_dt`, `val_bpb:min`; an error where none has it."""
    wanted, wish = parsed(text)
    names = dict.fromkeys(name for one in summaries for name in figures_of(one))
    name = matching(wanted, names)
    if name is None:
        raise UsageError(f"no run here reports `{wanted}`", did_you_mean(wanted, names, "list them: assay show --json"))
    return name, {"lower": -1, "higher": 1}.get(better_of(name, wish), 0)


def by_metric(summaries: Sequence[Summary], text: str | None) -> list[Summary]:
    """The same runs with this figure as their objective."""
    if text is None or not summaries:
        return list(summaries)
    name, way = metric_named(text, summaries)
    wish = {1: ":max", -1: ":min"}.get(way, "")
    found = [(one, objective_of(figures_of(one), asked=name + wish)) for one in summaries]
    return [one.replace(objective=chosen.as_json() if chosen else {}) for one, chosen in found]


def renames_of(words: Sequence[str] = ()) -> dict[str, str]:
    """{printed: name} of `--rename printed=name`, and of assay.toml in this folder."""
    path = Path(FILE)
    found = dict(_of_file(path.absolute(), path.stat().st_mtime_ns)) if path.is_file() else {}
    for text in words:
        printed, equals, name = text.rpartition("=")
        if not equals or not printed.strip() or not name.strip():
            raise UsageError(f"`--rename {text}` is not PRINTED=NAME", "write --rename 'Final score=val_accuracy'")
        found[printed.strip()] = name.strip()
    return found


@lru_cache(maxsize=8)
def _of_file(path: Path, mtime_ns: int) -> tuple[tuple[str, str], ...]:
    try:
        toml = import_module("tomllib")  # from Python 3.11 on
    except ImportError:
        raise UsageError(f"`{path}` needs Python 3.11 or newer", "use --rename PRINTED=NAME") from None
    try:
        given = toml.loads(path.read_text(encoding="utf-8")).get("rename", {})
    except (OSError, ValueError) as problem:
        raise UsageError(f"cannot read `{path}`: {problem}") from None
    if not isinstance(given, dict) or not all(isinstance(one, str) for one in given.values()):
        raise UsageError(f'`[rename]` in `{path}` must be lines of `printed = "name"`')
    return tuple(given.items())


def renamed(summaries: Sequence[Summary], table: Mapping[str, str]) -> list[Summary]:
    """The same runs with these figures under other names."""
    return [_renamed(one, table) for one in summaries] if table else list(summaries)


def _renamed(summary: Summary, table: Mapping[str, str]) -> Summary:
    metrics, fields, objective = dict(summary.metrics), dict[str, object](), dict(summary.objective)
    for printed, name in table.items():
        key = next((one for one in (printed, name_of(printed).key) if one in metrics), None)
        key = key or matching(printed, metrics)
        if key is None:
            continue
        value = metrics.pop(key)
        if name in FIELDS and isinstance(summary.value(name), (int, float, type(None))):
            fields[name] = value
        else:
            metrics[name] = value
        if objective.get("name") == key:
            objective["name"] = name
    return summary.replace(metrics=metrics, objective=objective, **fields)
