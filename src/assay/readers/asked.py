"""What a script was asked to do, as far as it prints it: settings, number of epochs, number of steps."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assay.model.values import number
from assay.readers.counted import EPOCHS, STEP
from assay.readers.listed import PER_DEVICE
from assay.readers.progress import Progress
from assay.readers.told import NUM_EXAMPLES, TOKENS_PER_STEP

#: a line of another part of the script than its training
_NO_TRAINING = re.compile(r"(?i)\W*(?:test|val|eval|pred|infer|warm)")


_BATCH = ("global_batch_size", "batch_size", "batchsize")


class Asked:
    """Settings under their names; each is reported once, and again if it has changed."""

    def __init__(self, progress: Progress) -> None:
        self._values: dict[str, object] = {}
        self._sizes: dict[str, object] = {}
        self._progress = progress

    def number(self, name: str) -> float | None:
        return number(self._values.get(name))

    def news(self, settings: Mapping[str, object]) -> dict[str, object]:
        """Settings that are news; the batch of one device only where that of all of them is not known."""
        told = dict(settings)
        for name in (NUM_EXAMPLES, TOKENS_PER_STEP):
            if name in told:
                self._sizes.setdefault(name, told.pop(name))  # what an evaluation says of its own comes later
        for name in PER_DEVICE & told.keys():
            size = told.pop(name)
            if "batch_size" not in self._values:
                told.setdefault("batch_size", size)
        news = {name: value for name, value in told.items() if self._values.get(name) != value}
        self._values.update(news)
        self._progress.max_steps = int(self.number("max_steps") or 0)
        news.pop("gpus_per_node", None)
        return news

    def beside(self, facts: Mapping[str, object]) -> dict[str, object]:
        """`global batch size: 64` among the figures of a line."""
        value = number(next((facts[name] for name in _BATCH if name in facts), None))
        return self.news({"batch_size": int(value)}) if value and float(value).is_integer() else {}

    def of_how_many(self, text: str) -> dict[str, object]:
        """`Epoch 2/20`, `iteration 10/1000`: the total number, reported once."""
        found = EPOCHS.search(text)
        if found is None:
            return self._steps_of_how_many(text)
        total = int(found["total"])
        if total in (0, self._progress.epochs) or int(found["done"]) > total:
            return {}
        self._progress.epochs = total
        return self.news({"epochs": total})

    def _steps_of_how_many(self, text: str) -> dict[str, object]:
        """Of the whole training, where no epoch is counted beside them."""
        found = STEP.search(text) if self._progress.last_epoch is None and "poch" not in text else None
        if found is None or not found["total"] or _NO_TRAINING.match(text):
            return {}
        done, total = (int(found[name].replace(",", "")) for name in ("done", "total"))
        return self.news({"max_steps": total}) if 0 < total >= done else {}

    def totals(self, *, completed: bool) -> dict[str, object]:
        """Samples and tokens that were trained on, from how many there are in an epoch and in a step."""
        found: dict[str, object] = {}
        examples, epochs = number(self._sizes.get(NUM_EXAMPLES)), self.number("epochs")
        if completed and examples and epochs:
            found["samples"] = int(examples * epochs)
        per_step, steps = number(self._sizes.get(TOKENS_PER_STEP)), self._progress.last_step
        if per_step and steps:
            found["tokens"] = int(per_step * steps)
        return found

    def step_at(self, epoch: float) -> int | None:
        """The step of a part of an epoch, where the digits that were printed of it suffice to tell."""
        steps, epochs = self.number("max_steps"), self.number("epochs")
        if not steps or not epochs:
            return None
        digits = len(repr(epoch).partition(".")[2])
        at = epoch * steps / epochs
        return round(at) if abs(at - round(at)) < 1e-6 or 10**-digits * steps / epochs < 1 else None

    def derived(self, *, ended: bool = False) -> dict[str, object]:
        """What follows from all of it, at the end; `ended`: no epoch was to come after the last."""
        found: dict[str, object] = {}
        gpus, nodes = self.number("gpus_per_node"), self.number("num_nodes")
        if gpus is not None and nodes is not None and "num_procs" not in self._values:
            found["num_procs"] = int(gpus * nodes)
        if "lr" not in self._values and self._progress.constant_lr:
            found["lr"] = self._progress.constant_lr
        if ended and "epochs" not in self._values and self._progress.counted_epochs:
            found["epochs"] = self._progress.counted_epochs
        return found
