"""Fewer points that look the same: in each stretch of a curve its first, last, lowest and highest survive."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.events import Event, number

#: stretches a curve is cut into; four events of each may be kept for every figure
STRETCHES = 400
_METRICS = ("loss", "accuracy", "samples_per_s", "tokens_per_s")
_SAMPLES = ("cpu_pct", "rss_bytes", "pss_bytes", "gpu_util_pct", "gpu_mem_bytes", "power_w")


def thin(events: Iterable[Event], stretches: int = STRETCHES) -> list[Event]:
    """All events but the bulk of metrics and samples, in their order. Peaks stay; what lies between may go."""
    listed = list(events)
    groups: dict[tuple[object, ...], list[int]] = {}
    kept: set[int] = set()
    for index, event in enumerate(listed):
        if event["kind"] in ("metric", "sample"):
            key = (event["kind"], event.get("from"), event.get("rank"), event.get("gpu"), event.get("host"))
            groups.setdefault(key, []).append(index)
        elif event["kind"] not in ("beat", "seen"):
            kept.add(index)
    for group, indices in groups.items():
        kept.update(_peaks(listed, indices, _METRICS if group[0] == "metric" else _SAMPLES, stretches))
    return [listed[index] for index in sorted(kept)]


def _peaks(events: Sequence[Event], indices: Sequence[int], names: Sequence[str], stretches: int) -> Iterable[int]:
    if len(indices) <= 4 * stretches:
        return indices
    kept: set[int] = set()
    width = len(indices) / stretches
    for at in range(stretches):
        part = indices[int(at * width) : int((at + 1) * width)]
        if not part:
            continue
        kept.update((part[0], part[-1]))
        for name in names:
            known = [(value, index) for index in part if (value := number(events[index].get(name))) is not None]
            if known:
                kept.update((min(known)[1], max(known)[1]))
    return kept
