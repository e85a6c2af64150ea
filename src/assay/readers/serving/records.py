"""Tables with a run to a row and a figure to a column: CSV of any benchmark, and tables in a page.

    date,backend,hardware,model_name,num_prompts,request_rate,duration,completed,total_input_tokens,mean_ttft_ms,…
    Hardware,Num of Hardware,Framework,Model,Input Output Length,Batch Size,Latency,Throughput
    Config Name,Concurrency,ISL,p99 Time To First Token (ms),Request Throughput (requests/sec),…
    | Model | Concurrency | Mean TTFT (ms) | Output tok/s |

The trap: any table may hold a latency. A head counts that names at least two figures of serving, or one and a setting
of it; and a second table about the same rows (the GPU's) adds no run.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.serving.bench import Bench, Format, read_cell, read_number
from assay.readers.serving.cells import barred, is_rule, separated
from assay.readers.serving.genai import is_drawn, statistic_head
from assay.readers.serving.hardware import device_in
from assay.readers.serving.keyed import engine_of
from assay.readers.serving.labels import FIGURE, SETTING, meaning, plain
from assay.reading.reader import NEW, Answer, figure

_FEWEST = 2
_LONGEST_NAME = 8  # words
#: settings that only serving has
_OWN = {"concurrency", "request_rate", "num_prompts", "input_len", "output_len", "io_len"}
_OWN_FIGURES = re.compile(r"ttft_|tpot_|itl_|e2e_|requests|_tokens")
#: of a configuration that genai-perf names itself: `gpt2_run_config_2`
_CONFIG = re.compile(r"(?P<model>.+?)_run_config_\d+$")
_RATE = re.compile(r"@(\d{1,9}(?:\.\d{1,9})?) ?req/s$")
_TOKENS_S = re.compile(r"^(?:throughput )?(?:tok|tokens?|t) (?:per )?(?:s|sec|second)$|^throughput (?:tok|tokens?) s")


class Records(Format):
    """The rows of a table that gives every run a line."""

    anchors = (
        "ttft", "tpot", "throughput", "latency", "tokens/s", "tok/s", "token/s", "t/s", "req/s", "first token", "qps",
        "rps", "avg_ts", "itl",
    )  # fmt: skip

    def __init__(self) -> None:
        self._names: list[str] = []
        self._drawn = False

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        if text[:1] in ("{", "["):
            return None  # an object, however many commas it holds
        drawn = is_drawn(text)
        cells = barred(text) if drawn else separated(text)
        if cells and is_head(cells):
            self._names, self._drawn, bench.in_table = cells, drawn, True
            return []
        if not self._names:
            return None
        if text and is_rule(text):
            return []
        if cells is None or len(cells) != len(self._names) or drawn != self._drawn:
            self._names, bench.in_table = [], False
            return None
        return self._row(bench, line, cells)

    def _row(self, bench: Bench, line: Line, cells: list[str]) -> Answer:
        figures, settings, words = read_row(self._names, cells)
        if not figures:
            return []
        if bench.figures:
            return NEW
        return bench.tell(line, figures, settings, words)


def own_figure(name: str) -> bool:
    """Whether only serving has such a figure."""
    return _OWN_FIGURES.search(name) is not None


def is_head(cells: list[str]) -> bool:
    """A line whose cells name figures of serving, and hold no figure."""
    if len(cells) < _FEWEST or any(len(cell.split()) > _LONGEST_NAME or _is_told(cell) for cell in cells):
        return False  # a sentence with a comma in it, or `3.1 requests/s, 805 output tokens/s`
    if any(figure(cell) is not None for cell in cells if cell) or statistic_head(cells):
        return False
    known = [found for cell in cells if (found := meaning(cell)) is not None]
    figures = {one.name for one in known if one.kind == FIGURE}
    own = any(map(own_figure, figures)) or any(one.name in _OWN for one in known if one.kind == SETTING)
    loose = any(_TOKENS_S.search(plain(cell)) or plain(cell) == "throughput" for cell in cells)
    return own and len(figures) + loose >= 1 and len(known) + loose >= _FEWEST


def _is_told(cell: str) -> bool:
    """A figure with its unit, and no name of a column."""
    words = cell.split()
    return len(words) > 1 and figure(words[0]) is not None


def read_row(names: list[str], cells: list[str]) -> tuple[dict[str, float], dict[str, object], dict[str, str]]:
    """What the cells of a row say under the names of their columns."""
    figures: dict[str, float] = {}
    settings: dict[str, object] = {}
    words: dict[str, str] = {}
    seconds = any(plain(name) == "input output length" for name in names)  # llm-inference-bench
    for name, cell in zip(names, cells, strict=False):
        if plain(name) == "benchmark" and (rate := _RATE.search(cell)):  # of Hugging Face's inference-benchmarker
            settings["request_rate"] = float(rate[1])
        told = read_cell(name, cell, default_ms=1e3 if seconds else 1.0)
        if told is None:
            figures.update(_loose(name, cell, figures, seconds))
            continue
        figures, settings, words = {**told[0], **figures}, {**told[1], **settings}, {**told[2], **words}
    return figures, settings, _named(words, names, cells)


def _named(words: dict[str, str], names: list[str], cells: list[str]) -> dict[str, str]:
    """A backend that is a protocol is no engine; a configuration may be named after its model."""
    engine = words.pop("engine", None)
    if engine:
        known = engine_of(engine)
        backend = any(plain(name) == "backend" for name in names)
        words.update({"engine": known or engine} if known or not backend else {})
    for name, cell in zip(names, cells, strict=False):
        found = _CONFIG.match(cell) if plain(name) == "config name" else None
        if found and "model" not in words:
            words["model"] = found["model"]
        if plain(name) == "num of hardware" and "device" in words and cell.isdigit() and int(cell) > 1:
            words["device"] = f"{cell} x {words['device']}"
    if "device" in words and device_in(words["device"]) is None and not words["device"][:1].isalnum():
        words.pop("device")
    return words


def _loose(name: str, cell: str, figures: dict[str, float], total: bool) -> dict[str, float]:
    """`Throughput` of llm-inference-bench counts prompt and output; `tok/s` alone counts generated tokens."""
    text, value = plain(name), read_number(cell)
    if value is None:
        return {}
    if text == "throughput" and total:
        return {"total_tokens_per_s": value}
    if text == "throughput" and _TOKENS_S.search(plain(cell.lstrip("0123456789., "))):
        return {"output_tokens_per_s": value}
    if _TOKENS_S.search(text) and "output_tokens_per_s" not in figures:
        return {"output_tokens_per_s": value}
    if text in ("accuracy", "accuracy rate"):
        return {"accuracy": value / 100 if value > 1 else value}
    return {}
