"""milabench: a JSON line an event, around the lines of the benchmark itself.

    {"event": "config", "data": {"name": "davit_large-multi", "argv": {"--model": "davit_large", …}, …}}
    {"event": "start", "data": {"command": ["torchrun", "--nproc_per_node=8", …], "time": 1683742260.9}, "pipe": null}
    {"event": "data", "data": {"rate": 1908.97, "units": "items/s", "task": "train"}, "pipe": "data"}
    {"event": "line", "data": "Train: 29 [   0/4 (  0%)]  Loss: 6.814 (6.81)  …\\n", "pipe": "stderr"}
    {"event": "end", "data": {…, "time": 1683742494.9, "return_code": 1}, "pipe": null}

The trap: it stops a benchmark on purpose once it has enough, and the process then ends with 1: that is no failure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from assay.model.values import number
from assay.readers.sizes import FACTORS, PEAK
from assay.readers.told import Told
from assay.reading.reader import figure

EVENTS = {"config", "start", "phase", "data", "line", "stop", "end", "meta", "error", "message", "overseer_error"}
WORDS = ('{"event": ',)
_PROCS = re.compile(r"--nproc[-_]per[-_]node=(?P<count>\d+)")


def is_event(value: Mapping[str, object]) -> bool:
    return value.get("event") in EVENTS and "data" in value and "pipe" in value


class Milabench:
    """What the events of one benchmark say."""

    def __init__(self) -> None:
        self._enough = False
        self._start_t: float | None = None

    def read(self, value: Mapping[str, object]) -> Told | None:
        data = value.get("data")
        if value["event"] == "stop":
            self._enough = True
        if not isinstance(data, dict):
            return Told()
        read = {"config": self._config, "start": self._start, "data": self._data, "end": self._end}
        handler = read.get(str(value["event"]))
        return handler(data) if handler else Told()

    def _config(self, data: Mapping[str, object]) -> Told:
        given = data.get("argv")
        given = given if isinstance(given, dict) else {}
        model = given.get("--model") or data.get("name")
        batch = figure(str(given.get("--batch-size", given.get("--batch_size", ""))))
        settings = {} if batch is None else {"batch_size": int(batch)}
        return Told(words={"model": str(model)} if model else {}, settings=settings)

    def _start(self, data: Mapping[str, object]) -> Told:
        self._start_t = number(data.get("time"))
        words = data.get("command")
        found = _PROCS.search(" ".join(map(str, words if isinstance(words, list) else ())))
        return Told(settings={"num_procs": int(found["count"])} if found else {}, t=self._start_t)

    def _data(self, data: Mapping[str, object]) -> Told:
        self._enough = self._enough or data.get("task") == "early_stop"
        facts: dict[str, object] = {}
        if number(data.get("loss")) is not None:
            facts["loss"] = data["loss"]
        if number(data.get("rate")) is not None and data.get("task", "train") == "train":
            facts["samples_per_s"] = data["rate"]
        held = [memory for one in _gpus(data) if isinstance(memory := one.get("memory"), list) and memory]
        used = [used_mb for memory in held if (used_mb := number(memory[0])) is not None]
        if used and len(used) == len(held):
            facts[PEAK] = max(used) * FACTORS["m"]
        return Told(facts=facts)

    def _end(self, data: Mapping[str, object]) -> Told:
        code, t = data.get("return_code"), number(data.get("time"))
        done = code == 0 or self._enough
        wall = {"wall_s": round(t - self._start_t, 3)} if t is not None and self._start_t is not None else {}
        return Told(
            results=wall,
            completed=done,
            status="" if done else "failed",
            exit_code=code if isinstance(code, int) else None,
            t=t,
        )


def _gpus(data: Mapping[str, object]) -> list[dict[str, object]]:
    gpus = data.get("gpudata")
    return [one for one in gpus.values() if isinstance(one, dict)] if isinstance(gpus, dict) else []
