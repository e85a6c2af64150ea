"""The parts of formats that have to remember what was printed before, in Python; the rest of each stands in its TOML.

    :::MLLOG {"key": "eval_accuracy", "value": 0.3467, "time_ms": 1759407488307, "metadata": {"epoch_num": 4}}
    DLLL {"timestamp": "1604413860.1", "type": "LOG", "step": [0, 10], "data": {"train.loss": 7.01}}
    {"event": "line", "data": "Train: 29 [   0/4 (  0%)]  Loss: 6.814 (6.81)", "pipe": "stderr"}          milabench

The traps: `eval_accuracy` is what MLPerf's rules call accuracy, which is a loss, an error rate or a distance for some
benchmarks; milabench stops a benchmark on purpose, whose process then ends with 1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import ClassVar, Protocol

from assay.core.names import name_of
from assay.core.numbers import quantity
from assay.model.values import number
from assay.quantities import named
from assay.reading.formats import Json, Rule, Said, span

_ANY = re.compile("")


class Part(Protocol):
    """Remembers one format's lines in one run."""

    def read(self, line: int, text: str, known: Mapping[str, Json]) -> Said | None:
        """What a line says; None where it is none of this format."""


def _object(text: str, mark: str) -> dict[str, Json] | None:
    at = text.find(mark)
    if at < 0:
        return None
    try:
        value = json.loads(text[at + len(mark) :].strip())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _settings(said: Said, values: Mapping[str, Json]) -> None:
    for name, one in values.items():
        known = named(str(name).rpartition("/")[2])
        if (
            known is not None
            and known.settable
            and isinstance(one, (int, float))
            and not isinstance(one, bool)
            and one >= 0
        ):
            said.settings[known.name] = one


class Mllog:
    """MLPerf training: the score is the time from `run_start` to `run_stop`."""

    _LOSS = re.compile(r"(?i)gpt|llama|flux|deepseek|mixtral|moe|lora")
    _OTHERS: ClassVar = {
        "rnnt": "wer",
        "speech": "wer",
        "stable_diffusion": "quality",
        "ncf": "hit_rate",
        "minigo": "win_rate",
    }
    _LOSSES = ("train_loss", "reduced_train_loss", "loss", "training_loss")
    _LARGEST_EPOCH = 10_000

    def __init__(self) -> None:
        self._benchmark, self._trained, self._over = "", False, False
        self._start_s: float | None = None

    def read(self, line: int, text: str, known: Mapping[str, Json]) -> Said | None:
        value = _object(text, ":::MLLOG")
        if value is None:
            return None
        key, one, about = str(value.get("key", "")), value.get("value"), value.get("metadata")
        about = about if isinstance(about, dict) else {}
        if key.startswith(("result_", "effective_")):
            return None
        time_ms = number(value.get("time_ms"))
        said = Said(t=None if time_ms is None else time_ms / 1000)
        said.rule = Rule(match=_ANY, begins=self._over and key in ("cache_clear", "init_start", "run_start"))
        if key == "submission_benchmark":
            self._benchmark = said.words["model"] = str(one)
        elif key == "submission_platform" and not re.search(r"(?i)placeholder|unknown|^\s*$", str(one)):
            said.words["device"] = str(one)
        elif key == "run_start":
            self._start_s = self._start_s or said.t
        elif key == "run_stop":
            self._stop(said, about)
        elif key == "eval_accuracy":
            self._quality(said, one, about)
        elif key == "tracked_stats" and isinstance(one, dict):
            said.figures = self._counted(about)
            said.figures.update(
                {"samples_per_s": one["throughput"]} if number(one.get("throughput")) is not None else {}
            )
            self._loss(said, next((one[name] for name in self._LOSSES if number(one.get(name)) is not None), None))
        elif key in self._LOSSES:
            said.figures = self._counted(about)
            self._loss(said, one)
        else:
            _settings(said, {key: one})
        if not (said.figures.keys() - {"epoch", "samples"}) and key != "run_stop":
            said.figures = {}
        return said

    def _stop(self, said: Said, about: Mapping[str, Json]) -> None:
        self._over = True
        done = about.get("status") == "success"
        said.rule, said.status = Rule(match=_ANY, kind="result", completed=done), "" if done else "failed"
        said.figures = {name: value for name, value in self._counted(about).items() if name == "samples"}
        if said.t is not None and self._start_s is not None:
            said.figures["wall_s"] = round(said.t - self._start_s, 3)

    def _loss(self, said: Said, value: object) -> None:
        if number(value) is not None:
            said.figures["loss"], self._trained = value, True

    def _quality(self, said: Said, value: object, about: Mapping[str, Json]) -> None:
        said.figures = self._counted(about)
        if isinstance(value, dict):
            said.figures |= {f"eval_{name}".lower(): one for name, one in value.items() if number(one) is not None}
            return
        quality = number(value)
        if quality is None:
            return
        name = next(
            (ours for theirs, ours in self._OTHERS.items() if theirs in self._benchmark.lower()), "val_accuracy"
        )
        if name == "val_accuracy" and (quality > 1 or self._LOSS.search(self._benchmark)):
            name = "val_loss"
            if not self._trained:
                said.figures["loss"] = quality  # the only loss that such a log has
        said.figures[name] = quality

    def _counted(self, about: Mapping[str, Json]) -> dict[str, Json]:
        """How far the training has come: by samples, else by epochs (of a language model they count samples)."""
        samples, epoch = number(about.get("samples_count")), number(about.get("epoch_num"))
        if samples is not None:
            return {"samples": samples}
        return {"epoch": epoch} if epoch is not None and epoch < self._LARGEST_EPOCH else {}


class DlLogger:
    """NVIDIA: the settings first, then figures at a step, or at an epoch and a step; at no step, of the whole run."""

    def read(self, line: int, text: str, known: Mapping[str, Json]) -> Said | None:
        value = _object(text, "DLLL ")
        data = value.get("data") if value is not None else None
        if value is None or not isinstance(data, dict):
            return None
        at, step = quantity(str(value.get("timestamp", ""))), value.get("step")
        said = Said(t=at.value if at else None)
        if step == "PARAMETER":
            _settings(said, data)
            for name in ("model", "model_name", "device"):
                if isinstance(data.get(name), str):
                    said.words[name.removesuffix("_name")] = data[name]
            return said
        said.rule = Rule(match=_ANY, kind="result" if step == [] else "metric")
        for name, one in data.items():
            if number(one) is not None:
                name = (
                    str(name).replace("train.", "").replace("train/", "")
                    if "loss" in str(name)
                    else str(name).replace(".", "_")
                )
                key = name_of(name).key
                said.figures["samples" if key == "consumed_samples" else key] = one
        steps = step if isinstance(step, list) else [None, step]
        said.figures |= {
            name: one for name, one in zip(("epoch", "step"), steps, strict=False) if number(one) is not None
        }
        said.figures.pop("global_step", None)
        return said


class Milabench:
    """A JSON line an event, around the lines of the benchmark itself."""

    _EVENTS = frozenset(
        ("config", "start", "phase", "data", "line", "stop", "end", "meta", "error", "message", "overseer_error")
    )

    def __init__(self) -> None:
        self._enough = False
        self._start_s: float | None = None

    def read(self, line: int, text: str, known: Mapping[str, Json]) -> Said | None:
        value = _object(text, "") if text.lstrip()[:1] == "{" else None
        if value is None or value.get("event") not in self._EVENTS or "data" not in value or "pipe" not in value:
            return None
        data, event, said = value["data"], value["event"], Said()
        self._enough = self._enough or event == "stop"
        if event == "line" and isinstance(data, str):
            said.text = data.rstrip("\n")
        elif isinstance(data, dict):
            getattr(self, f"_{event}", lambda said, data: None)(said, data)
        return said

    def _config(self, said: Said, data: Mapping[str, Json]) -> None:
        given = data.get("argv")
        given = given if isinstance(given, dict) else {}
        model = given.get("--model") or data.get("name")
        said.words = {"model": str(model)} if model else {}
        _settings(
            said,
            {
                name.lstrip("-").replace("-", "_"): found.value
                for name, one in given.items()
                if (found := quantity(str(one)))
            },
        )

    def _start(self, said: Said, data: Mapping[str, Json]) -> None:
        said.t = self._start_s = number(data.get("time"))
        command = data.get("command")
        found = re.search(
            r"--nproc[-_]per[-_]node=(\d+)", " ".join(map(str, command if isinstance(command, list) else ()))
        )
        said.settings = {"num_procs": int(found[1])} if found else {}

    def _data(self, said: Said, data: Mapping[str, Json]) -> None:
        self._enough = self._enough or data.get("task") == "early_stop"
        if number(data.get("loss")) is not None:
            said.figures["loss"] = data["loss"]
        if number(data.get("rate")) is not None and data.get("task", "train") == "train":
            said.figures["samples_per_s"] = data["rate"]
        gpus = data.get("gpudata")
        held = [one.get("memory") for one in gpus.values() if isinstance(one, dict)] if isinstance(gpus, dict) else []
        used = [
            mib for memory in held if isinstance(memory, list) and memory and (mib := number(memory[0])) is not None
        ]
        if used:
            said.figures["gpu_mem_bytes_max"] = max(used) * 1024 * 1024

    def _end(self, said: Said, data: Mapping[str, Json]) -> None:
        code, said.t = data.get("return_code"), number(data.get("time"))
        done = code == 0 or self._enough
        said.rule, said.status = Rule(match=_ANY, kind="result", completed=done), "" if done else "failed"
        said.settings["exit_code"] = code
        if said.t is not None and self._start_s is not None:
            said.figures["wall_s"] = round(said.t - self._start_s, 3)


class Gpus:
    """nvidia-smi and rocm-smi: logs of a query in any order of columns, with or without head, monitors, single looks.

        timestamp, index, name, utilization.gpu [%], memory.used [MiB]
        2024/11/23 12:23:29.950, 0, A6000, 92 %, 25073 MiB
        # gpu   pwr gtemp mtemp    sm   mem   enc   dec  mclk  pclk                        nvidia-smi dmon
        |   0  NVIDIA A100-SXM4-40GB          On  | 00000000:07:00.0 Off |                 the table of a bare call
        GPU  Temp   AvgPwr  SCLK    MCLK     Fan   Perf  PwrCap  VRAM%  GPU%               rocm-smi

    The trap: several GPUs take turns, and `utilization.memory` is of the memory's time and not of its size.
    """

    _MEASURED = frozenset(("utilization.gpu", "memory.used", "power.draw", "power.draw.instant", "power.draw.average"))
    _KNOWN = re.compile(
        r"(?:utilization|memory|power|temperature|clocks|fan|pcie|encoder|ecc|driver|pstate|count|gpu|compute|enforced|vbios|mig|display|"
        r"persistence|accounting|serial|inforom|retired|remapped)[\w.]*|timestamp|index|name|uuid|pci\.[\w.]+"
    )
    _ASKED = re.compile(r"--query-gpu[= ]['\"]?(?P<names>[\w.]+(?:, ?[\w.]+)*)")
    _DMON = re.compile(r"\s*#\s*(?:Date\s+)?(?:Time\s+)?gpu\s+(?:pwr|sm|fb|gtemp|mclk)\b")
    _ROCM = re.compile(r"\s*(?:GPU|Device)\s.*\bVRAM%\s+GPU%\s*$")
    _UNDER_ROCM = re.compile(r"\s*(?:\([^()]{1,40}\)\s*){1,6}|\s*={10,}\s*")
    _MODEL = re.compile(
        r"\|\s+(?P<index>\d{1,3})\s+(?P<name>[A-Z]\w*(?: {1,2}[\w.+/()-]{1,30}){0,8})\s+(?:On|Off|N/A)\s+\|"
    )
    _STATE = re.compile(
        r"\|\s*(?:N/A|\d+%|ERR!)\s+(?:\d+C|N/A)\s+(?:P\d+|N/A)\s+(?:(?P<power>\d+)W|N/A)\s*/\s*(?:\d+W|N/A)\s*\|\s*(?P<used>\d+)MiB\s*/"
        r"\s*\d+MiB\s*\|\s*(?:(?P<util>\d+)%|N/A)"
    )
    _PATIENCE = 12  # lines between a command and the first row of what it printed
    _USE, _USED = "GPU use (%)", "VRAM Total Used Memory (B)"

    def __init__(self) -> None:
        self._form, self._waits = "", 0
        self._names: list[str] = []
        self._gpus: dict[str, int] = {}
        self._device = False
        self._model: tuple[int, str] | None = None
        self._first_s: float | None = None

    @property
    def in_table(self) -> bool:
        return bool(self._form)

    def read(self, line: int, text: str, known: Mapping[str, Json]) -> Said | None:
        if (said := self._head(text)) is not None:
            return said
        if not self._form:
            return None
        said = getattr(self, f"_{self._form}")(text)
        if said is None and self._waits:
            self._waits -= 1
        elif said is None and text.strip():
            self._form = ""
        elif said is not None:
            self._waits = 0
        return said

    def _head(self, text: str) -> Said | None:
        query = self._ASKED.search(text)
        is_row = query is not None or "," in text or "power.draw" in text or "utilization" in text
        cells = query["names"].split(",") if query else text.split(",") if is_row else []
        names = [re.sub(r"\[[^\[\]]{0,20}\]$", "", cell.strip()).strip().lower() for cell in cells]
        if self._MEASURED & set(names) and all(self._KNOWN.fullmatch(name) for name in names):
            self._form, self._names, self._waits = "query", names, self._PATIENCE if query else 0
        elif "NVIDIA-SMI" in text and "Driver Version" in text:
            self._form = "table"
        elif self._DMON.match(text):
            self._form, self._names = "dmon", text.lstrip("# \t").lower().split()
        elif self._ROCM.match(text):
            self._form = "rocm"
        elif text.startswith("device,") and (self._USE in text or self._USED in text):
            self._form, self._names = "csv", [one.strip() for one in text.split(",")]
        else:
            return None
        return Said()

    def _sample(self, gpu: int, device: str = "", *, look: bool = True, **figures: float | None) -> Said:
        said = Said(samples=[{"gpu": gpu, **figures}], status="snapshot" if look else "")
        if device and not self._device:
            said.words, self._device = {"device": device}, True
        return said

    def _query(self, text: str) -> Said | None:
        cells = [cell.strip() for cell in text.split(",")]
        row = dict(zip(self._names, cells, strict=False))
        if len(cells) != len(self._names) or any(
            _first(row[name]) is None and "N/A" not in row[name] for name in self._MEASURED & row.keys()
        ):
            return None
        who = next(
            (row[name] for name in ("index", "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id") if row.get(name)), ""
        )
        power = next(
            (row[name] for name in ("power.draw", "power.draw.instant", "power.draw.average") if name in row), None
        )
        mib = _first(row.get("memory.used"))
        return self._sample(
            self._gpus.setdefault(who, len(self._gpus)), row.get("name") or row.get("gpu_name") or "", look=False,
            gpu_util_pct=_first(row.get("utilization.gpu")), power_w=_first(power),
            gpu_mem_bytes=None if mib is None else round(mib * 1024 * 1024),
        )  # fmt: skip

    def _table(self, text: str) -> Said | None:
        if (found := self._MODEL.match(text)) is not None:
            self._model = (int(found["index"]), found["name"].strip())
            return Said()
        found = self._STATE.match(text)
        if found is None or self._model is None:
            return Said() if text.lstrip().startswith(("|", "+")) else None
        (index, name), self._model = self._model, None
        return self._sample(
            index,
            name,
            gpu_util_pct=_first(found["util"]),
            gpu_mem_bytes=float(int(found["used"]) << 20),
            power_w=_first(found["power"]),
        )

    def _dmon(self, text: str) -> Said | None:
        cells = text.split()
        if text.lstrip().startswith("#") or not cells:
            return Said()
        row = dict(zip(self._names, cells, strict=False))
        if len(cells) != len(self._names) or not row.get("gpu", "").isdigit():
            return None
        mib = _first(row.get("fb"))
        said = self._sample(
            int(row["gpu"]), look=False, gpu_util_pct=_first(row.get("sm")), power_w=_first(row.get("pwr")),
            gpu_mem_bytes=None if mib is None else mib * 1024 * 1024,
        )  # fmt: skip
        if (at_s := span(row.get("time", ""))) is not None:
            self._first_s = at_s if self._first_s is None else self._first_s
            said.samples[0]["elapsed_s"] = (at_s - self._first_s) % 86400
        return said

    def _rocm(self, text: str) -> Said | None:
        words = text.split()
        if self._UNDER_ROCM.fullmatch(text):
            return Said()
        if len(words) < 5 or not words[0].isdigit() or not re.fullmatch(r"[\d.]+%", words[-1]):
            return None
        watts = next((word for word in words if re.fullmatch(r"[\d.]+W", word)), None)
        return self._sample(int(words[0]), gpu_util_pct=_first(words[-1]), power_w=_first(watts))

    def _csv(self, text: str) -> Said | None:
        row = dict(zip(self._names, [one.strip() for one in text.split(",")], strict=False))
        found = re.fullmatch(r"card(\d{1,3})", row.get("device", ""))
        if found is None or len(row) != len(self._names):
            return None
        return self._sample(
            int(found[1]), gpu_util_pct=_first(row.get(self._USE)), gpu_mem_bytes=_first(row.get(self._USED))
        )


def _first(cell: str | None) -> float | None:
    """`92 %`, `25073 MiB`, `18.81W`; None for `[N/A]`."""
    found = re.match(r"\s*([\d.]+)", cell or "")
    return float(found[1]) if found else None
