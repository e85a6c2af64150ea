"""Where the files of a run are, and how a run directory is made.

assay-runs/<name>-<id>/run.json        what was asked
                 code.json, code/      the diff of a dirty tree, and the files that ran, for the owner alone
                 config-*              configuration files that the command names, secrets masked, for the owner alone
                 events/*.jsonl        what happened, one file a writer
                 output.log            what the command printed
                 output.times          when: "<byte offset> <monotonic seconds>" a line
                 summary.json          derived; deleting it loses nothing
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from assay.errors import AssayError, RunError
from assay.model.request import FORMAT, Request
from assay.store.files import Refused, read_file
from assay.store.notices import notice

_STAMP = re.compile(r"\d{8}T\d{6}\.\d{3}-[a-z0-9]{6}$")


@dataclass(frozen=True)
class RunDir:
    """One run on disk. Knows its files; holds none of their content."""

    path: Path
    node: str = ""  # of a run on several nodes: one whose output is kept beside the first one's

    @property
    def run_json(self) -> Path:
        return self.path / "run.json"

    @property
    def code_json(self) -> Path:
        return self.path / "code.json"

    @property
    def events(self) -> Path:
        return self.path / "events"

    @property
    def output_log(self) -> Path:
        return self.path / f"output{self._node}.log"

    @property
    def output_times(self) -> Path:
        return self.path / f"output{self._node}.times"

    @property
    def _node(self) -> str:
        return "-" + re.sub(r"[^\w.-]", "_", self.node) if self.node else ""

    @property
    def summary_json(self) -> Path:
        return self.path / "summary.json"

    def asked(self) -> Request:
        """The content of run.json."""
        try:
            raw = json.loads(read_file(self.path, "run.json"))
        except FileNotFoundError:
            raise AssayError(f"`{self.path}` is not a run: it has no run.json") from None
        except Refused as problem:
            raise AssayError(f"`{problem.filename}` is {problem.strerror}") from None
        except OSError as problem:
            raise AssayError(f"cannot read `{self.run_json}`: {problem.strerror}") from None
        except (ValueError, RecursionError):
            raise AssayError(f"cannot read `{self.run_json}`: it is not valid JSON") from None
        version = raw.get("v") if isinstance(raw, dict) else None
        if not isinstance(version, int):
            raise AssayError(f"`{self.run_json}` is not a run description")
        if version > FORMAT:
            raise AssayError(
                f"`{self.path}` was written by a newer Assay (format {version}, this one reads {FORMAT})",
                "upgrade: pip install --upgrade assay-ml",
            )
        wrong: list[str] = []
        request = Request.of(raw, wrong.append)
        if wrong:
            notice(str(self.run_json), f"ignored in `{self.run_json}`: {'; '.join(wrong[:5])}")
        # without an id, two damaged runs would be listed as one
        if request.id and request.name:
            return request
        return request.replace(id=request.id or id_of(self.path.name), name=request.name or self.path.name)


def id_of(folder: str) -> str:
    """The id part of a folder's name."""
    stamp = _STAMP.search(folder)
    return stamp.group() if stamp else folder.rsplit("-", 1)[-1]


def is_stamp(run_id: str) -> bool:
    """Whether an id is the time of a start, and not the hash of what was read."""
    return _STAMP.fullmatch(run_id) is not None


def create(runs_dir: Path, folder: str) -> RunDir:
    """A new, empty run directory; fails before anything was started."""
    path = runs_dir / folder
    try:
        path.mkdir(mode=0o755, parents=True)  # whatever the umask: in a shared folder, others must not write into a run
        (path / "events").mkdir(mode=0o755)
    except FileExistsError:
        raise RunError(f"`{path}` exists already") from None
    except OSError as problem:
        raise RunError(
            f"cannot create a run in `{runs_dir}`: {problem.strerror}", "choose another folder with --runs-dir"
        ) from problem  # a full disk may have room later
    return RunDir(path)


def write_whole(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Write beside and rename, so that a reader sees the old file or the new one, never half of it."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        beside.unlink(missing_ok=True)  # what a killed process left
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:
            file.write(content)
        os.replace(beside, path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: object, mode: int = 0o644) -> None:
    write_whole(path, json.dumps(value, indent=1).encode("ascii") + b"\n", mode)
