"""Graphcore: the PopTorch MNIST tutorial, the BERT and GPT-2 examples, examples_utils benchmarks, PopRun prefixes.

    Epochs: 100%|██████████| 10/10 [01:49<00:00, 10.99s/it]
    Loss: 1.5163 | Accuracy: 94.25% : 100%|██████████| 150/150 [00:08<00:00,
    Accuracy on test set: 98.58%

The trap: the tutorial sets its constants at the top and overwrites them with its flags, so an edited constant changes
nothing. The bars give away what ran: the total of `Epochs` is the number of epochs, and 60,000 images at 50 device
iterations make ⌊60000 / (50 × batch)⌋ steps, so 150 steps are a batch of 8. A graph compiled in no time was cached.
"""

from __future__ import annotations

import re

from assay.core.dates import clock_seconds, moment
from assay.lines import Line
from assay.model.event import Event
from assay.reading.reader import NEW, Answer, Reader, figure, fraction
from assay.systems.graphcore import lines
from assay.systems.graphcore.course import batch_of


class Graphcore(Reader):
    """One run on IPUs."""

    name = "graphcore"
    system = "graphcore"
    own = lines.OWN
    anchors = (
        "epochs:", "loss:", "it/s", "graph compilation", "accuracy on test set", "throughput", "training time",
        "model in", "compile time", "data loaded in", "total runtime", "global_batch_size", "training_steps",
        "device_iterations", "micro_batch_size",
        "gradient_accumulation", "replication_factor", "accuracy = '", "loss = '", "of epoch", "poptorch", "popart",
        "[info] epoch", "[info] accuracy", "finished training", "| accuracy:",
        "poplar", "ipu",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._steps_per_epoch: int | None = None
        self._epochs_done = False
        self._epochs_line = 0
        self._steps_line = 0
        self._mnist = False
        self._tested = False
        self._test_first = False
        self._epoch: int | None = None
        self._trained = False  # its training time was read: more training is another run's
        self._graphs: list[float] = []
        self._graph_line = 0
        self._train_s: float | None = None
        self._last_gpt_step: int | None = None
        self._gpt_steps = 0
        self._settings: dict[str, int] = {}
        self._end_line = 0

    def read(self, line: Line) -> Answer:
        return self.look_up(line, lines.PREFIX.sub("", line.text))

    def otherwise(self, line: Line, text: str) -> Answer:
        self.proven = self.proven or lines.RUNTIME.search(text) is not None
        return [] if lines.PROOF.search(text) and (self.strong or self.proven or "poptorch" in text) else None

    def _epochs(self, line: Line, found: re.Match[str]) -> Answer:
        done, total = int(found["done"]), int(found["total"])
        if self._over() or (self._epochs_done and done < total):
            return NEW
        self.strong = self._mnist = True
        events: list[Event] = []
        if not self._epochs_line:
            self._epochs_line = line.number
            events.append(self.fact("param", line, epochs=total))
        if done == total and found["elapsed"]:
            self._epochs_done, self._epochs_line = True, line.number
            self._train_s = clock_seconds(found["elapsed"])
        self._beside(line, found.end())
        return events

    def _beside(self, line: Line, begin: int) -> None:
        """A frame of one bar may be followed by the rest of another that it was drawn over."""
        for pattern, take in ((lines.GRAPH, self._graph), (lines.FRESH_BAR, self._fresh_bar)):
            found = pattern.search(line.text, begin)
            if found:
                take(line, found)

    def _loss_bar(self, line: Line, found: re.Match[str]) -> Answer:
        if self._over():
            return NEW
        self.strong = True
        self._mnist = self._mnist or found[0].startswith("Loss: ")  # other examples leave no room there
        self._takes_steps(line, int(found["total"]))
        accuracy = figure(found["accuracy"])
        facts: dict[str, object] = {"loss": figure(found["loss"])}
        if accuracy is not None:
            facts["train_accuracy"] = fraction(accuracy)
        return [self.fact("metric", line, None, facts)]

    def _takes_steps(self, line: Line, total: int) -> None:
        if self._steps_per_epoch is None:
            self._steps_per_epoch, self._steps_line = total, line.number

    def _cut_bar(self, line: Line, found: re.Match[str]) -> Answer:
        if self._epochs_line and not self._over():
            self._takes_steps(line, int(found["total"]))
        return [] if self.strong else None

    def _epoch_of(self, line: Line, found: re.Match[str]) -> Answer:
        epoch = int(found["epoch"])
        if self._begins_anew() or (self._epoch is not None and epoch < self._epoch):
            return NEW
        first, self._epoch, self.strong = self._epoch is None, epoch, True
        return [self.fact("param", line, epochs=int(found["total"]))] if first else []

    def _epoch_figure(self, line: Line, found: re.Match[str]) -> Answer:
        value = figure(found["value"].rstrip(","))
        if self._epoch is None or self._begins_anew() or value is None:
            return None
        if found["name"] == "loss":
            return [self.fact("metric", line, loss=value)]
        return [self.fact("metric", line, train_accuracy=fraction(value) if found["sign"] else value)]

    def _finished_training(self, line: Line, found: re.Match[str]) -> Answer:
        seconds = clock_seconds(found["elapsed"])
        if not self.strong:
            return None
        self.ended = self._trained = True
        self._end_line = line.number
        return [self.fact("result", line, train_s=seconds + float(found["rest"] or 0))]

    def _fresh_bar(self, line: Line, found: re.Match[str]) -> Answer:
        """An empty bar: the training steps if the epochs have begun and not ended; otherwise some other bar."""
        total = int(found["total"])
        if self._epochs_line and not self._epochs_done and self._steps_per_epoch is None and total > 0:
            self._steps_per_epoch, self._steps_line = total, line.number
            return []
        return [] if self.strong else None

    def _graph(self, line: Line, found: re.Match[str]) -> Answer:
        elapsed_s = clock_seconds(found["elapsed"])
        if int(found["percent"]) < 100:
            return []
        if self._trained:
            return NEW
        if self.ended and not self._test_first:
            return []  # the rest of a bar, drawn once more after the last word
        self.strong = True
        # a finished bar is often drawn twice: two in a row within the same moment are one
        if not (self._graphs and self._graph_line >= line.number - 1 and self._graphs[-1] == elapsed_s):
            self._graphs.append(elapsed_s)
        self._graph_line = line.number
        return []

    def _test(self, line: Line, found: re.Match[str]) -> Answer:
        accuracy = figure(found["accuracy"])
        if self._over() or self._tested:
            return NEW
        self._test_first = not self._epochs_line and self._steps_per_epoch is None and not self._graphs
        self.strong = self.ended = self._tested = True
        self._end_line = line.number
        return [self.fact("result", line, accuracy=fraction(accuracy))]

    def _bert_step(self, line: Line, found: re.Match[str]) -> Answer:
        if self._begins_anew():
            return NEW
        self.strong = True
        facts: dict[str, object] = {"loss": figure(found["loss"]), "step": int(found["step"]) + 1}
        rate = lines.THROUGHPUT.search(line.text)
        if rate:
            facts["samples_per_s"] = figure(rate["rate"])
        return [self.fact("metric", line, None, facts), self.fact("param", line, lr=figure(found["lr"]))]

    def _gpt_step(self, line: Line, found: re.Match[str]) -> Answer:
        key = int(found["step"]) + 10**9 * int(found["epoch"])
        if self._begins_anew() or (self._last_gpt_step is not None and key < self._last_gpt_step):
            return NEW
        self._last_gpt_step = key
        self._gpt_steps += 1
        self.strong = True
        facts: dict[str, object] = {"loss": figure(found["loss"]), "step": self._gpt_steps}
        rate = lines.THROUGHPUT.search(line.text)
        if rate:
            facts["samples_per_s"] = figure(rate["rate"])
        return [self.fact("metric", line, None, facts)]

    def _throughput(self, line: Line, found: re.Match[str]) -> Answer:
        if self._over():
            return NEW
        if not (self.strong or "<stdout>" in line.text or "[INFO]" in line.text):
            return None
        self.strong = True
        return [self.fact("metric", line, samples_per_s=figure(found["rate"]))]

    def _utils(self, line: Line, found: re.Match[str]) -> Answer:
        if self._over():
            return NEW
        self.strong = True
        self._end_line = line.number
        value = figure(found["value"])
        name = {"throughput": "samples_per_s"}.get(found["name"], found["name"])
        if name == "accuracy" and value is not None:
            value = fraction(value)
        return [self.fact("result", line, moment(line.text), {name: value})]

    def _setting(self, line: Line, found: re.Match[str]) -> Answer:
        if self._over():
            return NEW
        value = int(found["value"].replace(",", ""))
        self._settings[found["name"]] = value
        if found["name"] == "global_batch_size":
            return [self.fact("param", line, batch_size=value)]
        if found["name"] == "training_steps":
            return [self.fact("metric", line, step=value)]
        return [self.fact("param", line, None, {found["name"]: value})]

    def _training_time(self, line: Line, found: re.Match[str]) -> Answer:
        if self._over():
            return NEW
        if not self.strong:
            return None
        self.ended = self._trained = True
        self._end_line = line.number
        return [self.fact("result", line, train_s=figure(found["seconds"]))]

    def _compiled(self, line: Line, found: re.Match[str]) -> Answer:
        if self._begins_anew():
            return NEW
        self._graphs.clear()
        self.strong = True
        return [self._took(line, "compile", found)]

    def _loaded(self, line: Line, found: re.Match[str]) -> Answer:
        if self._begins_anew():
            return NEW
        return [self._took(line, "load", found)]

    def _total(self, line: Line, found: re.Match[str]) -> Answer:
        if self._over():
            return NEW
        self.strong = self.ended = True
        self._end_line = line.number
        return [self.fact("result", line, moment(line.text), wall_s=figure(found["seconds"]))]

    def _took(self, line: Line, name: str, found: re.Match[str]) -> Event:
        return self.fact("phase", line, name=name, seconds=figure(found["seconds"]))

    def _over(self) -> bool:
        # a benchmark prints its figures after its total
        # standard output that was buffered may stand above the bars of its run
        return self.failed or (self._tested and (not self._test_first or self._epochs_done))

    def _begins_anew(self) -> bool:
        """Whether a line that no run prints after its training time belongs to another run."""
        return self._over() or self._trained

    def finish(self) -> list[Event]:
        events: list[Event] = []
        if self._steps_per_epoch is not None and self._mnist:
            size = batch_of(self._steps_per_epoch)
            events.append(self.fact("result", self._steps_line, steps_per_epoch=self._steps_per_epoch))
            if size is not None:
                events.append(self.fact("param", self._steps_line, batch_size=size))
        if self._graphs:
            compile_s = sum(self._graphs)
            events.append(self.fact("phase", self._graph_line, name="compile", seconds=compile_s))
            events.append(self.fact("result", self._graph_line, compile_cached=compile_s == 0))
        if self._train_s is not None:
            events.append(self.fact("phase", self._epochs_line, name="train", seconds=self._train_s))
        outcome = "failed" if self.failed else "completed" if self.ended else "unfinished"
        events.append(self.fact("end", self._end_line, status=outcome))
        return events

    table = (
        (lines.EPOCHS, _epochs),
        (lines.LOSS_BAR, _loss_bar),
        (lines.CUT_BAR, _cut_bar),
        (lines.EPOCH_OF, _epoch_of),
        (lines.EPOCH_FIGURE, _epoch_figure),
        (lines.TOOK, _finished_training),
        (lines.TEST, _test),
        (lines.GRAPH, _graph),
        (lines.BERT_STEP, _bert_step),
        (lines.GPT_STEP, _gpt_step),
        (lines.FRESH_BAR, _fresh_bar),
        (lines.UTILS, _utils),
        (lines.SETTING, _setting),
        (lines.TRAINING_TIME, _training_time),
        (lines.COMPILED, _compiled),
        (lines.LOADED, _loaded),
        (lines.TOTAL, _total),
        (lines.THROUGHPUT, _throughput),
    )
