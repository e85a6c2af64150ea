"""Where in a training a line stands: its epoch, and its step counted through all epochs.

    Epoch [2/5], Step [100/600], Loss: 0.31            Epoch 3/3: 100%|███| 25/25 [00:00<00:00, loss=0.19]
    Epoch: [1][ 5/20]  Loss 4.1 (4.3)                  40/40 ━━━━ 1ms/step - loss: 0.4        below `Epoch 2/3`
    epoch 2: val acc = 0.91                            belongs to that epoch's last step

The trap: most loops count anew in every epoch, so the last number is not how many there were.
"""

from __future__ import annotations

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

    def take(self, raw: float, epochs: float) -> float:
        """`epochs` is how many have begun since the last line; less than none where the count is another's."""
        if epochs < 0:
            self._before = 0.0
        elif self._raw is not None and epochs > 0 and raw <= self._raw:
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
        self._counted = False  # since a line last named its epoch
        self._is_over = False  # that line closed it, so what is counted next belongs to the one after

    def of_how_many(self, name: str, total: int) -> None:
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
                total = count.take(raw, 1.0 if follows else begun)
                facts[name] = int(total) if float(total).is_integer() else total
            elif count.total is not None and (begun <= 0 or closes) and not any(n in facts for n in _OWN_STEP):
                facts[name] = int(count.total)
        if epoch is not None and (counts or begun >= 0):
            self.epoch = epoch
        self._is_over = apart if names_epoch else self._is_over
        self._counted = not names_epoch and (counts or self._counted)


class Positions:
    """Those of all processes that print into one log."""

    def __init__(self) -> None:
        self._by_rank: dict[int, Position] = {}

    def of(self, facts: Mapping[str, object]) -> Position:
        rank = facts.get("rank")
        return self._by_rank.setdefault(rank if isinstance(rank, int) else 0, Position())
