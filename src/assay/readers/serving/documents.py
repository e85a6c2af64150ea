"""Whole result files, by the names of the tool that wrote them: aiperf here, guidellm in guidellm.py.

    {"aiperf_version": "0.13.0", "time_to_first_token": {"unit": "ms", "avg": 213.1, "p50": …}, "input_config": {…}, …}

The traps: aiperf has four more throughputs (of moments in which any request is answered) beside the one of the run, and
its "inter token latency" is the mean gap of a request, which is TPOT here.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.model.values import number
from assay.readers.serving.bench import Told
from assay.readers.serving.guidellm import of_guidellm
from assay.readers.serving.stated import figures as known
from assay.readers.serving.stated import inner, latencies, length, load, mappings

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


def of_document(value: Mapping[str, object]) -> list[Told]:
    """One run for each benchmark of the file; none if it belongs to another tool."""
    if "aiperf_version" in value and "input_config" in value:
        return [_aiperf(value)]
    benchmarks = mappings(value.get("benchmarks"))
    if any("successful" in inner(inner(one, "metrics"), "time_to_first_token_ms") for one in benchmarks):
        return [of_guidellm(one, value) for one in benchmarks]
    return []


def _aiperf(value: Mapping[str, object]) -> Told:
    singles = {ours: found for theirs, ours in _AIPERF.items() if (found := number(inner(value, theirs).get("avg")))}
    figures = dict(known(singles))
    for theirs, ours in _AIPERF_LATENCIES.items():
        figures.update(latencies(ours, inner(value, theirs), 1.0))
    if "itl_mean_ms" not in figures:  # older versions have no gaps
        figures.update(latencies("itl", inner(value, "inter_token_latency"), 1.0))
    given = inner(value, "input_config")
    settings: dict[str, object] = {"client": "aiperf"}  # two clients on one server are not repeats
    for stage in mappings(given.get("phases")):
        if stage.get("kind") == "profiling":
            settings.update(load(stage.get("concurrency"), stage.get("rate", stage.get("request_rate"))))
    for one in mappings(given.get("datasets"))[:1]:
        prompts = inner(one, "prompts")
        settings.update(length("input_len", inner(prompts, "isl").get("mean")))
        settings.update(length("output_len", inner(prompts, "osl").get("mean")))
    models = [str(one["name"]) for one in mappings(inner(given, "models").get("items")) if one.get("name")]
    return figures, settings, {"model": models[0]} if len(models) == 1 else {}
