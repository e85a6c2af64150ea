"""How far a run of any script has come, as it counts itself, and whether that is its end.

The trap: the last epoch's line may be its first of many, and `Epoch 20/20` with a bar at 3 % is not the end.
"""

from __future__ import annotations

import re

from assay.model.values import number
from assay.readers.counted import EPOCH_LINE, EPOCHS

_COUNT = re.compile(r"(?<![\d./])(\d+)/(\d+)(?![\d./])")
#: what a script says when it is through, as a line of its own or behind the head of a logger
OVER = re.compile(
    r"(?i)(?:^|[\])|:-]\s+(?!\s))\W{0,4}(?:finished training|training (?:is )?(?:done|completed?|finished|over)|"
    r"done training|"
    r"(?:the )?end of training|after training is done|\d+ epochs completed in|(?:total )?training time:? \d)|^done[.!]$"
)
LIGHTNING_END = re.compile(r"`?Trainer\.fit`? stopped: `?max_(?P<what>epochs|steps)=(?P<value>\d+)`? reached")
_LR = ("lr", "learning_rate")


class Progress:
    """Epochs and steps: how many there are to be, and how many there were."""

    def __init__(self) -> None:
        self.epochs = 0  # to be done, as far as the log says
        self.max_steps = 0
        self.last_epoch: float | None = None
        self._first_epoch: float | None = None
        self._cut_short = False  # it says that it stopped before its end
        self.lr: float | None = None  # of every line so far; None once it has changed
        self._lr_lines = 0
        self._steps: tuple[float, float] | None = None  # the first and the last that were counted
        self._once = True  # no epoch has had more than one line
        self._full: bool | None = None  # whether what the last epoch's last line counts has come to its end

    @property
    def at_last_epoch(self) -> bool:
        return 0 < self.epochs == self.last_epoch

    @property
    def last_step(self) -> float | None:
        return self._steps[1] if self._steps else None

    def begins_anew(self, text: str) -> bool:
        """The first epoch after the last one, or after any other where a line says that it is at its first sample."""
        if "[0/" in text and (self.last_epoch or 0) > 1 and (first := EPOCH_LINE.match(text.strip())):
            return int(first["done"]) <= 1  # `Train Epoch: 1 [0/60000 (0%)]`
        found = EPOCHS.search(text) if self.at_last_epoch and "poch" in text else None
        return found is not None and int(found["done"]) < min(2, self.epochs)

    def take(self, facts: dict[str, object], text: str) -> None:
        step = facts.get("step", facts.get("global_step"))
        if isinstance(step, (int, float)):
            self._steps = (self._steps[0] if self._steps else step, step)
        for lr in (number(facts[name]) for name in _LR if name in facts):
            if lr is not None:
                self._take_lr(lr)
        epoch = number(facts.get("epoch"))
        if epoch is not None and not facts.get("rank"):
            self._take_epoch(epoch, text)

    def _take_lr(self, lr: float) -> None:
        self.lr = lr if self._lr_lines == 0 or self.lr == lr else None
        self._lr_lines += 1

    def _take_epoch(self, epoch: float, text: str) -> None:
        again = epoch == self.last_epoch
        self._first_epoch = epoch if self._first_epoch is None else self._first_epoch
        self._cut_short = self._cut_short or "arly stop" in text
        self._once = self._once and not again
        self.last_epoch = epoch
        full = _is_full(text) if self.at_last_epoch else None
        self._full = self._full if again and full is None else full  # a line that counts nothing takes nothing back

    @property
    def constant_lr(self) -> float | None:
        """The learning rate that every line names alike: then it was set to that."""
        return self.lr if self.lr and self._lr_lines > 1 else None

    @property
    def counted_epochs(self) -> int:
        """How many there were, counted from the first; 0 where it is not known. Asked of a run that ended."""
        if self.last_epoch is None or self._first_epoch not in (0, 1) or self._cut_short:
            return 0
        return int(self.last_epoch) + (1 if self._first_epoch == 0 else 0)

    @property
    def is_whole(self) -> bool:
        """Whether all epochs, or all steps, that were to be done are done."""
        if self.at_last_epoch:
            return self._once and self.epochs > 1 if self._full is None else self._full
        if not self.max_steps or self._steps is None:
            return False
        first, last = self._steps
        return last >= self.max_steps or (first == 0 and last == self.max_steps - 1)


def _is_full(text: str) -> bool | None:
    """Whether every count in a line has come to its end, beside that of the epochs; None if it counts nothing else."""
    counts = _COUNT.findall(EPOCHS.sub("", text))
    return all(done == total for done, total in counts) if counts else None
