"""The figures of two runs side by side, with their difference."""

from __future__ import annotations

from assay.comparing.figures import FIGURES, figure
from assay.differing.values import ResultChange
from assay.model.summary import Summary
from assay.quantities import COUNT, PERCENT, Quantity, of_kind
from assay.summary.splits import PARTS, told_as

#: of several figures for the same thing, only the first that both runs have is shown
_ONE_OF = (
    ("samples_per_s_own", "samples_per_s_avg", "samples_per_s"),
    ("memory_bytes_max", "pss_bytes_max", "rss_bytes_max"),
    ("pss_bytes_mean", "rss_bytes_mean"),
)

_QUOTED = ("accuracy", "loss", "val_loss", "test_loss")


def result_changes(a: Summary, b: Summary) -> tuple[ResultChange, ...]:
    """Every figure that at least one of them reports: those of both first, in the order of a comparison."""
    if a.accuracy is not None and b.accuracy is not None and a.accuracy_of != b.accuracy_of:
        a, b = _by_part(a), _by_part(b)  # an accuracy of the test set and one of training are two figures
    order = [one.name for one in (*FIGURES, *of_kind(COUNT))]
    names = dict.fromkeys([*order, *a.metrics, *b.metrics])
    hidden = {name for each in _ONE_OF for name in _others(each, a, b)} | {
        name for name in names if _is_again(name, a, b)
    }
    found = [_change(name, a, b) for name in names if name not in hidden]
    known = [one for one in found if one.a or one.b]  # what is nothing in both says nothing
    return tuple(sorted(known, key=lambda one: one.a is None or one.b is None))


def _by_part(summary: Summary) -> Summary:
    """With its accuracy under the name of its part of the data, if that is known."""
    if summary.accuracy_of is None or summary.accuracy is None:
        return summary
    named = {f"{summary.accuracy_of}_accuracy": summary.accuracy}
    return summary.replace(accuracy=None, accuracy_of=None, metrics={**summary.metrics, **named})


def _is_again(name: str, a: Summary, b: Summary) -> bool:
    """Whether a metric of the program is what `accuracy` or a loss quotes already, in each run that has it."""
    holders = [one for one in (a, b) if name in one.metrics]
    return bool(holders) and all(
        any(name in told_as(known, one.accuracy_of) and one.metrics[name] == one.reported(known) for known in _QUOTED)
        for one in holders
    )


def _others(names: tuple[str, ...], a: Summary, b: Summary) -> list[str]:
    """All but the first that both know, else that one of them does."""
    known = [[one.reported(name) is not None for one in (a, b)] for name in names]
    both = [name for name, each in zip(names, known, strict=True) if all(each)]
    some = [name for name, each in zip(names, known, strict=True) if any(each)]
    return [name for name in names if name not in (both or some)[:1]]


def _change(name: str, a: Summary, b: Summary) -> ResultChange:
    kind, one, two = figure(name), a.reported(name), b.reported(name)
    apart = two - one if one is not None and two is not None else None
    in_points = kind.points or kind.unit == PERCENT
    return ResultChange(
        name=name,
        label=_label(kind, a, b),
        unit=unit_of(kind),
        a=one,
        b=two,
        difference=apart,
        percent=100 * apart / abs(one) if apart is not None and one and not in_points else None,
        better=_better(kind, apart),
    )


def _label(kind: Quantity, a: Summary, b: Summary) -> str:
    """With the part of the data that an accuracy is of, where it is the same for both."""
    part = PARTS.get(a.accuracy_of or "") if kind.name == "accuracy" and a.accuracy_of == b.accuracy_of else None
    return f"{part} accuracy" if part else kind.noun


def unit_of(kind: Quantity) -> str:
    """`s`, `bytes`, `samples/s`, `ms`; a share and a percentage are what they are called."""
    if kind.unit:
        return kind.unit
    if kind.name.endswith("_ms"):
        return "ms"
    return kind.heading.partition(" (")[0] if "/" in kind.heading else ""


def _better(kind: Quantity, apart: float | None) -> str:
    if not apart or not kind.better:
        return ""
    return "b" if (apart > 0) == (kind.better > 0) else "a"
