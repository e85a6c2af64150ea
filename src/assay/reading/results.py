"""Result files that are one JSON document: of vLLM, SGLang, genai-perf, aiperf, llmperf, llama-bench, qstat and others.

    {"backend": "vllm", "completed": 100, "mean_ttft_ms": 270.8, …}           one run
    {"results": {"cpu_offload": {…}, "lmcache": {…}}}                         a run to a configuration
    [{"model_type": "llama 7B Q4_0", "n_prompt": 512, "avg_ts": 2368.8}, …]   a run to a row

What is no such file is read as lines, like any other.
"""

from __future__ import annotations

import json

from assay.lines import Line
from assay.model.event import Event, How, encode
from assay.readers.accounting.jobs import accounts_of
from assay.readers.serving import Serving
from assay.readers.serving.bench import Told
from assay.readers.serving.objects import results
from assay.reading.found import Found

_MOST_BYTES = 8 << 20


def runs_of(content: bytes) -> list[Found]:
    """Every run of a JSON document; nothing where it is none, or holds none."""
    head = content[:64].lstrip()
    if head[:1] not in (b"{", b"[") or len(content) > _MOST_BYTES:
        return []
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return []
    return runs_in(value, 1, content.count(b"\n") + 1)


def runs_in(value: object, first: int, last: int) -> list[Found]:
    """Every run of a JSON value that stands on these lines."""
    found = [_served(told, name, first, last) for told, name in results(value)]
    return found or [_account(events, first, last) for events in accounts_of(value)]


def _served(told: Told, name: str, first: int, last: int) -> Found:
    reader = Serving()
    events = reader.tell(Line(first, ""), *told)
    assert isinstance(events, list)
    engine, model = told[2].get("engine", ""), told[2].get("model", "").rpartition("/")[2]
    called = "-".join(part for part in (engine, model, name) if part)
    return Found(
        system=reader.system, first_line=first, last_line=last, events=[*events, *reader.finish()], name=called or None,
        text=json.dumps([name, *told], sort_keys=True).encode(),
    )  # fmt: skip


def _account(events: list[Event], first: int, last: int) -> Found:
    job = next((str(event.job) for event in events if isinstance(event, How) and event.job is not None), "")
    return Found(
        system="generic", first_line=first, last_line=last, events=events, name=f"job-{job}" if job else None,
        text=b"".join(map(encode, events)),
    )  # fmt: skip
