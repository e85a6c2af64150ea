"""What the client prints about a measurement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.serving.exchange import Exchange
from assay.serving.figures import failures
from assay.serving.settings import Settings

_LATENCIES = (("ttft", "TTFT (ms)"), ("tpot", "TPOT (ms)"), ("itl", "ITL (ms)"), ("e2e", "E2E latency (ms)"))
_MOSTLY = 0.5  # of the pieces
_STATISTICS = ("mean", "p50", "p90", "p99")
_RATES = (
    ("requests_per_s", "requests/s"),
    ("output_tokens_per_s", "output tokens/s"),
    ("total_tokens_per_s", "tokens/s with the prompts"),
)


def table(found: dict[str, float], settings: Settings, exchanges: Sequence[Exchange]) -> Iterator[str]:
    """The load, the latencies, the rates, and what failed."""
    asked = f" of {settings.requests:,}" if len(exchanges) < settings.requests else ""
    yield f"{len(exchanges):,}{asked} requests in {found['measured_s']:.2f} s {_load(settings)}"
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in failures(exchanges).most_common())
    if kinds:
        yield f"{found['requests_failed']:,.0f} failed: {kinds}; the figures are of the other {found['requests']:,.0f}"
    if not found["requests"]:
        return
    yield f"{'':<20}" + "".join(f"{name:>12}" for name in _STATISTICS)
    for name, label in _LATENCIES:
        if f"{name}_mean_ms" in found:
            yield f"{label:<20}" + "".join(f"{found[f'{name}_{key}_ms']:>12,.2f}" for key in _STATISTICS)
    yield ", ".join(f"{found[name]:,.2f} {unit}" for name, unit in _RATES if name in found)
    if "goodput_requests_per_s" in found:
        yield f"{found['goodput_requests_per_s']:,.2f} requests/s within the limits ({_limits(settings)})"
    prompt = f"{found['input_len_mean']:,.1f} prompt tokens and " if "input_len_mean" in found else ""
    yield f"a request has {prompt}{found['output_len_mean']:,.1f} output tokens on average"


def _load(settings: Settings) -> str:
    if settings.is_open:
        return f"at a request rate of {settings.request_rate:g}/s ({settings.arrivals})"
    return f"at a concurrency of {settings.at_once:,}"


def _limits(settings: Settings) -> str:
    limits = (("TTFT", settings.ttft_limit_ms), ("TPOT", settings.tpot_limit_ms), ("E2E", settings.e2e_limit_ms))
    return ", ".join(f"{name} at most {value:g} ms" for name, value in limits if value)


def warnings(found: dict[str, float], settings: Settings, *, different_prompts: int | None) -> Iterator[str]:
    """What someone who quotes the figures must know."""
    good = found["requests"]
    if found.get("client_limited"):
        yield (
            f"this client may have been the limit: it used {found['client_cpu_pct']:.0f} % of a core and was up to "
            f"{max(found.get('client_late_p99_ms', 0), found.get('sent_late_p99_ms', 0)):.1f} ms late (p99); "
            "run it on another machine than the server, or with a smaller load"
        )
    refused = found.get("failed_http_401", 0) + found.get("failed_http_403", 0)
    if refused:
        key = f" in {settings.key_env}" if settings.key_env else ""
        yield f"the server refused the key{key} in {refused:,.0f} requests: it may have expired during the run"
    if found.get("stopped_early"):
        yield (
            f"{found['stopped_early']:,.0f} of {good:,.0f} answers are shorter than {settings.output_len} tokens: the "
            "server does not force the length, so compare only with runs of the same lengths"
        )
    if not settings.is_open and settings.requests < settings.at_once:
        yield (
            f"{settings.requests:,} requests are fewer than the {settings.at_once:,} that should be in flight: send at "
            f"least requests={2 * settings.at_once}"
        )
    yield from _pieces(found)
    yield from _reasoning(found)
    if found.get("tokens_cached"):
        yield (
            f"the server took {found['tokens_cached']:,.0f} prompt tokens from its cache, so TTFT is better than it "
            "would be without"
        )
    if different_prompts is not None and different_prompts < settings.requests + settings.warmup:
        yield f"the {different_prompts:,} prompts were repeated, so a prefix cache may have answered"


def _pieces(found: dict[str, float]) -> Iterator[str]:
    """How the tokens came, where that is not one by one."""
    if found.get("without_usage"):
        yield (
            f"the server did not count the tokens of {found['without_usage']:,.0f} answers (no usage object); "
            "their pieces are counted instead"
        )
    one_piece = "tpot_mean_ms" not in found and found.get("output_len_mean", 0) > 1
    if one_piece or found.get("chunks_together", 0.0) > _MOSTLY:
        late = " or this client was too late to see them" if found.get("client_limited") else ""
        yield (
            f"most of each answer arrived at one moment: the server or a proxy does not stream token by token{late}, "
            "so TTFT is nearly the time of the whole answer, and the time per token is not that of the model"
        )
    elif found.get("tokens_per_chunk", 1.0) > 1.05 and not found.get("without_usage"):
        yield (
            f"a piece of the stream contains {found['tokens_per_chunk']:.1f} tokens on average, so ITL is the time "
            "between pieces; TPOT is per token"
        )


def _reasoning(found: dict[str, float]) -> Iterator[str]:
    thought, hidden = found.get("tokens_reasoning", 0.0), found.get("tokens_hidden", 0.0)
    if not thought or not found["output_tokens"]:
        return
    share = f"{100 * thought / found['output_tokens']:.0f} % of the output tokens are reasoning"
    if hidden:
        yield (
            f"{share} that the server does not show: TTFT includes it, and TPOT and ITL are those of the other tokens"
        )
    else:
        yield f"{share}: TTFT is the time to the first of them, not to the answer itself"
