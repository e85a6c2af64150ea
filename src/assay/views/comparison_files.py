"""A comparison for other programs and pages: JSON, CSV, Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from assay.comparing.comparison import Comparison
from assay.comparing.groups import Group
from assay.comparing.verdict import Verdict
from assay.errors import UsageError
from assay.stats import describe
from assay.text import csv_table, visible
from assay.views.answer import answers
from assay.views.answer_served import by_load
from assay.views.comparison import figure_lines, heading, key_cells, reached_words
from assay.views.judging import best_words, spelled_out


def as_dict(found: Comparison) -> dict[str, object]:
    """Everything that the terminal shows, as plain values."""
    return {
        "by": found.by,
        "axis": {"name": found.axis.name, "limit": found.axis.limit, "equal": found.axis.equal, "why": found.axis.why},
        "baseline": {"group": found.baseline.label, "why": found.baseline_why},
        "groups": [_group(found, group) for group in found.groups],
        "verdicts": [_verdict(verdict) for verdict in found.verdicts],
        "best": [
            {"figure": best.figure.name, "winner": best.winner, "tied": best.tied, "once": best.once}
            for best in found.bests
        ],
        "target": None if found.target is None else {**asdict(found.target), "groups": _reached(found)},
        "time": [{"group": one.group, "n": one.n, "wall_s": one.wall_s, "shares": one.shares} for one in found.shares],
        "models": [asdict(model) for model in found.models],
        "outliers": [{**asdict(one), "figure": one.figure.name, "text": one.text} for one in found.outliers],
        "notes": found.notes,
    }


def _group(found: Comparison, group: Group) -> dict[str, object]:
    spreads = {one.name: found.spread(group, one.name) for one in found.columns}
    origins = {
        name: sorted({row.settings[name].origin for row in group.rows if name in row.settings}) for name in found.by
    }
    return {
        "group": group.label,
        "settings": dict(zip(found.by, group.key, strict=True)),
        "known_from": {name: how for name, how in origins.items() if how},
        "simulated": group.simulated,
        "n": len(group.rows),
        "figures": {name: asdict(spread) for name, spread in spreads.items() if spread is not None},
        "runs": [row.summary.id for row in group.rows],
    }


def _verdict(verdict: Verdict) -> dict[str, object]:
    return {
        "kind": verdict.kind,
        "figure": verdict.figure.name,
        "group": verdict.group,
        "against": verdict.baseline,
        "n": list(verdict.n),
        "means": list(verdict.means),
        "estimate": asdict(verdict.estimate),
        "delta": verdict.difference.delta,
        "delta_low": verdict.difference.low,
        "delta_high": verdict.difference.high,
        "ratio": verdict.ratio.value,
        "ratio_low": verdict.ratio.low,
        "ratio_high": verdict.ratio.high,
        "p": verdict.p if min(verdict.n) > 1 else None,
        "p_corrected": verdict.p_corrected if min(verdict.n) > 1 else None,
        "comparisons": verdict.comparisons,
        "spread": verdict.sd,
        "spread_freedom": verdict.freedom,
        "spread_of": verdict.spread_of,
        "assumed": verdict.difference.assumed,
        "drift": verdict.drift,
        "robust": {**asdict(verdict.robust), "different": verdict.robust.different} if verdict.robust else None,
        "once": asdict(verdict.once) if verdict.once else None,
        "assumptions": list(verdict.assumptions),
        "repeats_needed": verdict.needed if verdict.kind == "not-shown" else None,
        "different": verdict.different,
        "margin": None if verdict.margin is None else asdict(verdict.margin),
        "p_same": verdict.p_same,
        "verdict": verdict.text,
    }


def _reached(found: Comparison) -> list[dict[str, object]]:
    return [
        {
            "group": one.group.label,
            "reached": one.count,
            "of": one.of,
            "unknown": one.unknown,
            "spent": {axis: asdict(describe(sample)) for axis, sample in one.spent.items()},
        }
        for one in found.reached
    ]


def as_csv(found: Comparison) -> str:
    """One row a group: its settings, n, and mean, spread and interval of each figure."""
    parts = ("mean", "sd", "low", "high")
    names = [f"{one.name}_{part}" for one in found.columns for part in parts]
    rows: list[list[object]] = [[*(found.by or ["group"]), "simulated", "n", *names]]
    for group in found.groups:
        spreads = [found.spread(group, one.name) for one in found.columns]
        cells = [getattr(spread, part) if spread else None for spread in spreads for part in parts]
        keys = group.key if found.by else (group.label,)
        rows.append([*keys, group.simulated, len(group.rows), *cells])
    return csv_table(rows)


def as_markdown(found: Comparison, only: Sequence[str] = ()) -> str:
    """A table and its sentences, for a page that people read; of those, only some where it says which."""
    judged = {verdict.figure.name for verdict in found.verdicts} if only else set(spelled_out(found))
    compared = [f"- baseline: {found.baseline.label} ({found.baseline_why})"] if len(found.groups) > 1 else []
    parts: dict[str, list[str]] = {
        "answer": [f"- {text}" for text in answers(found)] + [""],
        "table": [*table_rows(found), "", TABLE_NOTE, ""],
        "verdicts": [
            f"- axis: {found.axis.why}",
            *compared,
            *(
                f"- {v.figure.noun}, {v.group} against {v.baseline}: {v.text}"
                for v in found.verdicts
                if v.figure.name in judged
            ),
        ],
        "best": [f"- {b.figure.noun}: {best_words(b)}" for b in found.bests if b.figure.name in judged],
        "target": [
            f"- to {found.target.text}, {one.group.label}: {' · '.join(reached_words(one))}"
            for one in found.reached
            if found.target
        ],
        "time": [f"- time, {one.group}: {one.sentence}" for one in found.shares if one.sentence],
        "models": [f"- {model.title}: {text}" for model in by_load(found.models) for text in model.says],
        "notes": [f"- {note}" for note in found.notes],
    }
    unknown = [name for name in only if name not in parts]
    if unknown:
        raise UsageError(f"a comparison has no part called `{unknown[0]}`", f"its parts: {', '.join(parts)}")
    return (
        visible("\n".join(line for name, lines in parts.items() if not only or name in only for line in lines)) + "\n"
    )


TABLE_NOTE = "Mean ± standard deviation over n runs (95 % interval of the mean); **bold**: significantly best."


def table_rows(found: Comparison) -> list[str]:
    """A line a group."""
    heads = [*(found.by or ["runs"]), "n", *(heading(found, one).replace("\n", " ") for one in found.columns)]
    lines = [_row(heads), _row(["---:"] * len(heads))]
    for group in found.groups:
        cells = [_figure(found, group, index) for index in range(len(found.columns))]
        lines.append(_row([*key_cells(found, group), str(len(group.rows)), *cells]))
    return lines


def _figure(found: Comparison, group: Group, index: int) -> str:
    one = found.columns[index]
    first, second = figure_lines(found, group, one)
    text = f"{first} ({second})" if second else first
    return f"**{text}**" if text and found.winner(one.name) == group.label else text


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
