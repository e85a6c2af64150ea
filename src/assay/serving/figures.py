"""What the exchanges of a load come to: the figures that every serving benchmark reports, by Assay's names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assay.serving.exchange import Exchange
from assay.serving.load import Driven

_STATISTICS = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
#: of one core, above which the client itself may be what takes the time
_BUSY = 0.8
#: the client's own delay counts where it is this long, and this share of what it measures
_LATE_MS, _LATE_SHARE = 5.0, 0.05


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a user finds good enough; 0 is no limit."""

    ttft_ms: float = 0.0
    tpot_ms: float = 0.0
    e2e_ms: float = 0.0

    @property
    def any(self) -> bool:
        return bool(self.ttft_ms or self.tpot_ms or self.e2e_ms)

    def met_by(self, one: Exchange) -> bool:
        pairs = ((self.ttft_ms, one.ttft_ms), (self.tpot_ms, one.tpot_ms), (self.e2e_ms, one.e2e_ms))
        return one.is_good and all(not limit or value is None or value <= limit for limit, value in pairs)


def figures(driven: Driven, limits: Limits) -> dict[str, float]:
    """Of the requests that succeeded; the others are counted, by what went wrong."""
    good = [one for one in driven.exchanges if one.is_good]
    seconds = max(driven.seconds, 1e-9)
    found: dict[str, float] = {"requests": len(good), "requests_failed": len(driven.exchanges) - len(good)}
    found.update({f"failed_{kind.replace('-', '_')}": count for kind, count in failures(driven.exchanges).items()})
    found.update(measured_s=round(driven.seconds, 6), requests_per_s=len(good) / seconds)
    if limits.any:
        found["goodput_requests_per_s"] = sum(map(limits.met_by, driven.exchanges)) / seconds
    found.update(_tokens(good, seconds))
    found.update(_statistics("ttft", [one.ttft_ms for one in good]))
    found.update(_statistics("tpot", [one.tpot_ms for one in good]))
    found.update(_statistics("itl", [gap / 1e3 for one in good for gap in one.gaps_us]))
    found.update(_statistics("e2e", [one.e2e_ms for one in good]))
    found.update(_client(driven, found))
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in found.items()}


def failures(exchanges: Sequence[Exchange]) -> Counter[str]:
    """How many requests failed, by kind."""
    return Counter(one.fault.kind for one in exchanges if one.fault is not None)


def quantile(values: Sequence[float], share: float) -> float:
    """Of sorted values, between the two nearest: as numpy and every other benchmark have it."""
    at = share * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])


def is_client_limited(found: dict[str, float]) -> bool:
    """Whether what was measured may be the client's own doing."""
    shortest_ms = min((found[name] for name in ("ttft_p50_ms", "e2e_p50_ms") if name in found), default=0.0)
    late_ms = max(found.get("client_late_p99_ms", 0.0), found.get("sent_late_p99_ms", 0.0))
    late = late_ms > _LATE_MS and late_ms > _LATE_SHARE * shortest_ms
    return found.get("client_cpu_pct", 0.0) > 100 * _BUSY or late


def _tokens(good: Sequence[Exchange], seconds: float) -> dict[str, float]:
    output = sum(one.output_tokens for one in good)
    found: dict[str, float] = {"output_tokens": output, "output_tokens_per_s": output / seconds}
    if good:
        found["output_len_mean"] = output / len(good)
        found["stopped_early"] = sum(one.output_tokens < one.asked_tokens for one in good)
        found["without_usage"] = sum(one.tokens_out is None for one in good)
        pieces = sum(one.chunks for one in good)
        found["tokens_per_chunk"] = sum(one.tokens_shown for one in good) / max(1, pieces)
        # in one read with the piece before it
        found["chunks_together"] = sum(one.gaps_us.count(0) for one in good) / max(1, pieces - len(good))
    if good and all(one.tokens_in is not None for one in good):
        prompt = sum(one.tokens_in or 0 for one in good)
        found.update(
            input_tokens=prompt,
            input_len_mean=prompt / len(good),
            prompt_tokens_per_s=prompt / seconds,
            total_tokens_per_s=(prompt + output) / seconds,
        )
    for name in ("tokens_cached", "tokens_reasoning"):
        counts = [count for one in good if (count := getattr(one, name)) is not None]
        found.update({name: sum(counts)} if counts else {})
    hidden = sum(one.tokens_hidden for one in good)
    found.update({"tokens_hidden": hidden} if hidden else {})
    return found


def _client(driven: Driven, found: dict[str, float]) -> dict[str, float]:
    """What the client took itself, and how late it was."""
    own = {"client_cpu_pct": 100 * driven.cpu_s / max(driven.seconds, 1e-9)}
    if driven.late_ms:
        own["client_late_p99_ms"] = quantile(sorted(driven.late_ms), 0.99)
    sent = sorted(one.late_ms for one in driven.exchanges if one.planned_s is not None)
    if sent:
        own["sent_late_p99_ms"] = quantile(sent, 0.99)
    return {**own, "client_limited": int(is_client_limited({**found, **own}))}


def _statistics(name: str, values: Sequence[float | None]) -> dict[str, float]:
    known = sorted(value for value in values if value is not None)
    if not known:
        return {}
    found = {f"{name}_mean_ms": sum(known) / len(known)}
    return {**found, **{f"{name}_{key}_ms": quantile(known, share) for key, share in _STATISTICS.items()}}
