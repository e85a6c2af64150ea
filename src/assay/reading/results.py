"""Result files that are one JSON document: of vLLM, SGLang, genai-perf, aiperf, llmperf, llama-bench, qstat and others.

    {"backend": "vllm", "completed": 100, "mean_ttft_ms": 270.8, …}           one run
    {"results": {"cpu_offload": {…}, "lmcache": {…}}}                         a run to a configuration
    [{"model_type": "llama 7B Q4_0", "n_prompt": 512, "avg_ts": 2368.8}, …]   a run to a row

What is no such file is read as lines, like any other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from assay.lines import Line
from assay.model.event import Event, How, encode
from assay.reading.formats import Said
from assay.reading.found import Found
from assay.reading.jobs import accounts_of
from assay.reading.reports import Report, results
from assay.reading.script import Script
from assay.reading.values import is_setting, setting_name

_MOST_BYTES = 8 << 20
#: what makes of a list of objects the course of a training
_PLACES, _FEWEST = {"step", "epoch", "global_step", "iteration", "iter"}, 3


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
    found = [_served(said, name, first, last) for said, name in results(value)]
    found = found or [_account(events, first, last) for events in accounts_of(value)]
    return found or [_series(value, each, first, last) for each in _series_in(value)]


def _series_in(value: object) -> list[list[Mapping[str, object]]]:
    """The list of a training's moments that a document holds, as `trainer_state.json` has under `log_history`."""
    members = [value] if isinstance(value, list) else list(value.values()) if isinstance(value, Mapping) else []
    lists = [[one for one in each if isinstance(one, Mapping)] for each in members if isinstance(each, list)]
    return [each for each in lists if len(each) >= _FEWEST and all(_PLACES & one.keys() for one in each)][:1]


def _series(value: object, each: Sequence[Mapping[str, object]], first: int, last: int) -> Found:
    """One training of which each object is a moment."""
    script, events = Script(), list[Event]()
    around = {k: v for k, v in value.items() if isinstance(v, (int, float, str))} if isinstance(value, Mapping) else {}
    settings = {setting_name(name): one for name, one in around.items() if is_setting(name)}
    events += [script.fact("param", first, None, settings)] if settings else []
    for one in each:
        answer = script.read(Line(first, json.dumps(one)))
        events += answer if isinstance(answer, list) else []
    events += script.finish()
    return Found(system="generic", first_line=first, last_line=last, events=events, text=json.dumps(each).encode())


def _served(said: Said, name: str, first: int, last: int) -> Found:
    reader = Report()
    events = reader.tell(Line(first, ""), said)
    assert isinstance(events, list)
    engine, model = said.words.get("engine", ""), said.words.get("model", "").rpartition("/")[2]
    called = "-".join(part for part in (engine, model, name) if part)
    return Found(
        system=reader.system, first_line=first, last_line=last, events=[*events, *reader.finish()], name=called or None,
        text=json.dumps([name, said.figures, said.settings, said.words], sort_keys=True).encode(),
    )  # fmt: skip


def _account(events: list[Event], first: int, last: int) -> Found:
    job = next((str(event.job) for event in events if isinstance(event, How) and event.job is not None), "")
    return Found(
        system="generic", first_line=first, last_line=last, events=events, name=f"job-{job}" if job else None,
        text=b"".join(map(encode, events)),
    )  # fmt: skip
