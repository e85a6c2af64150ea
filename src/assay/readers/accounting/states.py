"""What a scheduler calls the end of a job, and what that means."""

from __future__ import annotations

from typing import NamedTuple


class State(NamedTuple):
    status: str
    code: str = ""  # of the error
    hint: str = ""
    message: str = ""


_TIME = State("failed", "time-limit", "ask for more time, or do less in one job", "the job reached its time limit")
_MEMORY = State("failed", "out-of-memory", "a smaller batch, or more memory for the job", "the job ran out of memory")
_CANCELLED = State("interrupted", "cancelled", "submit it again if that was not intended", "the job was cancelled")
_FAILED = State("failed", "unknown", "see the end of its output")
_NODE = State("failed", "crashed", "submit it again", "a node of the job failed")
_PREEMPTED = State("interrupted", "interrupted", "submit it again", "a more urgent job took its place")
#: Slurm's, by their beginning: a narrow column cuts them
_SLURM = (
    ("COMPLETED", State("completed")), ("COMPLETING", State("running")), ("RUNNING", State("running")),
    ("PENDING", State("queued")), ("REQUEUED", State("queued")), ("CONFIGURING", State("queued")),
    ("SUSPENDED", State("running")), ("RESIZING", State("running")), ("TIMEOUT", _TIME), ("DEADLINE", _TIME),
    ("OUT_OF_ME", _MEMORY), ("CANCELLED", _CANCELLED), ("PREEMPTED", _PREEMPTED),
    ("FAILED", _FAILED), ("NODE_FAIL", _NODE), ("BOOT_FAIL", _NODE), ("REVOKED", _CANCELLED),
)  # fmt: skip
#: exit statuses with which PBS says that it ended a job itself
_PBS = {
    -29: _TIME,
    -28: _TIME,
    -27: _MEMORY,
    -26: _MEMORY,
    271: _CANCELLED,
    265: State("failed", "crashed", _FAILED.hint),
}


def slurm_state(text: str) -> State | None:
    """`CANCELLED by 1000`, `OUT_OF_ME+`."""
    word = text.strip().upper().replace("+", "")
    return next(
        (state for name, state in _SLURM if word.startswith(name) or (len(word) > 4 and name.startswith(word))), None
    )


def pbs_state(letter: str, exit_status: int | None) -> State | None:
    """`F` and `C` are over; how, the exit status says."""
    if letter in ("R", "E", "S", "B", "T", "U"):
        return State("running")
    if letter in ("Q", "H", "W", "M"):
        return State("queued")
    if exit_status is None:
        return State("completed") if letter in ("F", "C", "X") else None
    return exit_state(exit_status)


def exit_state(status: int) -> State:
    return State("completed") if status == 0 else _PBS.get(status, _FAILED)
