"""Where in a training a line stands, how far it has come, and whether that is its end.

    Epoch [2/5], Step [100/600], Loss: 0.31            Epoch 3/3: 100%|███| 25/25 [00:00<00:00, loss=0.19]
    Epoch: [1][ 5/20]  Loss 4.1 (4.3)                  40/40 ━━━━ 1ms/step - loss: 0.4        below `Epoch 2/3`
    epoch 2: val acc = 0.91                            belongs to that epoch's last step

The trap: most loops count anew in every epoch, so the last number is not how many there were.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from assay.model.values import number

#: counts that a line may begin anew in every epoch
_COUNTS = ("step", "samples")
#: figures that are not of the training
_APART = ("val_", "test_", "eval_")
_OWN_STEP = ("global_step", "iteration", "iter", "num_updates", "update")


class Count:
    """A number that goes up, perhaps from nothing in every epoch, as one that goes up through all of them."""

    def __init__(self) -> None:
        self.per_epoch = 0.0  # where a line says of how many it is
        self.total: float | None = None  # through all epochs
        self._raw: float | None = None
        self._before = 0.0  # of the epochs before this one
        self._gap = 0.0
        self._first = 0.0

    def take(self, raw: float, epochs: float, *, same: bool = False) -> float:
        """`epochs` is how many have begun since the last line; less than none where the count is another's. With `same`
        an equal count is that of the line before, which did not name its epoch."""
        if epochs < 0:
            self._before = 0.0
        elif self._raw is not None and epochs > 0 and (raw < self._raw or (raw == self._raw and not same)):
            self._before += epochs * self._length(self._raw)
        elif self._raw is not None and raw > self._raw:
            self._gap = raw - self._raw
        if self._raw is None:
            self._first = raw
        self._raw = raw
        self.total = self._before + raw
        return self.total

    def settle(self) -> None:
        """What follows is no training: where less was left than lies between two lines, the epoch is over."""
        if self._raw is not None and 0 < self.per_epoch - self._raw < self._gap:
            self.total = self._before + self.per_epoch

    def _length(self, last: float) -> float:
        """Steps of an epoch: as printed, else as counted; a count from 0 ends one gap before the end."""
        if self.per_epoch >= last:
            return self.per_epoch
        return last + (self._gap or 1.0) if self._first == 0 else last


class Position:
    """Epoch and step of one process, line by line."""

    def __init__(self) -> None:
        self.epoch: float | None = None
        self._counts = {name: Count() for name in _COUNTS}
        self._named = True  # the last line named its epoch
        self._counted = False  # since a line last named its epoch
        self._is_over = False  # that line closed it, so what is counted next belongs to the one after

    def of_how_many(self, name: str, total: int) -> None:
        self._counts[name].per_epoch = total

    def of_how_many_all(self, totals: Mapping[str, float]) -> None:
        """Where a line says of how many its counts are."""
        for name, total in totals.items():
            if name in self._counts:
                self._counts[name].per_epoch = total

    def take(self, facts: dict[str, object]) -> None:
        """Give the figures of a line their place, in the line or since the one before."""
        epoch, counts = number(facts.get("epoch")), any(name in facts for name in _COUNTS)
        names_epoch, apart = epoch is not None, not counts and any(name.startswith(_APART) for name in facts)
        if apart:
            for count in self._counts.values():
                count.settle()
        if epoch is None and self.epoch is not None and "epochs" not in facts and not (self._is_over and counts):
            facts["epoch"] = epoch = self.epoch
        begun = 0.0 if epoch is None or self.epoch is None else epoch - self.epoch
        closes = apart and self._counted  # `step 110 …`, `step 200 …`, `epoch 2: val acc = 0.91`
        for name, count in self._counts.items():
            raw = number(facts.get(name))
            if raw is not None:
                follows = self._is_over and not names_epoch and not self._counted
                total = count.take(raw, 1.0 if follows else begun, same=not self._named)
                facts[name] = int(total) if float(total).is_integer() else total
            elif count.total is not None and (begun <= 0 or closes) and not any(n in facts for n in _OWN_STEP):
                facts[name] = int(count.total)
        if epoch is not None and (counts or begun >= 0):
            self.epoch = epoch
        self._is_over = apart if names_epoch else self._is_over
        self._named = names_epoch
        self._counted = not names_epoch and (counts or self._counted)


class Positions:
    """Those of all processes that print into one log."""

    def __init__(self) -> None:
        self._by_rank: dict[int, Position] = {}

    def of(self, facts: Mapping[str, object]) -> Position:
        rank = facts.get("rank")
        return self._by_rank.setdefault(rank if isinstance(rank, int) else 0, Position())


#: what a script says when it is through, as a line of its own or behind the head of a logger
_OVER = re.compile(
    r"(?i)(?:^|[\])|:-]\s+(?!\s))\W{0,4}(?:finished training|training (?:is )?(?:done|completed?|finished|over)|"
    r"done training|"
    r"(?:the )?end of training|after training is done|\d+ epochs completed in|(?:total )?training time:? \d)|^done[.!]$"
)
_COUNT = re.compile(r"(?<![\d./])(\d+)/(\d+)(?![\d./])")
_EPOCHS = re.compile(r"(?i)\bepochs?\b[ :\[#]*(?P<done>\d+)\s*(?:/|of)\s*(?P<total>\d+)")
_FIRST_SAMPLE = re.compile(r"(?i)\W{0,8}(?:training |train )?epoch[ :=\[#]{0,3}(?P<done>\d{1,6})\b.{0,4}\[ *0/")
_LONGEST_LAST_WORD = 200


class Progress:
    """Epochs and steps: how many there are to be, how many there were, and whether the training is over."""

    def __init__(self) -> None:
        self.epochs = 0.0
        self.max_steps = 0.0
        self.last_epoch: float | None = None
        self._first_epoch: float | None = None
        self._steps: tuple[float, float] | None = None
        self._cut_short = self._over = self._told = False
        self._once = True  # no epoch has had more than one line
        self._full: bool | None = None  # whether what the last epoch's last line counts has come to its end

    @property
    def at_last_epoch(self) -> bool:
        return 0 < self.epochs == self.last_epoch

    @property
    def may_begin_anew(self) -> bool:
        return self.at_last_epoch and self.epochs > 1

    @property
    def is_done(self) -> bool:
        """It has said itself that it is through, or done all that it was to do."""
        return self._over or self._is_whole

    def asked(self, settings: Mapping[str, object]) -> None:
        self.max_steps = number(settings.get("max_steps")) or 0.0

    def of_how_many(self, totals: Mapping[str, float]) -> None:
        total = totals.get("epoch", 0.0)
        if total and total != self.epochs:
            self.epochs, self._told = total, False

    def news(self, asked: Mapping[str, object]) -> dict[str, object]:
        """The number of epochs that the counting shows, once."""
        if not self.epochs or self._told:
            return {}
        self._told = True
        return {"epochs": int(self.epochs)} if number(asked.get("epochs")) != self.epochs else {}

    def begins_anew(self, text: str) -> bool:
        """The first epoch after the last one, or after any other where a line says that it is at its first sample."""
        if "[" in text and (self.last_epoch or 0) > 1 and (first := _FIRST_SAMPLE.match(text)):
            return int(first["done"]) <= 1
        found = _EPOCHS.search(text) if self.at_last_epoch and "poch" in text else None
        return found is not None and int(found["done"]) < min(2, self.epochs)

    def take(self, facts: Mapping[str, object], text: str) -> None:
        step, epoch = number(facts.get("step")), number(facts.get("epoch"))
        if step is not None:
            self._steps = (self._steps[0] if self._steps else step, step)
        if epoch is not None and not facts.get("rank"):
            self.see_epoch(epoch, text)

    def see_epoch(self, epoch: float, text: str) -> None:
        again = epoch == self.last_epoch
        self._first_epoch = epoch if self._first_epoch is None else self._first_epoch
        self._cut_short = self._cut_short or "arly stop" in text
        self._once = self._once and not again
        self.last_epoch = epoch
        counts = _COUNT.findall(_EPOCHS.sub("", text)) if self.at_last_epoch else []
        full = all(done == total for done, total in counts) if counts else None
        self._full = self._full if again and full is None else full

    def goes_on(self, facts: Mapping[str, object]) -> None:
        """Figures of a training after what looked like its end."""
        if self._over and ("loss" in facts or "train_loss" in facts) and ("step" in facts or "epoch" in facts):
            self._over = False

    def complete(self) -> None:
        """Something other than its lines says that the run is through."""
        self._over = True

    def ends_with(self, text: str) -> bool:
        """Whether a line says that the run is through."""
        ends = len(text) < _LONGEST_LAST_WORD and _OVER.search(text) is not None
        self._over = self._over or ends
        return ends

    @property
    def _is_whole(self) -> bool:
        if self.at_last_epoch:
            return self._once and self.epochs > 1 if self._full is None else self._full
        if not self.max_steps or self._steps is None:
            return False
        first, last = self._steps
        return last >= self.max_steps or (first == 0 and last == self.max_steps - 1)

    def derived(self) -> dict[str, object]:
        """Epochs by counting them, for a run that came to its end."""
        if not self.is_done or self.last_epoch is None or self._first_epoch not in (0, 1) or self._cut_short:
            return {}
        return {"epochs": int(self.last_epoch) + (1 if self._first_epoch == 0 else 0)}

    def last_word(self, *, failed: bool) -> dict[str, object]:
        return {"status": "failed" if failed else "completed" if self.is_done else "unfinished"}
