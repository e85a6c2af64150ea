"""Whole result files of aiperf and guidellm, by their own names.

    {"aiperf_version": "0.13.0", "time_to_first_token": {"unit": "ms", "avg": 213.1, "p50": …}, "input_config": {…}, …}
    {"metadata": {"guidellm_version": "0.8.1", …}, "benchmarks": [{"metrics": {"time_to_first_token_ms": {"successful":
    {"mean": 231.6, "median": 213.3, "percentiles": {"p90": …}}}, …}, …}, "requests": {…}}]}

The traps: aiperf has four more throughputs (of moments in which any request is answered) beside the one of the run, and
its "inter token latency" is the mean gap of a request, which is TPOT here. guidellm's "time per output token" counts
the first token, so it is no TPOT here; its request latency is in seconds, and its file also holds every request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.model.values import number
from assay.readers.serving.bench import Told

#: ours by theirs, of all requests together
_AIPERF = {
    "request_throughput": "requests_per_s",
    "request_count": "requests",
    "error_request_count": "requests_failed",
    "output_token_throughput": "output_tokens_per_s",
    "input_token_throughput": "prompt_tokens_per_s",
    "total_token_throughput": "total_tokens_per_s",
    "total_osl": "output_tokens",
    "total_isl": "input_tokens",
    "benchmark_duration": "wall_s",
}
_AIPERF_LATENCIES = {
    "time_to_first_token": "ttft",
    "inter_token_latency": "tpot",
    "inter_chunk_latency": "itl",
    "request_latency": "e2e",
}
_GUIDELLM = {
    "requests_per_second": "requests_per_s",
    "output_tokens_per_second": "output_tokens_per_s",
    "prompt_tokens_per_second": "prompt_tokens_per_s",
    "tokens_per_second": "total_tokens_per_s",
}
#: and what makes milliseconds of it
_GUIDELLM_LATENCIES = {
    "time_to_first_token_ms": ("ttft", 1.0),
    "inter_token_latency_ms": ("tpot", 1.0),
    "request_latency": ("e2e", 1e3),
}
_WHOLE = ("requests", "requests_failed", "input_tokens", "output_tokens")
_STATISTICS = {"mean": ("avg", "mean"), "p50": ("p50", "median"), "p90": ("p90",), "p99": ("p99",)}


def of_document(value: Mapping[str, object]) -> list[Told]:
    """One run for each benchmark of the file; none if it belongs to another tool."""
    if "aiperf_version" in value and "input_config" in value:
        return [_aiperf(value)]
    benchmarks = value.get("benchmarks")
    if "guidellm_version" in _inner(value, "metadata") and isinstance(benchmarks, list):
        return [_guidellm(one, value) for one in benchmarks if isinstance(one, Mapping)]
    return []


def _aiperf(value: Mapping[str, object]) -> Told:
    singles = {ours: found for theirs, ours in _AIPERF.items() if (found := number(_inner(value, theirs).get("avg")))}
    figures = dict(_figures(singles))
    for theirs, ours in _AIPERF_LATENCIES.items():
        figures.update(_latencies(ours, _inner(value, theirs), 1.0))
    given = _inner(value, "input_config")
    settings: dict[str, object] = {"client": "aiperf"}  # two clients on one server are not repeats
    for stage in _mappings(given.get("phases")):
        if stage.get("kind") == "profiling":
            settings.update(_load(stage.get("concurrency"), stage.get("rate", stage.get("request_rate"))))
    for one in _mappings(given.get("datasets"))[:1]:
        prompts = _inner(one, "prompts")
        settings.update(_length("input_len", _inner(prompts, "isl").get("mean")))
        settings.update(_length("output_len", _inner(prompts, "osl").get("mean")))
    models = [str(one["name"]) for one in _mappings(_inner(given, "models").get("items")) if one.get("name")]
    return figures, settings, {"model": models[0]} if len(models) == 1 else {}


def _guidellm(benchmark: Mapping[str, object], whole: Mapping[str, object]) -> Told:
    metrics, totals = _inner(benchmark, "metrics"), _inner(_inner(benchmark, "metrics"), "request_totals")
    singles = {ours: number(_good(metrics, theirs).get("mean")) for theirs, ours in _GUIDELLM.items()}
    singles |= {
        "requests": number(totals.get("successful")),
        "requests_failed": number(totals.get("errored")),
        "input_tokens": number(_good(metrics, "prompt_token_count").get("total_sum")),
        "output_tokens": number(_good(metrics, "output_token_count").get("total_sum")),
        "wall_s": number(benchmark.get("duration")),
    }
    figures = dict(_figures(singles))
    for theirs, (ours, factor) in _GUIDELLM_LATENCIES.items():
        figures.update(_latencies(ours, _good(metrics, theirs), factor))
    strategy = _inner(_inner(benchmark, "config"), "strategy")
    spec = _inner(_inner(whole, "config"), "spec")
    settings = {"client": "guidellm", **_load(strategy.get("streams"), strategy.get("rate"))}
    for one in (spec.get("data"), *_mappings(spec.get("data"))):
        if isinstance(one, Mapping):
            settings.update(_length("input_len", one.get("prompt_tokens")))
            settings.update(_length("output_len", one.get("output_tokens")))
    model = _inner(spec, "backend").get("model")
    return figures, settings, {"model": model} if isinstance(model, str) and model else {}


def _good(metrics: Mapping[str, object], name: str) -> Mapping[str, object]:
    """Of the requests that succeeded, with the percentiles beside the rest."""
    found = _inner(_inner(metrics, name), "successful")
    return {**_inner(found, "percentiles"), **found}


def _figures(values: Mapping[str, float | None]) -> Iterator[tuple[str, float]]:
    for name, value in values.items():
        if value is not None:
            yield name, int(value) if name in _WHOLE else round(value, 9)


def _latencies(name: str, values: Mapping[str, object], factor: float) -> dict[str, float]:
    found = {}
    for ours, theirs in _STATISTICS.items():
        value = next((known for key in theirs if (known := number(values.get(key))) is not None), None)
        if value is not None:
            found[f"{name}_{ours}_ms"] = round(value * factor, 9)
    return found


def _load(concurrency: object, rate: object) -> dict[str, object]:
    """A closed loop has its concurrency, an open one its rate."""
    offered, at_once = number(rate), number(concurrency)
    if offered:
        return {"request_rate": offered}
    return {"concurrency": int(at_once)} if at_once else {}


def _length(name: str, value: object) -> dict[str, object]:
    found = number(value)
    return {name: int(found)} if found else {}


def _inner(value: Mapping[str, object], name: str) -> Mapping[str, object]:
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}


def _mappings(value: object) -> list[Mapping[str, object]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
