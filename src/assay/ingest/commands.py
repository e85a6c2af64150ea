"""What the command above a result asked for: the benchmark's flags, which a page shows in a separate block.

    vllm bench serve \\
      --model moonshotai/Kimi-K2-Instruct \\
      --random-input-len 1000 --random-output-len 512 --num-prompts 8

These are claims: the block of results may belong to another command. If it counts more requests than the command asks
for, it does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from assay.ingest.document import Document
from assay.ingest.page import Page
from assay.ingest.parts import BLANK, FENCE, HEADING, PROSE, Part
from assay.model.event import Event, How, Param
from assay.reading.found import Found
from assay.reading.reader import figure
from assay.reading.reports import device_in, devices_in, system_of

_TOOLS = re.compile(
    r"\bvllm bench \w+|\bbenchmark_(?:serving|throughput|latency)\w*(?:\.py)?\b|\bsglang\.bench_\w+|\bbench_serving\b|"
    r"\bgenai-perf\b|\baiperf profile\b|\btrtllm-bench\b|\bllama-bench\b|\bllama-batched-bench\b|"
    r"\btoken_benchmark_ray\b|"
    r"\bllmperf\b|\bguidellm\b|\binference-?benchmarker\b|\bllm-benchmark\b|\bollama run\b|"
    r"\bgptManagerBenchmark\b|\bgptSessionBenchmark\b|\bllama-cli\b|\bllama-server\b|\bperf_analyzer\b|"
    r"\bmlx_lm[.\w]*"
)
#: `python -m sglang.bench_serving`: what `-m` means to the interpreter
_MODULE = re.compile(r"\bpython[\d.]* (?:-\w )*-m \S+")
_RUN = re.compile(r"\bollama run (?:--\S+ )*(?P<model>[\w.:/-]+)")
_FLAG = re.compile(r"(?<!\S)(?P<flag>--?[A-Za-z][\w.-]*)(?:[ =]+(?P<value>'[^']*'|\"[^\"]*\"|[^\s'\"-][^\s\\]*))?")
_FLAGS = {
    "--model": "model", "-m": "model", "--model-name": "model", "--request-rate": "request_rate",
    "--max-concurrency": "concurrency", "--concurrency": "concurrency", "--num-concurrent-requests": "concurrency",
    "--num-prompts": "num_prompts", "--num-prompt": "num_prompts", "--num-requests": "num_prompts",
    "--num_requests": "num_prompts", "--request-count": "num_prompts", "--random-input-len": "input_len",
    "--random-input": "input_len", "--input-len": "input_len", "--isl": "input_len", "--mean-input-tokens": "input_len",
    "--synthetic-input-tokens-mean": "input_len", "--random-output-len": "output_len", "--random-output": "output_len",
    "--output-len": "output_len", "--osl": "output_len", "--output-tokens-mean": "output_len",
    "--mean-output-tokens": "output_len", "--batch-size": "batch_size", "--max-num-completed-requests": "num_prompts",
    "--max_num_completed_requests": "num_prompts", "--num_concurrent_requests": "concurrency",
    "--model-path": "model", "--prompt-tokens-mean": "input_len", "-ngl": "ngl", "--n-gpu-layers": "ngl",
    "--sharegpt-output-len": "output_len", "--batch": "batch_size", "--request_rate": "request_rate",
    "--concurrent-requests": "concurrency", "--max-num-prompts": "num_prompts",
    "--rate": "request_rate", "--hf-model": "model",
}  # fmt: skip
_ENGINES = (
    ("vllm", re.compile(r"\bvllm\b")),
    ("sglang", re.compile(r"\bsglang\b")),
    ("llama.cpp", re.compile(r"llama-(?:b|cli|server)")),
    ("TensorRT-LLM", re.compile(r"\btrtllm\b|\bgpt(?:Manager|Session)Benchmark\b")),
    ("ollama", re.compile(r"\bollama\b")),
    ("mlx", re.compile(r"\bmlx_lm\b")),
)
_WHOLE = {"concurrency", "num_prompts", "input_len", "output_len", "batch_size", "ngl"}
_NAMED = ("model", "engine", "device")
_LONGEST_LINES = 40


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A command of a benchmark, and where it stands."""

    line: int
    text: str
    tool: str

    def flags(self) -> dict[str, str]:
        found: dict[str, str] = {}
        ran = _RUN.search(self.text)
        if ran:
            found["model"] = ran["model"]
        for one in _FLAG.finditer(_MODULE.sub("", self.text)):
            name = _FLAGS.get(one["flag"])
            if name and one["value"] and one["value"].strip("'\"")[:1] not in ("$", "<", "{"):
                found.setdefault(name, one["value"].strip("'\""))
        return found


def with_commands(found: list[Found], page: Page) -> list[Found]:
    """Give the runs of a serving benchmark the words and settings of the command above them."""
    if not any(_is_served(run) for run in found):
        return found
    asked = commands_of(page.document)
    return [_with(run, asked, page) if _is_served(run) else run for run in found]


def _is_served(run: Found) -> bool:
    return any(event.source == "reader:serving" for event in run.events)


def commands_of(document: Document) -> list[Asked]:
    """Every command of a benchmark, with the lines that go on behind a backslash."""
    commands: list[Asked] = []
    parts = document.parts
    for at, part in enumerate(parts):
        tool = _TOOLS.search(part.line.text) if part.kind not in (HEADING, BLANK, FENCE) else None
        if tool is None or (part.kind == PROSE and "--" not in part.line.text and not _goes_on(part)):
            continue
        text = [part.line.text]
        for more in parts[at + 1 : at + _LONGEST_LINES]:
            if not text[-1].rstrip().endswith("\\"):
                break
            text.append(more.line.text)
        commands.append(Asked(line=part.number, text=" ".join(one.rstrip().rstrip("\\") for one in text), tool=tool[0]))
    return commands


def _goes_on(part: Part) -> bool:
    return part.line.text.rstrip().endswith("\\")


def _with(run: Found, asked: list[Asked], page: Page) -> Found:
    above = [one for one in asked if one.line < run.last_line]
    events: list[Event] = []
    said = [event for event in run.events if isinstance(event, How)]
    known = {name for event in said for name in _NAMED if event.value(name) is not None}
    likely = any(event.line == 0 and event.engine is not None for event in said)  # only by the tool that measured it
    if above:
        run = _claimed(run, above[-1])
        flags = above[-1].flags()
        engine = next((name for name, pattern in _ENGINES if pattern.search(above[-1].text)), None)
        if engine and ("engine" not in known or likely):
            events.append(_how(run, engine=engine))
        if "model" not in known and "model" in flags:
            events.append(_how(run, model=flags["model"]))
    device = None if "device" in known else _device(run, page)
    if device:
        events.append(_how(run, device=device))
    system = system_of(device) if device and run.system == "generic" else run.system
    return replace(run, system=system, events=[*run.events, *events])


def _how(run: Found, **words: str) -> How:
    return How(source="reader:ingest", line=run.first_line, **words)  # type: ignore[arg-type]


def _claimed(run: Found, command: Asked) -> Found:
    """The settings of a command, if the figures belong to the same run."""
    claims: dict[str, float] = {}
    for name, text in command.flags().items():
        value = figure(text)
        if name != "model" and value is not None and abs(value) < 1e12:
            claims[name] = int(value) if name in _WHOLE and value.is_integer() else value
    done = run.facts("requests").get("requests")
    if done is not None and done > claims.get("num_prompts", done):
        return run
    params = {name: value for event in run.events if isinstance(event, Param) for name, value in event.facts()}
    claims = {k: v for k, v in claims.items() if params.get(k, v) == v and k not in run.claims}
    return run.with_claims(claims, dict.fromkeys(claims, command.line))


def _device(run: Found, page: Page) -> str | None:
    """The accelerator that a heading above names, the nearest one first; else the only one that the page names."""
    for part in reversed(page.parts_between(0, run.first_line)):
        device = device_in(part.said) if part.kind == HEADING else None
        if device:
            return device
    named = set().union(
        *(devices_in(part.said) for part in page.document.parts if part.kind in (PROSE, HEADING) and part.said)
    )
    return named.pop() if len(named) == 1 else None
