"""What result files state in objects: spreads of a figure, the load, lengths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.model.values import number

_WHOLE = ("requests", "requests_failed", "input_tokens", "output_tokens")
_STATISTICS = {"mean": ("avg", "mean"), "p50": ("p50", "median"), "p90": ("p90",), "p99": ("p99",)}


def figures(values: Mapping[str, float | None]) -> Iterator[tuple[str, float]]:
    for name, value in values.items():
        if value is not None:
            yield name, int(value) if name in _WHOLE else round(value, 9)


def latencies(name: str, values: Mapping[str, object], factor: float) -> dict[str, float]:
    found = {}
    for ours, theirs in _STATISTICS.items():
        value = next((known for key in theirs if (known := number(values.get(key))) is not None), None)
        if value is not None:
            found[f"{name}_{ours}_ms"] = round(value * factor, 9)
    return found


def load(concurrency: object, rate: object) -> dict[str, object]:
    """A closed loop has its concurrency, an open one its rate."""
    offered, at_once = number(rate), number(concurrency)
    if offered:
        return {"request_rate": offered}
    return {"concurrency": int(at_once)} if at_once else {}


def length(name: str, value: object) -> dict[str, object]:
    found = number(value)
    return {name: int(found)} if found else {}


def inner(value: Mapping[str, object], name: str) -> Mapping[str, object]:
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}


def mappings(value: object) -> list[Mapping[str, object]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
