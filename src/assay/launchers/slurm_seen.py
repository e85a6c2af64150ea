"""What `squeue` and `sacct` print, line by line, as what is seen of a job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.launchers.base import Seen

_WIDTHS = (
    ("JobArrayID", 40), ("Name", 128), ("State", 24), ("Reason", 64), ("NodeList", 256), ("RestartCnt", 12),
    ("exit_code", 12), ("StartTime", 24),
)  # fmt: skip
QUEUE_FORMAT = ",".join(f"{name}:{width}" for name, width in _WIDTHS)
HISTORY_FORMAT = "JobID,JobName%128,State,ExitCode,NodeList,Start"
_QUEUED = {"PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "CONFIGURING", "SPECIAL_EXIT", "RESV_DEL_HOLD"}
_GONE = {
    "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "DEADLINE", "OUT_OF_MEMORY", "PREEMPTED", "NODE_FAIL", "BOOT_FAIL",
    "REVOKED",
}  # fmt: skip
_NOTHING = ("None", "N/A", "(null)", "Unknown", "None assigned")


def in_queue(text: str) -> Iterator[tuple[str, Seen]]:
    """(what the job is called, how it stands), of `squeue` in its fixed widths."""
    for line in text.splitlines():
        job_id, name, state, reason, node, restarts, status, starts = _cells(line)
        seen = Seen(job_id=job_id, phase=phase_of(state), state=state, reason=_known(reason), node=_known(node),
                    restarts=int(restarts) if restarts.isdigit() else 0, exit_code=_waited(status),
                    starts=_known(starts))  # fmt: skip
        yield called(name, job_id), seen


def in_history(text: str) -> Iterator[tuple[str, Seen]]:
    """The same of `sacct --parsable2`; its exit codes above 128 are folded, so they are used only as a last word."""
    for line in text.splitlines():
        cells = line.split("|")
        if len(cells) != 6:
            continue
        job_id, name, state, code, node, _ = cells
        word = state.split()[0].rstrip("+") if state else ""
        exit_code, _, number = code.partition(":")
        plain = int(exit_code) if exit_code.isdigit() and number == "0" else None
        yield (
            called(name, job_id),
            Seen(job_id=job_id, phase=phase_of(word), state=word, node=_known(node), exit_code=plain),
        )


def called(name: str, job_id: str) -> str:
    """An element of an array goes by its number in it: `NAME[4]`."""
    index = job_id.partition("_")[2]
    return f"{name}[{index}]" if index.isdigit() else name


def pick(found: Iterator[tuple[str, Seen]], jobs: Mapping[str, str]) -> dict[str, Seen]:
    """Those that were asked for, by id where it is known, else by name. Where two bear one name, one that goes on."""
    names = {job_id: name for name, job_id in jobs.items() if job_id}
    picked: dict[str, Seen] = {}
    for name, seen in found:
        mine = names.get(seen.job_id) or (name if jobs.get(name) == "" else None)
        if mine is not None and (mine not in picked or seen.phase != "gone"):
            picked[mine] = seen
    return picked


def phase_of(state: str) -> str:
    """A state that a later release adds is not taken for an end: its work would be done again beside it."""
    return "queued" if state in _QUEUED else "gone" if state in _GONE else "running"


def _waited(text: str) -> int | None:
    """Of what `wait` gave: nothing where a signal ended it."""
    status = int(text) if text.isdigit() else 0
    return status >> 8 if status & 0xFF == 0 else None


def _known(text: str) -> str:
    return "" if text in _NOTHING else text


def _cells(line: str) -> list[str]:
    cells, at = [], 0
    for _, width in _WIDTHS:
        cells.append(line[at : at + width].strip())
        at += width
    return cells
