"""Of servers of language models: `unequal-work`, `cached-prefix`, `client-limited` and `impossible-figure`.

Five requests of 206 tokens against five of 154 say little of two servers; a prompt that was asked before may be
answered from a cache; a client may be slower than what it measures; and a median above its own p99 is no median.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from itertools import pairwise

from assay.auditing.case import Case, Run
from assay.auditing.rules.requests import left_out
from assay.auditing.rules.utilisation import stated
from assay.model.finding import DOUBTFUL, NOTE, Evidence, Finding

#: mean lengths this far apart are other work
_APART = 1.1
_CACHED_SHARE = 0.1
#: between equal runs the first token came so many times sooner, while the others came as before
_COLLAPSE, _ALIKE = 5.0, 1.25
_SLACK = 1.001
#: an MFU above this was not meant as a share
_NO_SHARE = 3.0
_LATENCIES = ("ttft", "tpot", "itl", "e2e")
_PERCENTILES = ("p50", "p90", "p99")
#: what makes the load of two runs equal
_LOAD = ("concurrency", "request_rate", "input_len", "output_len")


def unequal_work(case: Case) -> Iterator[Finding]:
    """Servers compared at one load, whose answers or prompts have other lengths."""
    yield from _shorter(case.runs)
    yield from left_out(case)
    for runs in _at_one_load(case.runs):
        for name, count in (("output", "output_tokens"), ("prompt", "input_tokens")):
            lengths = {run.id: length for run in runs if (length := _mean(run, count)) is not None}
            if len({_server(run) for run in runs if run.id in lengths}) < 2:
                continue
            least, most = min(lengths, key=lambda one: lengths[one]), max(lengths, key=lambda one: lengths[one])
            if lengths[most] <= _APART * lengths[least]:
                continue
            sides = [next(run for run in runs if run.id == one) for one in (most, least)]
            yield Finding(
                code="unequal-work",
                severity=DOUBTFUL,
                message=f"two servers at one load did unequal work: {lengths[most]:,.4g} {name} tokens a request "
                f"({sides[0].name}) against {lengths[least]:,.4g} ({sides[1].name})",
                hint="ask both for answers of one length (min_tokens, ignore_eos), or compare times per token alone",
                source=sides[0].source,
                evidence=tuple(_shown(run, count, "requests") for run in sides),
            )


def cached_prefix(case: Case) -> Iterator[Finding]:
    """Prompt tokens that the server took from its cache, or a first token that comes too soon the second time."""
    for run in case.runs:
        cached, prompt = run.value("tokens_cached"), run.value("input_tokens")
        if cached and prompt and cached > _CACHED_SHARE * prompt:
            message = f"the server took {100 * cached / prompt:.0f} % of the prompt tokens from its cache"
            yield _cached(run, f"{message}, so the time to the first token is not that of new prompts", [run])
    for runs in _alike(case.runs):
        slow, quick = max(runs, key=_ttft), min(runs, key=_ttft)
        if _ttft(slow) > _COLLAPSE * _ttft(quick) > 0 and _same_pace(slow, quick):
            yield _cached(
                quick,
                f"the median time to the first token is {_ttft(slow):,.4g} ms in one run and {_ttft(quick):,.4g} ms in "
                "another of the same settings, while the other tokens came as fast: repeated prompts may have been "
                "answered from a prefix cache",
                [slow, quick],
            )


def client_limited(case: Case) -> Iterator[Finding]:
    """A client that says itself that it may have been the limit."""
    for run in case.runs:
        if run.value("client_limited") != 1:
            continue
        late_ms = max(run.value("client_late_p99_ms") or 0.0, run.value("sent_late_p99_ms") or 0.0)
        cpu = run.value("client_cpu_pct") or 0.0
        yield Finding(
            code="client-limited",
            severity=DOUBTFUL,
            message=f"the client may have been the limit: it used {cpu:.0f} % of a core and was {late_ms:.3g} ms late "
            "(p99), which is part of the latencies",
            hint="run the client on another machine than the server, or with a smaller load",
            source=run.source,
            evidence=(run.measured(f"client_cpu_pct = {cpu:.4g}, late = {late_ms:.4g} ms at p99"),),
            run=run.id,
        )


def impossible_figure(case: Case) -> Iterator[Finding]:
    """Figures of one run that cannot all be true, and an impossible one in a sentence."""
    yield from stated(case)
    for run in case.runs:
        for message, names in _contradictions(run):
            yield Finding(
                code="impossible-figure",
                severity=DOUBTFUL,
                message=message,
                hint="look at how these figures were computed before you quote them",
                source=run.source,
                evidence=tuple(dict.fromkeys(run.showing(name) for name in names)),
                run=run.id,
            )


def _contradictions(run: Run) -> Iterator[tuple[str, tuple[str, ...]]]:
    for latency in _LATENCIES:
        known = [name for key in _PERCENTILES if run.value(name := f"{latency}_{key}_ms") is not None]
        for low, high in pairwise(known):
            if _of(run, low) > _SLACK * _of(run, high):
                yield f"{low} is {_of(run, low):,.5g} and {high} only {_of(run, high):,.5g}", (low, high)
    pairs = (
        ("ttft_p50_ms", "e2e_p50_ms"),
        ("output_tokens_per_s", "total_tokens_per_s"),
        ("output_tokens_per_s", "output_tokens_per_s_peak"),
    )
    for part, whole in pairs:
        if run.value(part) is not None and run.value(whole) is not None and _of(run, part) > _SLACK * _of(run, whole):
            yield f"{part} is {_of(run, part):,.5g}, more than {whole} ({_of(run, whole):,.5g})", (part, whole)
    mfu = run.value("mfu")
    if mfu is not None and 1.0 < mfu <= _NO_SHARE:
        yield f"a model FLOPs utilisation of {100 * mfu:.4g} % is impossible: the peak or the FLOPs are wrong", ("mfu",)


def _shorter(runs: Iterable[Run]) -> Iterator[Finding]:
    for run in runs:
        early, count, asked = run.value("stopped_early"), run.value("requests"), run.settings.get("output_len")
        if early and count:
            yield Finding(
                code="unequal-work",
                severity=NOTE,
                message=f"{early:,.0f} of {count:,.0f} answers are shorter than the {asked} tokens that were asked for",
                hint="compare with other servers only at equal lengths, or by the time per token",
                source=run.source,
                evidence=(_shown(run, "output_tokens", "requests"),),
                run=run.id,
            )


def _at_one_load(runs: Iterable[Run]) -> Iterator[list[Run]]:
    """Runs of one model at one load, where there are several."""
    found: dict[Hashable, list[Run]] = {}
    for run in runs:
        if run.summary.model and run.value("requests") and run.value("output_tokens"):
            load = tuple(str(run.settings.get(name)) for name in _LOAD)
            found.setdefault((run.summary.model, load), []).append(run)
    return (alike for alike in found.values() if len(alike) > 1)


def _alike(runs: Iterable[Run]) -> Iterator[list[Run]]:
    """Repeats of one measurement, if there are several; our client puts different words before every prompt."""
    found: dict[Hashable, list[Run]] = {}
    for run in runs:
        if run.value("ttft_p50_ms") and run.value("tpot_p50_ms") and "asks_for" not in run.params:
            lengths = tuple(round(_mean(run, name) or 0) for name in ("input_tokens", "output_tokens"))
            found.setdefault((run.work, _server(run), lengths), []).append(run)
    return (alike for alike in found.values() if len(alike) > 1 and alike[0].settings)


def _server(run: Run) -> Hashable:
    summary = run.summary
    return (str(run.settings.get("url")), summary.engine, summary.device)


def _mean(run: Run, count: str) -> float | None:
    tokens, requests = run.value(count), run.value("requests")
    return tokens / requests if tokens and requests else None


def _ttft(run: Run) -> float:
    return _of(run, "ttft_p50_ms")


def _same_pace(a: Run, b: Run) -> bool:
    first, second = sorted((_of(a, "tpot_p50_ms"), _of(b, "tpot_p50_ms")))
    return second <= _ALIKE * first


def _of(run: Run, name: str) -> float:
    return run.value(name) or 0.0


def _shown(run: Run, *names: str) -> Evidence:
    return run.place_of(*names) or run.measured(", ".join(f"{name} = {_of(run, name):,.6g}" for name in names))


def _cached(run: Run, message: str, shown: list[Run]) -> Finding:
    return Finding(
        code="cached-prefix",
        severity=DOUBTFUL,
        message=message,
        hint="begin every prompt with different words, or turn the prefix cache off",
        source=run.source,
        evidence=tuple(_shown(one, "ttft_p50_ms") for one in shown),
        run=run.id,
    )
