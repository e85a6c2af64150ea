"""Groq: GroqFlow's proof points, build stages and caches.

    | Source | Accuracy | end-to-end latency (ms) | end-to-end IPS | on-chip latency (ms) | on-chip IPS |
    |  cpu   |  77.47%  |           2.21          |     453.45     |          --          |      --     |
    |  groq  |  77.47%  |           0.05          |    19253.91    |         0.03         |   37576.72  |

The trap: a table is two runs, one on the CPU and one on the chip. The milliseconds are rounded; inferences per second
are the precise figure. On-chip figures are computed at compile time, so they give the sequence length away.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.model.event import Event
from assay.reading.reader import NEW, Answer, Reader, figure, fraction
from assay.systems.groq.course import LENGTHS

_HEADER = re.compile(r"\|\s*Source\s*\|", re.IGNORECASE)
_ROW = re.compile(r"^\W*(?P<device>cpu|groq|gpu)\s*\|(?P<cells>.*)", re.IGNORECASE)
#: `- groq: end-to-end latency 0.06 ms, 16893.40 IPS, on-chip latency 0.03 ms`: a row that was copied as words
_LISTED = re.compile(
    r"^\W*(?P<device>cpu|groq|gpu)\w*\s*[:=-]\s*(?P<figures>[^.\n]{0,40}?(?:end-to-end|on-chip|latency|\d).*)",
    re.IGNORECASE,
)
_PIECE = re.compile(r"(?P<value>\d[\d,]*(?:\.\d+)?)\s*(?P<unit>ms\b|IPS\b|inferences)?", re.IGNORECASE)
_BUILDING = re.compile(r'Building "(?P<name>[^"]+)"')
_CACHED = re.compile(r'Build "(?P<name>[^"]+)".{0,400}found in cache|Woohoo! Build .{0,400} found in cache')
_SHAPES = re.compile(r"Input shape of model .{0,100}? changed from .{0,300}? to (?P<shapes>\{[^{}]*\})")
_SHAPE = re.compile(r"'input_ids':\s*\((?P<batch>\d+),\s*(?P<length>\d+)\)")
_STAGE = re.compile(
    r"(?P<stage>Exporting PyTorch to ONNX|Optimizing ONNX file|Checking for Op support|Converting to FP16|"
    r"Compiling model|Assembling model)"
)
_FINISHED = re.compile(r"Proof point \S+\.py finished!")
_BEGINS = re.compile(r"Running inference (?:on GroqChip|using PyTorch model)|Woohoo! Saved to \S*groqflow")
#: what the compiler prints of a build: reckoned, not measured, and exact for a chip without caches
_COMPILED = re.compile(r'Timer: "Groq Compiler" finished in (?P<seconds>\d+(?:\.\d+)?)\s?s')
_RECKONED = re.compile(
    r"^\s*(?P<name>On-chip compute latency|Throughput ignoring IO): (?P<value>\d+(?:\.\d+)?) "
    r"(?P<unit>milliseconds|microseconds|executions/sec)"
)
_LEFT = re.compile(r"Groq Compiler exited")
_FIELDS = (
    ("spearman", "spearman"),
    ("accuracy", "accuracy"),
    ("end-to-end latency", "latency_ms"),
    ("end-to-end ips", "inferences_per_s"),
    ("on-chip latency", "on_chip_latency_ms"),
    ("on-chip ips", "on_chip_inferences_per_s"),
)


class Groq(Reader):
    """A proof point: building the model, then a table of two devices."""

    name = "groq"
    system = "groq"
    own_device = "groq"
    anchors = ("source", "cpu", "groq", "building \"", "found in cache", "input shape", "proof point", "onnx", "woohoo",
               "running inference", "assembling model", "compiling model", "converting to fp16",
               "op support", "on-chip compute", "throughput ignoring")  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._columns: list[str] = []
        self._rows: list[tuple[str, Line, dict[str, float]]] = []
        self._shape: tuple[int, int] | None = None
        self._shape_line = 0
        self._pending: tuple[str, Line, list[str]] | None = None  # a row that the terminal's width has cut
        self._cached = False
        self._built = False
        self._finished = False
        self._reckoned: dict[str, float] = {}

    def _found_cached(self, line: Line, found: re.Match[str]) -> Answer:
        if self._rows or self._built or self.failed:
            return NEW
        self._cached = self.strong = True
        return [self.fact("result", line, compile_cached=True)]

    def _building(self, line: Line, found: re.Match[str]) -> Answer:
        if self._rows or self.failed or self._cached:
            return NEW
        self._built = self.strong = True
        return [self.fact("how", line, model=found["name"]), self.fact("result", line, compile_cached=False)]

    def _ends(self, line: Line, found: re.Match[str]) -> Answer:
        self._finished = self.ended = self.strong = True
        return []

    def _begins(self, line: Line, found: re.Match[str]) -> Answer:
        return NEW if self._rows else []

    def _stage(self, line: Line, found: re.Match[str]) -> Answer:
        return None if self._rows else []

    def _head(self, line: Line, found: re.Match[str]) -> Answer:
        if self._rows:
            return NEW
        table = line.text[line.text.index("|") :]
        cells = [cell.strip().lower() for cell in table.strip().strip("|").split("|")]
        columns = [next((name for key, name in _FIELDS if key in cell), "") for cell in cells[1:]]
        if not any(name.endswith(("_ms", "_per_s")) for name in columns):
            return None  # some other table
        self._columns, self.strong = columns, True
        return []

    def _row(self, line: Line, row: re.Match[str]) -> Answer:
        if not self._columns:
            return None  # of some other table
        device = row["device"].lower()
        if any(other == device for other, _, _ in self._rows):
            return NEW
        cells = [cell.strip() for cell in row["cells"].strip().rstrip("|").split("|")]
        facts: dict[str, float] = {}
        for name, cell in zip(self._columns, cells, strict=False):
            value = figure(cell.rstrip("%").strip())
            if name and value is not None:
                facts[name] = fraction(value) or 0.0 if cell.endswith("%") else value
        self._rows.append((device, line, facts))
        return []

    def _listed(self, line: Line, found: re.Match[str]) -> Answer:
        facts = _figures_in(found["figures"])
        if len(facts) < 2 or "latency_ms" not in facts or "inferences_per_s" not in facts:
            return None
        device = found["device"].lower()
        if any(other == device for other, _, _ in self._rows):
            return NEW
        self._rows.append((device, line, {}))
        self.strong = True
        return [self.fact("result", line, None, facts, device=device)]

    def _shapes(self, line: Line, found: re.Match[str]) -> Answer:
        if self._rows or self.failed:
            return NEW
        shape = _SHAPE.search(found["shapes"])
        if shape:
            self._shape, self._shape_line = (int(shape["batch"]), int(shape["length"])), line.number
        self.strong = True
        return []

    def _compiler_done(self, line: Line, found: re.Match[str]) -> Answer:
        if self._rows or self._reckoned:
            return NEW
        self._built = self.strong = True
        return [self.fact("phase", line, name="compile", seconds=figure(found["seconds"]))]

    def _statistic(self, line: Line, found: re.Match[str]) -> Answer:
        is_rate = found["unit"] == "executions/sec"
        name = "on_chip_inferences_per_s" if is_rate else "on_chip_latency_ms"
        value = figure(found["value"])
        if is_rate != found["name"].startswith("Throughput") or value is None:
            return None
        if self._rows or name in self._reckoned:
            return NEW
        self._reckoned[name] = value / 1000 if found["unit"] == "microseconds" else value
        self.strong = True
        return [self.fact("result", line, None, {name: self._reckoned[name]}, device=self.own_device)]

    def _compiler_left(self, line: Line, found: re.Match[str]) -> Answer:
        self.ended = self.ended or bool(self._reckoned)
        return []

    def devices(self) -> list[str]:
        return [device for device, _, _ in self._rows]

    def finish(self) -> list[Event]:
        events: list[Event] = []
        for device, line, facts in self._rows:
            events += [self.fact("result", line, None, facts, device=device)] if facts else []
            events += [
                self.fact("param", number, None, settings, device=device)
                for number, settings in self._settings(device, line, facts)
            ]
        done = bool(self._rows or self._reckoned)
        outcome = "completed" if done else "failed" if self.failed else "unfinished"
        if self._finished:
            outcome = "completed"
        events.append(self.fact("end", self._rows[-1][1] if self._rows else 0, status=outcome))
        return events

    def _settings(self, device: str, line: Line, facts: dict[str, float]) -> list[tuple[int, dict[str, object]]]:
        if device != self.own_device:
            return []
        if self._shape is not None:
            return [(self._shape_line, {"batch_size": self._shape[0], "seq_len": self._shape[1]})]
        length = LENGTHS.get(facts.get("on_chip_inferences_per_s", 0.0))
        return [(line.number, {"seq_len": length})] if length else []

    table = (
        (_HEADER, _head),
        (_ROW, _row),
        (_LISTED, _listed),
        (_SHAPES, _shapes),
        (_CACHED, _found_cached),
        (_BUILDING, _building),
        (_FINISHED, _ends),
        (_COMPILED, _compiler_done),
        (_RECKONED, _statistic),
        (_LEFT, _compiler_left),
        (_BEGINS, _begins),
        (_STAGE, _stage),
    )


def _figures_in(text: str) -> dict[str, float]:
    """Of a row in words: each figure by its unit, and by whether the chip alone was named last before it."""
    found: dict[str, float] = {}
    on_chip = False
    for piece in re.split(r"[,;/|](?!\d)|\band\b", text):
        lower = piece.lower()
        on_chip = True if "on-chip" in lower or "on chip" in lower else False if "end" in lower else on_chip
        number = _PIECE.search(piece)
        value = figure(number["value"]) if number else None
        if number is None or value is None:
            continue
        ms = "latency" in lower or (number["unit"] or "").lower() == "ms"
        if not ms and not ("ips" in lower or "inference" in lower):
            continue
        name = "latency_ms" if ms else "inferences_per_s"
        found.setdefault(f"on_chip_{name}" if on_chip else name, value)
    return found
