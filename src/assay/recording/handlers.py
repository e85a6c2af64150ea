"""Which signals the command handles itself: one that exits with 0 and would have died of the signal that asked it to
end had ended by itself before.

A scheduler that takes a node back signals every process of a job in the same moment in which one of them may be done.
A program that handles the signal saves its state and exits with 0, too, and is to go on later: the two must be kept
apart. What has ended can no longer be asked, so it is looked at while it runs.
"""

from __future__ import annotations

from assay.model.event import Event

#: of /proc/PID/stat, counted from the state: a bit for each signal that is handled
_CAUGHT = 31


class Handlers:
    """A probe that gives no samples: looking is all it does."""

    name = "handlers"

    def __init__(self) -> None:
        self.pid = 0  # of the command, once it has begun
        self._caught: int | None = None

    def sample(self) -> list[Event]:
        self._look()
        return []

    def handles(self, number: int) -> bool:
        """Also where that is not known."""
        self._look()
        return self._caught is None or bool(self._caught >> number - 1 & 1)

    def _look(self) -> None:
        try:
            with open(f"/proc/{self.pid}/stat", "rb", buffering=0) as file:
                text = file.read(2048)
            fields = text[text.rindex(b")") + 2 :].split(None, _CAUGHT + 1)
            if fields[0] not in (b"Z", b"X"):
                self._caught = int(fields[_CAUGHT])
        except (OSError, ValueError, IndexError):
            return
