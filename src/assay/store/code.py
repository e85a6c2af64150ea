"""The code of a run, for its owner alone: the diff of a dirty tree, the files that it ran, its configurations.

    assay-runs/<run>/code.json      the diff of a dirty tree, and the versions of all packages
    assay-runs/<run>/code/…         the script and its modules as they were, secrets masked
    assay-runs/<run>/config-*       the configuration files that its command names, secrets masked
    assay-runs/.code/<hash>…        each text once

What a run holds are hard links to the texts in `.code`: a thousand runs of one script take the room of one, and a run
that is moved or copied by itself takes its code along. Where there are no hard links, it holds copies.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from assay.model.code import Code, CodeFile
from assay.model.request import Request, Script
from assay.store.files import try_read
from assay.store.layout import RunDir, write_json, write_whole

FOLDER = "code"
_STORE = ".code"


def stored_in(runs_dir: Path) -> Callable[[str, str], bool]:
    """Whether a text is there already; what someone else put there is not taken."""
    return lambda sha256, path: _is_ours(runs_dir / _STORE / _stored_name(sha256, path))


def write_asked(run: RunDir, asked: Request) -> None:
    """run.json for everyone who may read the folder, and the code before it."""
    _keep_aside(run, asked)
    for config in asked.configs:
        if config.kept is not None and config.text is not None:
            write_whole(run.path / config.kept, config.text.encode("utf-8", "surrogateescape"), mode=0o600)
    shown = asked.replace(
        packages={},
        git=asked.git and asked.git.replace(diff=None),
        script=asked.script and asked.script.replace(text=None),
        code=asked.code and _keep_files(run, asked.code),
        configs=tuple(config.replace(text=None) for config in asked.configs),
    )
    write_json(run.run_json, shown.as_json())


def with_code(run: RunDir, asked: Request) -> Request:
    """run.json with the diff, the packages and the script put back, where this user may read them. Older runs have the
    diff and the script in run.json, or both in code.json."""
    try:
        kept = Request.of(json.loads(try_read(run.path, run.code_json.name) or b"null"))
    except (ValueError, RecursionError):
        kept = Request()
    git, script = asked.git, asked.script
    if git is not None and kept.git is not None and kept.git.diff is not None:
        git = git.replace(diff=kept.git.diff)
    if script is not None:
        text = kept.script.text if kept.script is not None else _script_text(run, asked, script)
        script = script.replace(text=text) if text is not None else script
    return asked.replace(git=git, script=script, packages=kept.packages)


def text_of(run: RunDir, file: CodeFile) -> str | None:
    """The text of a file of the code; None where it was not kept, or may not be read."""
    content = try_read(run.path, FOLDER, *kept_parts(file.path)) if file.kept else None
    return content.decode("utf-8", "surrogateescape") if content is not None else None


def kept_parts(path: str) -> list[str]:
    """The path of a file inside the folder `code`, relative to the script's folder and never outside it."""
    return ["_up" if part == ".." else part for part in path.split("/") if part not in ("", ".")]


def clear_unused(runs_dir: Path) -> None:
    """Remove the texts that no run holds any more."""
    with suppress(OSError), os.scandir(runs_dir / _STORE) as entries:
        for entry in entries:
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_uid == os.geteuid():
                os.unlink(entry.path)


def _script_text(run: RunDir, asked: Request, script: Script) -> str | None:
    files = asked.code.files if asked.code else ()
    found = next((file for file in files if file.sha256 == script.sha256), None)
    return text_of(run, found) if found else None


def _keep_aside(run: RunDir, asked: Request) -> None:
    """code.json: what is long, and the same for all repeats."""
    aside: dict[str, object] = {"packages": dict(asked.packages)} if asked.packages else {}
    if asked.git is not None and asked.git.diff is not None:
        aside["git"] = {"diff": asked.git.diff}
    if not aside:
        return
    import hashlib

    content = json.dumps(aside, indent=1).encode("ascii") + b"\n"
    _keep(run.path.parent / _STORE, f"{hashlib.sha256(content).hexdigest()}.json", run.code_json, content)


def _keep_files(run: RunDir, code: Code) -> Code:
    """The code as run.json has it, with its texts in the run's own folder."""
    folder = run.path / FOLDER
    return code.replace(files=tuple(_keep_file(run.path.parent, folder, one) for one in code.files))


def _keep_file(runs_dir: Path, folder: Path, file: CodeFile) -> CodeFile:
    if not file.kept:
        return file
    place = folder.joinpath(*kept_parts(file.path))
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        content = None if file.text is None else file.text.encode("utf-8", "surrogateescape")
        _keep(runs_dir / _STORE, _stored_name(str(file.sha256), file.path), place, content)
    except OSError:
        return file.replace(kept=None, text=None)  # the hash is known all the same
    return file.replace(text=None)


def _keep(store: Path, name: str, place: Path, content: bytes | None) -> None:
    """Link to the stored text, after storing it if it is new; None means that it is stored already."""
    place.unlink(missing_ok=True)
    if content is not None and not _is_ours(store / name):
        try:
            store.mkdir(mode=0o700, exist_ok=True)
            write_whole(store / name, content, mode=0o600)
        except OSError:  # in a folder that belongs to someone else: keep a separate copy
            return write_whole(place, content, mode=0o600)
    try:
        os.link(store / name, place, follow_symlinks=False)
    except OSError:
        kept = content if content is not None else (store / name).read_bytes()
        write_whole(place, kept, mode=0o600)


def _is_ours(path: Path) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def _stored_name(sha256: str, path: str) -> str:
    """With the ending of its name: what is masked in a text depends on what kind of file it is."""
    return sha256 + Path(path).suffix[:10]
