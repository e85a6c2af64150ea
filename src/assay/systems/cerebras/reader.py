"""Cerebras: cerebras_pytorch and the Model Zoo, 2023 to 2025, and the older TensorFlow form.

    2024-03-30 15:16:16,590 INFO:   Beginning appliance run
    2024-03-30 15:16:33,873 INFO:   | Train Device=CSX, Step=100, Loss=9.39062, Rate=2983.97 samples/sec, GlobalRate=…
    2024-03-30 15:20:24,238 INFO:   Processed 512000 sample(s) in 175.070497198 seconds.

The trap: what "Processed … in S seconds" covers differs by release: training alone, or checkpoint and teardown too, or
even queue and compile. It is taken for training time only where samples / S agrees with the average rate. And in pasted
excerpts the end line may stand before its steps.
"""

from __future__ import annotations

import re

from assay.core.dates import minute, moment
from assay.lines import Line
from assay.model.event import Event, metric
from assay.model.values import number
from assay.reading.reader import NEW, Answer, figure
from assay.systems.cerebras.phases import CHECKPOINT, PHASE, STAGE, Phased

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
_ESTIMATE = re.compile(r"Compile estimated performance:\s*(?P<rate>\d[\d,]*(?:\.\d*)?)\s*samples/sec")
_EVAL_LOSS = re.compile(rf"Avg Eval Loss:\s*(?P<loss>{_NUMBER})")
_SUCCESS = re.compile(r"(?P<what>Training|Evaluation) completed successfully")
_OWN = re.compile(
    r"Device=(?:CSX|xla)|GlobalRate=|wsjob|[Aa]ppliance|[Cc]erebras|[Pp]oll ingress|Ingress is ready|initial weights"
    r"|sample\(s\) in|cached compile|Compile (?:was successful|validated)|Compiling the model\. This may|Avg Eval Loss"
    r"|samples/second\.|INFO:tensorflow:global step|,\d{3} INFO:   (?:Effective|Saving|Saved|Training|Evaluation) "
)
_HOT = re.compile(
    rb"(\d{4}-\d\d-\d\d \d\d:\d\d):(\d\d,\d{3}) INFO:\s+\| Train Device=[^,\s]+, Step=(\d+), Loss=([-+.\deE]+), "
    rb"Rate=([\d.]+) samples/sec, GlobalRate=([\d.]+) samples/sec(?:, [^\r\n\x1b]*)?\n"
)


class Cerebras(Phased):
    """One run on a CS-2 or CS-3, as its client prints it."""

    name = "cerebras"
    system = "cerebras"
    hot = _HOT
    own = _OWN
    anchors = (
        "step=", "sample(s)", "samples in", "sample in", "effective batch", "ingress", "compil", "checkpoint",
        "appliance", "programming", "initial weights", "wsjob", "eval/", "val/", "train/", "eval loss", "final step",
        "input workers", "global step", "completed successfully", "floorplan", "layouts", "transforms...", "code gen",
        "allocating buff",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._batch: int | None = None
        self._batches: set[int] = set()
        self._steps_per_s: float | None = None  # where the log counts steps instead of samples
        self._step: int | None = None
        self._said: tuple[int, str | re.Match[bytes]] = (0, "")  # the last words on its progress, and where they stand
        self._average: float | None = None
        self._evaluated = False
        self._samples: int | None = None
        self._seconds: float | None = None
        self._end_line = 0

    @property
    def stepped(self) -> bool:
        return self._step is not None

    def _progress(self, line: Line, found: re.Match[str]) -> Answer:
        evaluating = (found["mode"] or "").lower() in ("eval", "validate")
        step = int(found["step"])
        if not (self.strong or any(found[mark] for mark in ("mode", "device", "rate", "average"))):
            return None  # `step=100, loss=2.5` is anyone's
        if self._again(line, found[0]):
            return []
        if self.over or (not evaluating and self._step is not None and step <= self._step):
            return NEW
        self._said = (line.number, found[0])
        t = moment(line.text)
        facts = _known(
            loss=figure(found["loss"]),
            samples_per_s=found["rate"] and figure(found["rate"]),
            samples_per_s_avg=found["average"] and figure(found["average"]),
        )
        phase = self._eval_goes_on(line, t) if evaluating else self._name_begun("train")
        if evaluating and self._step is not None:  # of another set, at another speed
            self._evaluated = True
            rate = facts.get("samples_per_s_avg", facts.get("samples_per_s"))
            figures = _known(val_loss=facts.get("loss"), val_samples_per_s=rate, global_step=step)
            return [*phase, self.fact("metric", line, t, figures)]
        if evaluating:
            self._evaluated = True
            facts["global_step"] = step
        else:
            self._step, self._saved_last = step, False
            facts["step"] = step
            self._last_train = (line.number, t)
            self._tail_from = None if t is None else (line.number, t)
        self._average = number(facts.get("samples_per_s_avg", self._average))
        self.strong = True
        return [*phase, self.fact("metric", line, t, facts)]

    def _estimate(self, line: Line, found: re.Match[str]) -> Answer:
        """What the compiler expects of the model: no measurement."""
        if self.over:
            return NEW
        return [self.fact("result", line, moment(line.text), compile_estimated_samples_per_s=figure(found["rate"]))]

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
        self._saved_last = False
        values = {"loss": float(loss), "samples_per_s": float(rate), "samples_per_s_avg": self._average, "step": step}
        return metric("reader:cerebras", number, t, values)

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

    def _effective_batch(self, line: Line, found: re.Match[str]) -> Answer:
        if self.over or self._step is not None:
            return NEW
        size = int(found[1].replace(",", ""))
        self._batch, self.strong = size, True
        self._batches.add(size)
        return [self.fact("param", line, moment(line.text), batch_size=size)]

    def _tf_step(self, line: Line, found: re.Match[str]) -> Answer:
        step = int(found["step"])
        if self.over or (self._step is not None and step <= self._step):
            return NEW
        self._step, self.strong = step, True
        self._steps_per_s = figure(found["rate"])
        return [self.fact("metric", line, step=step, loss=figure(found["loss"]))]

    def _final_loss(self, line: Line, found: re.Match[str]) -> Answer:
        self.strong = True
        name = "val_loss" if self._step is not None and "Eval" in found[0] else "loss"
        return [self.fact("metric", line, moment(line.text), {name: figure(found["loss"])})]

    def _success(self, line: Line, found: re.Match[str]) -> Answer:
        if found["what"] == "Evaluation" and self._step is not None and not self.ended:
            return self._eval_ends(line)  # the trainer looked at its progress, and goes on
        if self.ended and not self._end_first:
            return NEW if self._samples is None and not self._again(line, found[0]) else []
        self._said = (line.number, found[0])
        self.ended, self.strong = True, self.strong or self.sure
        ended = [*self._eval_ends(line), *self._close_down(line)]
        return [*ended, self.fact("result", line, moment(line.text), outcome="completed")]

    def _metric(self, line: Line, found: re.Match[str]) -> Answer:
        name = found["name"].rsplit("/", 1)[-1]
        self.strong = self._evaluated = True
        value = figure(found["value"])
        return [self.fact("result", line, moment(line.text), {name: value})]

    def finish(self) -> list[Event]:
        events = self._last_phases()
        if self._samples is not None:
            events += self._totals()
        if self._compiled and self._compiled_from and not self._cached:
            events.append(self.fact("result", self._compiled_from, compile_cached=self._stages == 0))
        outcome = "failed" if self.failed else "completed" if self.ended else "unfinished"
        events.append(self.fact("end", self._end_line, status=outcome))
        return events

    def _totals(self) -> list[Event]:
        assert self._samples is not None and self._seconds is not None
        facts: dict[str, object] = {"reported_s": self._seconds}
        steps = self._step if self._step else None
        if self.failed and self._samples != (steps or 0) * (self._batch or 0):
            # what was asked for, not what was done: no rate and no batch size follow from it
            return [self.fact("result", self._end_line, None, facts, reported_samples=self._samples)]
        if self._evaluated and steps is None:
            facts["reported_samples"] = self._samples  # of the training before this evaluation
        else:
            facts["samples"] = self._samples
        by_steps = self._steps_per_s * self._samples / steps if self._steps_per_s and steps else None
        average = self._average or by_steps
        if average and self._seconds and abs(self._samples / self._seconds / average - 1) < 0.01:
            facts["train_s"] = self._seconds
        events = [self.fact("result", self._end_line, None, facts)]
        size = self._samples // steps if steps and self._samples % steps == 0 and self._samples >= steps else None
        # a comparison of two logs shows both batch sizes before the steps of either
        if size is not None and (self._batch is None or (size in self._batches and size != self._batch)):
            events.append(self.fact("param", self._end_line, batch_size=size))
        return events

    table = (
        (_STEP, _progress),
        (_END, _end),
        (_TF_END, _end),
        (_BATCH, _effective_batch),
        (PHASE, Phased.phase_line),
        (CHECKPOINT, Phased.checkpoint),
        (STAGE, Phased.stage),
        (_TF_STEP, _tf_step),
        (_TF_LOSS, _final_loss),
        (_EVAL_LOSS, _final_loss),
        (_ESTIMATE, _estimate),
        (_METRIC, _metric),
        (_SUCCESS, _success),
    )


def _known(**facts: object) -> dict[str, object]:
    return {name: value for name, value in facts.items() if value is not None}
