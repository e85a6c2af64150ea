"""How a run of any script ended, as far as its output shows."""

from __future__ import annotations

from collections.abc import Mapping

from assay.lines import Line
from assay.readers.progress import OVER, Progress
from assay.readers.told import Told

_LONGEST = 200


class Outcome:
    """Words of an end may be of an epoch, and so may the figures beside them: more training takes both back."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.completed = False  # it said itself that it came to its end
        self.over = False  # so it did in words
        self.exit_code: int | None = None
        self.closing: dict[int, tuple[Line, dict[str, object]]] = {}  # figures of the whole run, by rank

    @property
    def is_done(self) -> bool:
        """It has said itself that it is through, or done all that it was to do."""
        return self.completed or self.over or self._progress.is_whole

    def take(self, line: Line, told: Told, rank: int) -> None:
        self.completed = self.completed or told.completed
        self.exit_code = self.exit_code if told.exit_code is None else told.exit_code
        if told.closing:
            before = self.closing[rank][1] if rank in self.closing else {}
            self.closing[rank] = (line, {**before, **told.closing, **({"rank": rank} if rank else {})})

    def goes_on(self, facts: Mapping[str, object]) -> None:
        """Figures of a training after what looked like its end."""
        if (self.over or self.closing) and ("loss" in facts or "train_loss" in facts):
            self.over, self.closing = False, {}

    def ends_with(self, text: str) -> bool:
        """Whether a line says that the run is through."""
        ends = len(text) < _LONGEST and OVER.search(text) is not None
        self.over = self.over or ends
        return ends

    def last_word(self, *, failed: bool) -> dict[str, object]:
        status = "failed" if failed else "completed" if self.is_done else "unfinished"
        return {**({} if self.exit_code is None else {"exit_code": self.exit_code}), "status": status}
