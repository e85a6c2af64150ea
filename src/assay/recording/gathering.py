"""How the recorders of one parallel launch find each other and record into one run.

They meet in a folder named after the launch, hidden in the runs folder. Each takes its own rank there; the first to
come makes the run and leaves a link to it, the others wait for that link. A launch may run several commands one after
the other: a recorder that finds its rank taken tries the next meeting. Every step is one atomic call.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from assay.recording.tasks import Task
from assay.store.layout import RunDir

#: between two looks for what another rank does
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.02, 0.5
#: describing a run takes less than a second; a rank that takes longer is gone, and the next one makes the run
_PATIENCE_S = 15.0
#: the others mostly end at the same moment: so long the first rank waits for their figures
_LAST_WAIT_S = 3.0
#: no job takes so long: what is left of older launches is cleared away
_FORGOTTEN_S = 60 * 24 * 3600.0
_RUN = "run"
#: the first rank left the closing words to the last
_PASSED_ON = "passed-on"


@dataclass(frozen=True, kw_only=True)
class Meeting:
    """Where the ranks of one run meet."""

    folder: Path
    task: Task

    def arrived(self) -> set[int]:
        return self._ranks("rank-")

    def ended(self) -> set[int]:
        return self._ranks("ended-")

    def _ranks(self, prefix: str) -> set[int]:
        with suppress(OSError):
            names = os.listdir(self.folder)
            return {int(name.removeprefix(prefix)) for name in names if name.startswith(prefix)}
        return set()

    def leave(self) -> None:
        """This rank has said all it has to say."""
        with suppress(OSError):
            _take(self.folder / f"ended-{self.task.rank}")

    def all_have_ended(self) -> bool:
        """Whether every rank that arrived has ended."""
        return self.arrived() <= self.ended()

    def wait_for_others(self) -> None:
        """Until all that came have ended, or a moment has passed."""
        for _ in _looks(_LAST_WAIT_S):
            if self.all_have_ended():
                return

    def may_close(self) -> bool:
        """Whether it is for this rank to print the closing words: for the first where all end within a moment, else for
        the last of them."""
        with suppress(OSError):
            if self.task.rank:
                return self.all_have_ended() and _PASSED_ON in os.listdir(self.folder)
            self.wait_for_others()
            if not self.all_have_ended():
                _take(self.folder / _PASSED_ON)
            return self.all_have_ended()  # once more: the last may have ended before it could know
        return False

    def closes_first(self) -> bool:
        try:
            return _take(self.folder / "closed")
        except OSError:
            return True

    def says_first(self, text: str) -> bool:
        """Whether no other rank has reported the same, so that a common problem is reported once."""
        try:
            return _take(self.folder / f"said-{hash_of(text)}")
        except OSError:
            return True


def hash_of(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def meet(runs_dir: Path, task: Task) -> Meeting | None:
    """Take this rank's place; None if there is no private folder to meet in."""
    place = runs_dir / f".ranks-{os.getuid()}" / task.launch
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(one.lstat().st_uid != os.getuid() for one in (place.parent, place)):
            return None
        _clear(place.parent)
        number = 0
        while True:
            folder = place / str(number)
            folder.mkdir(mode=0o700, exist_ok=True)
            if _take(folder / f"rank-{task.rank}"):
                return Meeting(folder=folder, task=task)
            number += 1
    except OSError:
        return None


def run_of(meeting: Meeting, make: Callable[[], RunDir]) -> RunDir:
    """The run that all ranks record into: found, else made by the first of them."""
    turn = 0
    while True:
        if _take(meeting.folder / f"maker-{turn}"):
            try:
                return _made(meeting, make())
            except BaseException:
                _take(meeting.folder / f"failed-{turn}")
                raise
        found = _awaited(meeting, turn)
        if found is not None:
            return found
        turn += 1


def _made(meeting: Meeting, run: RunDir) -> RunDir:
    link = meeting.folder / _RUN
    try:
        os.symlink(run.path, link)
    except FileExistsError:  # we were slow, and another has made it
        _remove(run.path)
    return RunDir(Path(os.readlink(link)))


def _awaited(meeting: Meeting, turn: int) -> RunDir | None:
    """None where it is for someone else to make."""
    for _ in _looks(_PATIENCE_S):
        names = os.listdir(meeting.folder)  # asked of the server, where a missing name would be remembered as missing
        if _RUN in names:
            return RunDir(Path(os.readlink(meeting.folder / _RUN)))
        if f"failed-{turn}" in names:
            break
    return None


def _looks(patience_s: float) -> Iterator[None]:
    """So often as one may look without being a burden to a file system that hundreds of ranks share."""
    until_s, pause_s = time.monotonic() + patience_s, _FIRST_PAUSE_S
    while time.monotonic() < until_s:
        yield
        time.sleep(pause_s * (0.5 + os.urandom(1)[0] / 255))  # not all at the same moment
        pause_s = min(_LONGEST_PAUSE_S, 1.5 * pause_s)


def _take(path: Path) -> bool:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return False
    return True


def _clear(places: Path) -> None:
    for entry in os.scandir(places):
        with suppress(OSError):
            if time.time() - entry.stat(follow_symlinks=False).st_mtime > _FORGOTTEN_S:
                _remove(Path(entry.path))


def _remove(folder: Path) -> None:
    import shutil  # it opens three libraries, and nearly no start needs it

    shutil.rmtree(folder, ignore_errors=True)
