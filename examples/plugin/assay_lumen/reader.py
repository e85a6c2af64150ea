"""Lumen: one line an epoch, one at the end.

    lumen-rt 2.1: lens 0 aligned in 1.8 s
    lumen | epoch 2/2 | loss 0.2034 | 4188.0 images/s
    lumen-rt: 120000 images in 28.7 s, test accuracy 96.40%

The trap: the rate of an epoch leaves out the evaluation, the seconds at the end do not.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.model.event import Event
from assay.reading.reader import NEW, Answer, Reader, fraction

_ALIGNED = re.compile(r"lumen-rt [\d.]+: lens \d+ aligned in (?P<seconds>[\d.]+) s")
_EPOCH = re.compile(r"lumen \| epoch (?P<epoch>\d+)/(?P<epochs>\d+) \| loss (?P<loss>[\d.]+) \| (?P<rate>[\d.]+) im")
_END = re.compile(r"lumen-rt: (?P<samples>\d+) images in (?P<seconds>[\d.]+) s, test accuracy (?P<accuracy>[\d.]+)%")


class Lumen(Reader):
    """One run, as its runtime prints it."""

    name = system = "lumen"
    anchors = ("lumen",)  # in lower case: lines without any of them are never looked at

    def _aligned(self, line: Line, found: re.Match[str]) -> Answer:
        if self.strong:
            return NEW  # another run begins here: a fresh reader gets this line again
        self.strong = True  # there is a run at all
        return [self.fact("phase", line, name="load", seconds=float(found["seconds"]))]

    def _epoch(self, line: Line, found: re.Match[str]) -> Answer:
        if self.ended:
            return NEW
        self.strong = True
        figures = {"loss": float(found["loss"]), "samples_per_s": float(found["rate"])}
        epochs = [self.fact("param", line, epochs=int(found["epochs"]))] if found["epoch"] == "1" else []
        return [*epochs, self.fact("metric", line, epoch=int(found["epoch"]), **figures)]

    def _end(self, line: Line, found: re.Match[str]) -> Answer:
        self.strong = self.ended = True
        accuracy = fraction(float(found["accuracy"]))
        return [self.fact("result", line, samples=int(found["samples"]), test_accuracy=accuracy)]

    def finish(self) -> list[Event]:
        status = "failed" if self.failed else "completed" if self.ended else "unfinished"
        return [self.fact("end", 0, status=status)]

    table = ((_ALIGNED, _aligned), (_EPOCH, _epoch), (_END, _end))
