"""TGI: the tables of `text-generation-benchmark`, where a batch size is a run.

    | Model              | HuggingFaceH4/zephyr-7b-beta     |
    | Sequence Length    | 512                              |
    | Decode Length      | 64                               |

    | Step           | Batch Size | Average    | Lowest     | Highest    | p50        | p90        | p99        |
    | Prefill        | 1          | 61.86 ms   | 61.02 ms   | …
    | Decode (token) | 1          | 28.11 ms   | …

    | Step    | Batch Size | Average              | Lowest               | Highest              |
    | Decode  | 1          | 35.58 tokens/secs    | …
    |         | 4          | 133.56 tokens/secs   | …

The trap: the figures of a batch size stand in three places, so they are held until the last of them.
"""

from __future__ import annotations

from assay.lines import Line
from assay.readers.serving.bench import Bench, Format, read_number
from assay.readers.serving.cells import barred, is_rule
from assay.reading.reader import NEW, Answer, figure

_LENGTHS = {"sequence length": "input_len", "decode length": "output_len"}
_HEAD = ("step", "batch size", "average")
_STEPS = {"prefill": "ttft", "decode (token)": "tpot"}
_COLUMNS = {"average": "mean", "p50": "p50", "p90": "p90", "p99": "p99"}


class Tgi(Format):
    """Steps of the engine behind TGI, without its web server."""

    anchors = ("batch size", " parameter ")

    def __init__(self) -> None:
        self._columns: list[str] = []
        self._step = ""
        self._settings: dict[str, object] = {}
        self._asked = False  # in the table of what was asked
        self._held: dict[str, dict[str, float]] = {}

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        cells = barred(text)
        lower = [cell.lower() for cell in cells or ()]
        if lower == ["parameter", "value"]:
            if bench.figures:
                return NEW
            self._settings, self._held, self._columns = {}, {}, []
            self._asked = bench.in_table = True
            return []
        if tuple(lower[:3]) == _HEAD:
            self._columns, self._asked, bench.in_table = lower, False, True
            return []
        if self._asked:
            return self._about(bench, line, text, cells)
        if not self._columns or is_rule(text):
            return None
        if cells is None or len(cells) != len(self._columns):
            self._columns, bench.in_table = [], False
            return None
        return self._row(bench, line, cells)

    def _about(self, bench: Bench, line: Line, text: str, cells: list[str] | None) -> Answer:
        """What was asked, which other tools print in the same form."""
        if cells is None or len(cells) != 2:
            self._asked = bench.in_table = not text or is_rule(text)
            return None
        name, number = cells[0].lower(), figure(cells[1])
        if name in _LENGTHS and number is not None:
            self._settings[_LENGTHS[name]] = int(number)
        return bench.tell(line, words={"model": cells[1]}) if name == "model" and cells[1] else []

    def _row(self, bench: Bench, line: Line, cells: list[str]) -> Answer:
        self._step = cells[0].lower() or self._step
        size, average = cells[1], read_number(cells[2])
        if average is None or not size.isdigit():
            return []
        held = self._held.setdefault(size, {})
        if cells[2].endswith("ms"):
            ours = _STEPS.get(self._step)
            for name, cell in zip(self._columns, cells, strict=True):
                value = read_number(cell)
                if ours and name in _COLUMNS and value is not None:
                    held[f"{ours}_{_COLUMNS[name]}_ms"] = value
            return []
        if self._step != "decode":
            return []
        if bench.figures:
            return NEW
        bench.likely_engine = "tgi"
        settings = {**self._settings, "batch_size": int(size)}
        return bench.tell(line, {**held, "output_tokens_per_s": average}, settings)
