"""Cerebras: cerebras_pytorch and the Model Zoo, 2023 to 2025, and the older TensorFlow form.

    2024-03-30 15:16:16,590 INFO:   Beginning appliance run
    2024-03-30 15:16:33,873 INFO:   | Train Device=CSX, Step=100, Loss=9.39062, Rate=2983.97 samples/sec, GlobalRate=…
    2024-03-30 15:20:24,238 INFO:   Processed 512000 sample(s) in 175.070497198 seconds.

The trap: what "Processed … in S seconds" covers differs by release: training alone, or checkpoint and teardown too, or
even queue and compile. It is taken for training time only where samples / S agrees with the average rate. And in pasted
excerpts the end line may stand before its steps.

A model that is only lowered (`validate_only`) is said to be compiled, too, and that is all there is of such a run:

    2026-11-15 15:12:42,009 INFO:   Compiling the model. This may take a few minutes.
    2026-11-15 15:12:42,010 INFO:   Compile validated locally
    2026-11-15 15:12:42,010 INFO:   Compile was successful!
"""

from __future__ import annotations

import re
from typing import Any

from assay.events import Event
from assay.lines import Line
from assay.readers.base import NEW, Answer, Reader, figure
from assay.readers.moments import minute, moment

_NUMBER = r"[-+]?(?:\d[\d,]*(?:\.\d*)?(?:[eE][-+]?\d+)?|nan|inf)"
_STEP = re.compile(
    rf"(?:(?P<mode>Train|Eval|Validate)\s+)?(?:Device=(?P<device>[^,\s]+),\s*)?(?P<global>Global)?Step=(?P<step>\d+),"
    rf"(?:\s*Batch=(?P<batch>\d+),)?\s*Loss=(?P<loss>{_NUMBER})"
    rf"(?:,\s*Rate=(?P<rate>{_NUMBER})\s*samples/sec)?(?:,\s*GlobalRate=(?P<average>{_NUMBER})\s*samples/sec)?",
    re.IGNORECASE,
)
_END = re.compile(
    r"(?:Processed|Completed)\s+(?P<samples>\d[\d,]*)\s*(?:training\s*|eval\w*\s+)?sample(?:\(s\)|s)?\s+in\s+"
    r"(?P<seconds>\d[\d,]*(?:\.\d*)?)\s*seconds"
)
_TF_END = re.compile(
    r"Training finished with (?P<samples>\d+) samples in (?P<seconds>[\d.]+) seconds, (?P<rate>[\d.]+) samples/second"
)
_TF_STEP = re.compile(rf"global step (?P<step>\d+): loss = (?P<loss>{_NUMBER}) \((?P<rate>[\d.]+) steps/sec\)")
_TF_LOSS = re.compile(rf"Loss for final step: (?P<loss>{_NUMBER})")
_BATCH = re.compile(r"Effective batch size is\s+(\d[\d,]*)\b(?=\.|\s*$|\s*<)")
_METRIC = re.compile(rf"-\s+(?:eval|val|train)/(?P<name>[\w/.]+)\s*=\s*(?P<value>{_NUMBER})")
_EVAL_LOSS = re.compile(rf"Avg Eval Loss:\s*(?P<loss>{_NUMBER})")
_SAVING = re.compile(r"Saving checkpoint at (?:global )?step")
_SAVED = re.compile(r"Saved checkpoint")
#: stages of a real compile: where none is printed, an earlier compile was used again
_STAGES = re.compile(
    r"transforms\.\.\.|Optimizing layouts|Exploring floorplans|Compiling (?:kernels|image|final)|Code gen"
    r"|Allocating buff"
)
_SUCCESS = re.compile(r"(?P<what>Training|Evaluation) completed successfully")
_OWN = re.compile(
    r"Device=(?:CSX|xla)|GlobalRate=|wsjob|[Aa]ppliance|[Cc]erebras|[Pp]oll ingress|Ingress is ready|initial weights"
    r"|sample\(s\) in|cached compile|Compile (?:was successful|validated)|Compiling the model\. This may|Avg Eval Loss"
    r"|samples/second\.|INFO:tensorflow:global step|,\d{3} INFO:   (?:Effective|Saving|Saved|Training|Evaluation) "
)
_PHASES = re.compile(
    r"Compiling the model|Initiating a new (?P<job>compile|execute) wsjob|Poll ingress|Ingress is ready"
    r"|Compile validated locally"
    r"|Compile was successful|Found existing cached compile|Programming Cerebras|About to send initial weights"
    r"|Finished sending initial weights|Device programming is complete|Appliance staging is complete"
    r"|Finished staging the appliance|Beginning appliance run|Heartbeat thread stopped"
)


_HOT = re.compile(
    rb"(\d{4}-\d\d-\d\d \d\d:\d\d):(\d\d,\d{3}) INFO:\s+\| Train Device=[^,\s]+, Step=(\d+), Loss=([-+.\deE]+), "
    rb"Rate=([\d.]+) samples/sec, GlobalRate=([\d.]+) samples/sec(?:, [^\r\n\x1b]*)?\n"
)


class Cerebras(Reader):
    """One run on a CS-2 or CS-3, as its client prints it."""

    name = "cerebras"
    system = "cerebras"
    hot = _HOT
    own = _OWN
    anchors = (
        "step=", "sample(s)", "samples in", "sample in", "effective batch", "ingress", "compil", "checkpoint",
        "appliance", "programming", "initial weights", "wsjob", "eval/", "val/", "train/", "eval loss", "final step",
        "global step", "completed successfully", "floorplan", "layouts", "transforms...", "code gen", "allocating buff",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._batch: int | None = None
        self._step: int | None = None
        self._first_step: int | None = None
        self._said: tuple[int, str | re.Match[bytes]] = (0, "")  # the last words on its progress, and where they stand
        self._average: float | None = None
        self._evaluated = False
        self._samples: int | None = None
        self._seconds: float | None = None
        self._end_line = 0
        self._end_first = False
        self._open: list[str] = []  # phases that have begun and not ended
        self._suspended: str | None = None  # the phase that waits while the job is queued
        self._last_queued: tuple[int, float] | None = None
        self._last_train: tuple[int, float | None] | None = None
        self._tail_from: tuple[int, float] | None = None  # where teardown would begin
        self._stages = 0
        self._compiled = False
        self._compiled_from = 0  # the line where the compile began, if the log goes back that far
        self._cached = False
        self._validated = False  # lowered, not compiled: nothing was there to be used again

    def read(self, line: Line) -> Answer:
        text = line.text
        if "tep=" in text:
            found = _STEP.search(text)
            if found:
                return self._progress(line, found)
        if " sample" in text:
            found = _END.search(text) or _TF_END.search(text)
            if found:
                return self._end(line, found)
        found = _BATCH.search(text)
        if found:
            return self._effective_batch(line, int(found[1].replace(",", "")))
        if _PHASES.search(text):
            return self._phase_line(line)
        if _SAVING.search(text) or _SAVED.search(text):
            return self._checkpoint(line, begin="Saving" in text)
        if _STAGES.search(text) and moment(text) is not None:
            if self._over():
                return NEW
            self._stages += 1
            return []
        return self._other(line)

    def _progress(self, line: Line, found: re.Match[str]) -> Answer:
        evaluating = (found["mode"] or "").lower() in ("eval", "validate")
        step = int(found["step"])
        if not (self.strong or any(found[mark] for mark in ("mode", "device", "rate", "average"))):
            return None  # `step=100, loss=2.5` is anyone's
        if self._again(line, found[0]):
            return []
        if self._over() or (not evaluating and self._step is not None and step <= self._step):
            return NEW
        self._said = (line.number, found[0])
        t = moment(line.text)
        facts = _known(
            loss=figure(found["loss"]),
            samples_per_s=found["rate"] and figure(found["rate"]),
            samples_per_s_avg=found["average"] and figure(found["average"]),
        )
        if evaluating and self._step is not None:  # of another set, at another speed
            self._evaluated = True
            return [self.fact("metric", line, t, _known(val_loss=facts.get("loss"), global_step=step))]
        if evaluating:
            self._evaluated = True
            facts["global_step"] = step
        else:
            self._first_step = step if self._first_step is None else self._first_step
            self._step = facts["step"] = step
            self._last_train = (line.number, t)
            self._tail_from = None if t is None else (line.number, t)
        self._average = facts.get("samples_per_s_avg", self._average)
        self.strong = True
        return [self.fact("metric", line, t, facts)]

    def _again(self, line: Line, words: str) -> bool:
        """A logger with two handlers says everything twice; the same words farther down are another run's."""
        number, said = self._said
        if number != line.number - 1:
            return False
        before = said if isinstance(said, str) else _STEP.search(said[0].decode())
        return (before if isinstance(before, str) else before and before[0]) == words

    def read_hot(self, found: re.Match[bytes], number: int) -> Event | None:
        stamp, seconds, step_text, loss, rate, average = found.groups()
        step, base = int(step_text), minute(stamp)
        if self._step is None or step <= self._step or self.ended or self.failed or base is None:
            return None
        t = base + float(seconds.replace(b",", b"."))
        self._step, self._average, self._said = step, float(average), (number, found)
        self._last_train = self._tail_from = (number, t)
        return {
            "v": 1, "kind": "metric", "from": "reader:cerebras", "line": number, "t": t, "loss": float(loss),
            "samples_per_s": float(rate), "samples_per_s_avg": self._average, "step": step,
        }  # fmt: skip

    def _end(self, line: Line, found: re.Match[str]) -> Answer:
        samples, seconds = int(found["samples"].replace(",", "")), figure(found["seconds"])
        if self._samples is not None:
            # the same words again are a quotation of them
            return [] if (samples, seconds) == (self._samples, self._seconds) else NEW
        self._samples, self._seconds, self._end_line = samples, seconds, line.number
        self._end_first = self._step is None and not self._evaluated
        self.strong = self.ended = True
        events = self._close_down(line)
        if "rate" in found.groupdict():  # the TensorFlow form knows nothing else
            self._average = figure(found["rate"])
            events.append(self.fact("metric", line, samples_per_s=self._average))
        return events

    def _effective_batch(self, line: Line, size: int) -> Answer:
        if self._over() or self._step is not None:
            return NEW
        self._batch, self.strong = size, True
        return [self.fact("param", line, moment(line.text), batch_size=size)]

    def _checkpoint(self, line: Line, *, begin: bool) -> Answer:
        t = moment(line.text)
        if begin and self.ended and not self._end_first:
            return NEW
        if t is not None and not begin:
            self._tail_from = (line.number, t)
        if begin == ("checkpoint" in self._open):  # a second begin, or an end without one
            return []
        (self._open.append if begin else self._open.remove)("checkpoint")
        return [self._mark(line, t, "checkpoint", begin)]

    def _phase_line(self, line: Line) -> Answer:
        text, t = line.text, moment(line.text)
        starting = "Compiling the model" in text or "new compile wsjob" in text
        if self._over() and "Heartbeat" not in text:
            return NEW
        if starting and self._step is not None:
            return NEW
        if t is None:
            return []
        if starting:
            self.strong = True
            self._compiled_from = self._compiled_from or line.number
            return self._begin(line, t, "compile")
        if "Poll ingress" in text or "Ingress is ready" in text:
            return self._poll(line, t, queued="Queueing" in text)
        if "Found existing cached compile" in text:
            self._cached = self.strong = True
            return [self.fact("result", line, t, compile_cached=True)]
        if "Compile validated locally" in text:
            self._validated = True
            return []
        if "Compile was successful" in text:
            self._compiled = not self._validated
            self.ended = self.ended or self._validated
            return self._close(line, t, "compile")
        if "Programming Cerebras" in text:
            return self._begin(line, t, "program")
        if "initial weights" in text:
            return self._begin(line, t, "load") if "About to" in text else self._close(line, t, "load")
        if "staging" in text:
            return self._close(line, t, "program")
        if "Beginning appliance run" in text:
            self.strong = True
            return [*self._close(line, t, "program"), *self._begin(line, t, "train")]
        return []

    def _poll(self, line: Line, t: float, *, queued: bool) -> list[Event]:
        """While a job waits its turn nothing is compiled or programmed: that phase stops, and goes on afterwards."""
        if queued:
            self._last_queued = (line.number, t)
        if queued and "queue" not in self._open:
            self.strong = True
            self._suspended = next((name for name in ("compile", "program") if name in self._open), None)
            closed = self._close(line, t, self._suspended) if self._suspended else []
            return [*closed, *self._begin(line, t, "queue")]
        if not queued and "queue" in self._open:
            resumed = self._begin(line, t, self._suspended) if self._suspended else []
            self._suspended = None
            return [*self._close(line, t, "queue"), *resumed]
        return []

    def _other(self, line: Line) -> Answer:
        text = line.text
        found = _TF_STEP.search(text)
        if found:
            step = int(found["step"])
            if self._over() or (self._step is not None and step <= self._step):
                return NEW
            self._step, self.strong = step, True
            return [self.fact("metric", line, step=step, loss=figure(found["loss"]))]
        found = _TF_LOSS.search(text) or _EVAL_LOSS.search(text)
        if found:
            self.strong = True
            name = "val_loss" if self._step is not None and "Eval" in found[0] else "loss"
            return [self.fact("metric", line, moment(text), {name: figure(found["loss"])})]
        found = _METRIC.search(text)
        if found:
            return [self._metric(line, found)]
        found = _SUCCESS.search(text)
        if found:
            if found["what"] == "Evaluation" and self._step is not None and not self.ended:
                return []  # the trainer looked at its progress, and goes on
            if self.ended and not self._end_first:
                return NEW if self._samples is None and not self._again(line, found[0]) else []
            self._said = (line.number, found[0])
            self.ended, self.strong = True, self.strong or self.sure
            return [*self._close_down(line), self.fact("result", line, moment(text), outcome="completed")]
        return None

    def _metric(self, line: Line, found: re.Match[str]) -> Event:
        name = found["name"].rsplit("/", 1)[-1]
        self.strong = self._evaluated = True
        value = figure(found["value"])
        return self.fact("result", line, moment(line.text), {name: value})

    def _over(self) -> bool:
        return (self.ended or self.failed) and not (self._end_first and not self.failed)

    def _close_down(self, line: Line) -> list[Event]:
        """The tail of a run: from the last training line or checkpoint to the word that it is done."""
        t = moment(line.text)
        if t is None or self._tail_from is None or t <= self._tail_from[1] or "teardown" in self._open:
            return []
        number, begin_t = self._tail_from
        self._tail_from = None
        begin = self.fact("phase", number, begin_t, name="teardown", edge="begin")
        return [begin, self.fact("phase", line, t, name="teardown", edge="end")]

    def _begin(self, line: Line, t: float, name: str) -> list[Event]:
        if name in self._open:
            return []
        self._open.append(name)
        return [self._mark(line, t, name, True)]

    def _close(self, line: Line, t: float, name: str) -> list[Event]:
        if name not in self._open:
            return []
        self._open.remove(name)
        return [self._mark(line, t, name, False)]

    def _mark(self, line: Line, t: float | None, name: str, begin: bool) -> Event:
        return self.fact("phase", line, t, name=name, edge="begin" if begin else "end")

    def finish(self) -> list[Event]:
        events: list[Event] = []
        if "train" in self._open and self._last_train is not None and self._last_train[1] is not None:
            number, t = self._last_train
            events.append(self.fact("phase", number, t, name="train", edge="end"))
        if "queue" in self._open and self._last_queued is not None:  # it was given up there
            number, t = self._last_queued
            events.append(self.fact("phase", number, t, name="queue", edge="end"))
        if self._samples is not None:
            events += self._totals()
        if self._compiled and self._compiled_from and not self._cached:
            events.append(self.fact("result", self._compiled_from, compile_cached=self._stages == 0))
        outcome = "failed" if self.failed else "completed" if self.ended else "unfinished"
        events.append(self.fact("end", self._end_line, status=outcome))
        return events

    def _totals(self) -> list[Event]:
        assert self._samples is not None and self._seconds is not None
        facts: dict[str, Any] = {"reported_s": self._seconds}
        steps = self._step if self._step else None
        if self.failed and self._samples != (steps or 0) * (self._batch or 0):
            # what was asked for, not what was done: no rate and no batch size follow from it
            return [self.fact("result", self._end_line, None, facts, reported_samples=self._samples)]
        if self._evaluated and steps is None:
            facts["reported_samples"] = self._samples  # of the training before this evaluation
        else:
            facts["samples"] = self._samples
        if self._average and self._seconds and abs(self._samples / self._seconds / self._average - 1) < 0.01:
            facts["train_s"] = self._seconds
        events = [self.fact("result", self._end_line, None, facts)]
        if self._batch is None and steps and self._samples % steps == 0 and self._samples >= steps:
            events.append(self.fact("param", self._end_line, batch_size=self._samples // steps))
        return events


def _known(**facts: Any) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if value is not None}
