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
from typing import Any, Protocol

from assay.core.names import name_of
from assay.core.numbers import quantity
from assay.model.values import number
from assay.quantities import named
from assay.reading.formats import Rule, Said, is_setting

_ANY = re.compile("")


class Part(Protocol):
    """Remembers one format's lines in one run."""

    def read(self, line: int, text: str, known: Mapping[str, Any]) -> Said | None:
        """What a line says; None where it is none of this format."""


def _object(text: str, mark: str) -> dict[str, Any] | None:
    at = text.find(mark)
    if at < 0:
        return None
    try:
        value = json.loads(text[at + len(mark) :].strip())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _settings(said: Said, values: Mapping[str, Any]) -> None:
    for name, one in values.items():
        known = named(str(name).rpartition("/")[2])
        if known is not None and known.settable and isinstance(one, (int, float)) and not isinstance(one, bool) and one >= 0:
            said.settings[known.name] = one


class Mllog:
    """MLPerf training: the score is the time from `run_start` to `run_stop`."""

    _LOSS = re.compile(r"(?i)gpt|llama|flux|deepseek|mixtral|moe|lora")
    _OTHERS = {"rnnt": "wer", "speech": "wer", "stable_diffusion": "quality", "ncf": "hit_rate", "minigo": "win_rate"}
    _LOSSES = ("train_loss", "reduced_train_loss", "loss", "training_loss")
    _LARGEST_EPOCH = 10_000

    def __init__(self) -> None:
        self._benchmark, self._start_s, self._trained, self._over = "", None, False, False

    def read(self, line: int, text: str, known: Mapping[str, Any]) -> Said | None:
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
            said.figures.update({"samples_per_s": one["throughput"]} if number(one.get("throughput")) is not None else {})
            self._loss(said, next((one[name] for name in self._LOSSES if number(one.get(name)) is not None), None))
        elif key in self._LOSSES:
            said.figures = self._counted(about)
            self._loss(said, one)
        else:
            _settings(said, {key: one})
        if not (said.figures.keys() - {"epoch", "samples"}) and key != "run_stop":
            said.figures = {}
        return said

    def _stop(self, said: Said, about: Mapping[str, Any]) -> None:
        self._over = True
        done = about.get("status") == "success"
        said.rule, said.status = Rule(match=_ANY, kind="result", completed=done), "" if done else "failed"
        said.figures = {name: value for name, value in self._counted(about).items() if name == "samples"}
        if said.t is not None and self._start_s is not None:
            said.figures["wall_s"] = round(said.t - self._start_s, 3)

    def _loss(self, said: Said, value: object) -> None:
        if number(value) is not None:
            said.figures["loss"], self._trained = value, True

    def _quality(self, said: Said, value: object, about: Mapping[str, Any]) -> None:
        said.figures = self._counted(about)
        if isinstance(value, dict):
            said.figures |= {f"eval_{name}".lower(): one for name, one in value.items() if number(one) is not None}
            return
        quality = number(value)
        if quality is None:
            return
        name = next((ours for theirs, ours in self._OTHERS.items() if theirs in self._benchmark.lower()), "val_accuracy")
        if name == "val_accuracy" and (quality > 1 or self._LOSS.search(self._benchmark)):
            name = "val_loss"
            if not self._trained:
                said.figures["loss"] = quality  # the only loss that such a log has
        said.figures[name] = quality

    def _counted(self, about: Mapping[str, Any]) -> dict[str, Any]:
        """How far the training has come: by samples, else by epochs (of a language model they count samples)."""
        samples, epoch = number(about.get("samples_count")), number(about.get("epoch_num"))
        if samples is not None:
            return {"samples": samples}
        return {"epoch": epoch} if epoch is not None and epoch < self._LARGEST_EPOCH else {}


class DlLogger:
    """NVIDIA: the settings first, then figures at a step, or at an epoch and a step; at no step, of the whole run."""

    def read(self, line: int, text: str, known: Mapping[str, Any]) -> Said | None:
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
                name = str(name).replace("train.", "").replace("train/", "") if "loss" in str(name) else str(name).replace(".", "_")
                key = name_of(name).key
                said.figures["samples" if key == "consumed_samples" else key] = one
        steps = step if isinstance(step, list) else [None, step]
        said.figures |= {name: one for name, one in zip(("epoch", "step"), steps, strict=False) if number(one) is not None}
        said.figures.pop("global_step", None)
        return said


class Milabench:
    """A JSON line an event, around the lines of the benchmark itself."""

    _EVENTS = frozenset(("config", "start", "phase", "data", "line", "stop", "end", "meta", "error", "message", "overseer_error"))

    def __init__(self) -> None:
        self._enough, self._start_s = False, None

    def read(self, line: int, text: str, known: Mapping[str, Any]) -> Said | None:
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

    def _config(self, said: Said, data: Mapping[str, Any]) -> None:
        given = data.get("argv")
        given = given if isinstance(given, dict) else {}
        model = given.get("--model") or data.get("name")
        said.words = {"model": str(model)} if model else {}
        _settings(said, {name.lstrip("-").replace("-", "_"): found.value for name, one in given.items() if (found := quantity(str(one)))})

    def _start(self, said: Said, data: Mapping[str, Any]) -> None:
        said.t = self._start_s = number(data.get("time"))
        command = data.get("command")
        found = re.search(r"--nproc[-_]per[-_]node=(\d+)", " ".join(map(str, command if isinstance(command, list) else ())))
        said.settings = {"num_procs": int(found[1])} if found else {}

    def _data(self, said: Said, data: Mapping[str, Any]) -> None:
        self._enough = self._enough or data.get("task") == "early_stop"
        if number(data.get("loss")) is not None:
            said.figures["loss"] = data["loss"]
        if number(data.get("rate")) is not None and data.get("task", "train") == "train":
            said.figures["samples_per_s"] = data["rate"]
        gpus = data.get("gpudata")
        held = [one.get("memory") for one in gpus.values() if isinstance(one, dict)] if isinstance(gpus, dict) else []
        used = [mib for memory in held if isinstance(memory, list) and memory and (mib := number(memory[0])) is not None]
        if used:
            said.figures["gpu_mem_bytes_max"] = max(used) * 1024 * 1024

    def _end(self, said: Said, data: Mapping[str, Any]) -> None:
        code, said.t = data.get("return_code"), number(data.get("time"))
        done = code == 0 or self._enough
        said.rule, said.status = Rule(match=_ANY, kind="result", completed=done), "" if done else "failed"
        said.settings["exit_code"] = code
        if said.t is not None and self._start_s is not None:
            said.figures["wall_s"] = round(said.t - self._start_s, 3)


PARTS: dict[str, type[Part]] = {"mllog": Mllog, "dllogger": DlLogger, "milabench": Milabench}
__all__ = ["PARTS", "Part", "is_setting"]
