"""llama.cpp: the table of `llama-bench`, a run to a row, and the timings that every program of it prints at its end.

      Device 0: NVIDIA GeForce RTX 5090, compute capability 12.0, VMM: yes
    | model                  |       size |   params | backend | ngl |   test |            t/s |
    | gpt-oss 120B MXFP4 MoE |  59.02 GiB | 116.83 B | CUDA    |  99 |  pp512 |  238.48 ± 1.43 |
    llama_perf_context_print: prompt eval time =  149.65 ms / 23 tokens ( 6.51 ms per token, 153.69 tokens per second)
    llama_perf_context_print:        eval time = 1210.11 ms / 99 runs   (12.22 ms per token, 81.81 tokens per second)

The trap: `pp512` is 512 tokens of prompt, `tg128` 128 that are generated, `pp512+tg128` both, and `@ d4096` says how
much stood before; older builds have other columns, in another order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from assay.lines import Line
from assay.model.values import number
from assay.readers.serving.bench import Bench, Format, Told, read_number
from assay.readers.serving.cells import barred, is_rule, separated
from assay.reading.reader import NEW, Answer, figure

_DEVICE = re.compile(
    r"\s*(?:Device \d+: |ggml_vulkan: \d+ = |ggml_metal_(?:device_)?init: (?:GPU name:|found device:)\s+)"
    r"(?P<name>[^,(|]{3,80})"
)
_TEST = re.compile(r"(?:pp\s?(?P<pp>\d+))?(?:\s?\+\s?)?(?:tg\s?(?P<tg>\d+))?(?:\s*@\s*d(?P<depth>\d+))?")
_TIMING = re.compile(
    r"(?P<what>prompt eval|eval|total|load) time\s*=\s*(?P<ms>[\d.]+) ms(?:\s*/\s*(?P<tokens>\d+) (?P<unit>tokens|"
    r"runs))?"
    r"(?:.{0,60}?(?P<rate>[\d.]+) tokens per second)?"
)
_MODEL = re.compile(
    r"(?:llama_model_loader|llama_load_model_from_file|"
    r"print_info): .{0,60}?general\.name\s+(?:str\s+)?=\s*(?P<name>.+)$"
)
_THREADS = re.compile(r"system_info: n_threads = (?P<value>\d+)\b")
_MARKS = ("llama_print_timings", "llama_perf_context_print", "llama_perf_", "print_timing", "common_perf_print")
_WHOLE = {"ngl": "ngl", "n_gpu_layers": "ngl", "threads": "threads", "n_threads": "threads", "n_batch": "batch_size"}


class LlamaCpp(Format):
    """llama-bench and the timings."""

    anchors = (
        "t/s", "avg_ts", "device 0", "device 1", "ggml_vulkan:", "ggml_metal", "eval time", "total time", "load time",
        "general.name", "system_info", "llama_print_timings", "llama_perf",
    )  # fmt: skip

    def __init__(self) -> None:
        self._names: list[str] = []
        self._device = ""

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        found = _DEVICE.match(line.text)
        if found and not text.startswith("|"):
            return self._on(bench, line, found["name"].strip())
        found = _MODEL.match(text)
        if found and not bench.figures:
            return bench.tell(line, words={"model": found["name"].strip(), "engine": "llama.cpp"})
        found = _THREADS.match(text)
        if found and not bench.figures:
            return bench.tell(line, settings={"threads": int(found["value"])})
        found = _TIMING.search(text)
        if found and (_is_own(found, line.text) or bench.words.get("engine") == "llama.cpp"):
            return self._timing(bench, line, found)
        return self._table(bench, line, text)

    def _on(self, bench: Bench, line: Line, device: str) -> Answer:
        if self._device and self._device != device and not bench.figures:
            return []  # the second of several
        self._device = device
        return bench.tell(line, words={"device": device})

    def _table(self, bench: Bench, line: Line, text: str) -> Answer:
        cells = barred(text) if "|" in text else separated(text)
        lower = [cell.lower() for cell in cells or []]
        if cells and {"pp", "tg", "s_tg t/s"} <= set(lower):
            self._names, bench.in_table = lower, True
            return []
        if cells and ({"test", "t/s"} <= set(lower) or {"n_prompt", "n_gen", "avg_ts"} <= set(lower)):
            self._names, bench.in_table = lower, True
            return []
        if not self._names:
            return None
        if is_rule(text) and text:
            return []
        if cells is None or len(cells) != len(self._names):
            self._names, bench.in_table = [], False
            return None
        return tell_row(bench, line, dict(zip(self._names, cells, strict=True)))

    def _timing(self, bench: Bench, line: Line, found: re.Match[str]) -> Answer:
        what, tokens, rate = found["what"], found["tokens"], figure(found["rate"] or "")
        if what == "load":
            return NEW if bench.figures else []
        figures: dict[str, float] = {}
        if what == "total":
            figures["wall_s"] = float(found["ms"]) / 1e3
        elif what == "prompt eval":
            figures.update({"input_tokens": int(tokens)} if tokens else {})
            figures.update({"prompt_tokens_per_s": rate} if rate else {})
        else:
            figures.update({"output_tokens": int(tokens)} if tokens else {})
            figures.update({"output_tokens_per_s": rate} if rate else {})
        return bench.tell(line, figures, None, {"engine": "llama.cpp"})


def _is_own(found: re.Match[str], text: str) -> bool:
    """Whether nobody else prints such a line: the server leaves its name out, but for the line before."""
    return any(mark in text for mark in _MARKS) or (found["what"] == "prompt eval" and found["rate"] is not None)


def read_timings(value: Mapping[str, object]) -> Told | None:
    """`"timings"` in an answer of its server; None where the object is none."""
    names = {"prompt_n": "input_tokens", "prompt_per_second": "prompt_tokens_per_s", "predicted_n": "output_tokens",
             "predicted_per_second": "output_tokens_per_s"}  # fmt: skip
    figures = {ours: one for name, ours in names.items() if (one := number(value.get(name))) is not None}
    return (figures, {}, {"engine": "llama.cpp"}) if "output_tokens_per_s" in figures else None


def tell_row(bench: Bench, line: Line, row: dict[str, str]) -> Answer:
    """One row of llama-bench, whether it is drawn, CSV or an object."""
    told = read_row(row)
    if told is None:
        return []
    if bench.figures:
        return NEW
    return bench.tell(line, *told)


def read_row(row: dict[str, str]) -> tuple[dict[str, float], dict[str, object], dict[str, str]] | None:
    if "s_tg t/s" in row:
        return _batched(row)
    prompt, generated = _lengths(row)
    rate = read_number(row.get("t/s", row.get("avg_ts", "")))
    if rate is None or not (prompt or generated):
        return None
    settings: dict[str, object] = {}
    settings.update({"input_len": prompt} if prompt else {})
    settings.update({"output_len": generated} if generated else {})
    for name, ours in _WHOLE.items():
        value = read_number(row.get(name, ""))
        if value is not None and value.is_integer():
            settings[ours] = int(value)
    name = "total_tokens_per_s" if prompt and generated else "prompt_tokens_per_s" if prompt else "output_tokens_per_s"
    model = row.get("model") or row.get("model_type") or row.get("model_filename", "")
    words = {"model": model.strip(), "engine": "llama.cpp"} if model.strip() else {"engine": "llama.cpp"}
    words.update({"device": row["gpu_info"].strip()} if row.get("gpu_info", "").strip() else {})
    return {name: rate}, settings, words


def _batched(row: dict[str, str]) -> tuple[dict[str, float], dict[str, object], dict[str, str]] | None:
    """A row of `llama-batched-bench`: B sequences at once."""
    names = {"s_pp t/s": "prompt_tokens_per_s", "s_tg t/s": "output_tokens_per_s", "s t/s": "total_tokens_per_s"}
    figures = {ours: value for name, ours in names.items() if (value := read_number(row.get(name, ""))) is not None}
    asked = {"pp": "input_len", "tg": "output_len", "b": "batch_size"}
    settings: dict[str, object] = {
        ours: int(value) for name, ours in asked.items() if (value := read_number(row.get(name, ""))) is not None
    }
    return (figures, settings, {"engine": "llama.cpp"}) if figures else None


def _lengths(row: dict[str, str]) -> tuple[int, int]:
    if "test" in row:
        found = _TEST.fullmatch(row["test"].strip())
        return (int(found["pp"] or 0), int(found["tg"] or 0)) if found else (0, 0)
    return int(read_number(row.get("n_prompt", "")) or 0), int(read_number(row.get("n_gen", "")) or 0)
