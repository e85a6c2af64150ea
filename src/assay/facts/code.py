"""The code of a run: its script, the modules that it imports from its own folders, and one short hash of them all.

Files are counted and measured, never timed: on a busy machine the same code must give the same hash.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.facts.diff import mask_code
from assay.facts.git import git_facts, top_of
from assay.facts.imports import Finder, imported, named_scripts, search_path
from assay.facts.program import find_program, find_script, inline_code
from assay.facts.secret_table import is_private
from assay.facts.secrets import mask_text
from assay.model.code import Code, CodeFile
from assay.model.request import Git

_MOST_FILES = 100
_MOST_BYTES = 4 << 20
#: the hash of a larger program takes longer than a run may take to start
_PROGRAM_BYTES = 8 << 20
_KEPT_BYTES = 1 << 20
INLINE = "-c"
#: whether the text of a file with this hash and name lies in the runs folder already
Stored = Callable[[str, str], bool]


@dataclass(frozen=True, kw_only=True)
class _Source:
    """One file of the code as it was read."""

    path: Path
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", "surrogateescape")

    @property
    def language(self) -> str:
        first = self.content[:100].split(b"\n", 1)[0] if self.content.startswith(b"#!") else b""
        if self.path.suffix in (".py", ".pyw") or b"python" in first:
            return "python"
        return "shell" if self.path.suffix in (".sh", ".bash") or re.search(rb"\b(?:ba|z|da|k)?sh\b", first) else ""


def code_facts(
    command: Sequence[str], cwd: Path, environment: Mapping[str, str], git: Git | None, stored: Stored
) -> Code | None:
    """The version of the program, by the hash of its files; None if it is unknown."""
    entry, inline = _entry(command, cwd, environment)
    sources, left_out = _gather(entry, cwd, environment) if entry else ([], 0)
    home = entry.path.parent if entry else cwd
    repository = _repository(home, cwd, git)
    code = Code(commit=repository.commit, dirty=repository.dirty) if repository and repository.commit else Code()
    if entry is None:
        return code if code.commit else None
    files = tuple(_file(one, home, inline=inline) for one in sources)
    if code.commit and not code.dirty and repository and _is_untracked(entry.path, top_of(home), repository.untracked):
        code = code.replace(dirty=True)
    return code.replace(
        hash=_hash(files),
        script=entry.path.name,
        inline=inline or None,
        files=tuple(_with_texts(files, sources, stored)),
        left_out=left_out or None,
    )


def _entry(command: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> tuple[_Source | None, bool]:
    """(what the command starts, whether that is text on the command line)"""
    said = inline_code(command)
    if said is not None:
        language, text = said
        if language == "shell" and (scripts := named_scripts(text, [cwd])):
            return _read(scripts[0]), False  # the text holds its settings, the script its code
        suffix = ".py" if language == "python" else ".sh"
        return _Source(path=cwd / f"{INLINE}{suffix}", content=text.encode("utf-8", "surrogateescape")), True
    path = environment.get("PATH", os.defpath)
    script = find_script(command, cwd, path) or find_program(command, cwd)
    if script is None or (os.sep not in command[0] and script.name == command[0]):
        return None, False  # `pytest`, `pip`: what is installed has a version
    return _read(script), False


def _read(path: Path, most_bytes: int = _PROGRAM_BYTES) -> _Source | None:
    try:
        if os.path.getsize(path) > most_bytes:
            return None
        return _Source(path=path, content=path.read_bytes())
    except OSError:
        return None


def _gather(entry: _Source, cwd: Path, environment: Mapping[str, str]) -> tuple[list[_Source], int]:
    """(the entry and what it brings, breadth first; how many more there are)"""
    found, waiting = {_real(entry.path): entry}, [entry]
    size_bytes, left_out = len(entry.content), 0
    finders: dict[Path, Finder] = {}
    while waiting:
        source = waiting.pop(0)
        for path in _brought(source, cwd, environment, finders):
            if _real(path) in found:
                continue
            read = _read(path, _MOST_BYTES - size_bytes) if len(found) < _MOST_FILES else None
            if read is None:
                left_out += 1
                continue
            found[_real(path)] = read
            size_bytes += len(read.content)
            waiting.append(read)
            if path in finders or source.path not in finders:
                continue
            finders[path] = finders[source.path]  # a module finds its own as the script that imports it does
    return list(found.values()), left_out


def _brought(source: _Source, cwd: Path, environment: Mapping[str, str], finders: dict[Path, Finder]) -> Iterator[Path]:
    if source.language == "shell":
        yield from named_scripts(source.text, [cwd, source.path.parent])
    elif source.language == "python":
        if source.path not in finders:
            roots = search_path(source.path, cwd, environment, top_of(source.path.parent))
            finders[source.path] = Finder(roots)
        for module in imported(source.text):
            yield from finders[source.path].files_of(module, source.path)


def _real(path: Path) -> str:
    return os.path.realpath(path)


def _repository(home: Path, cwd: Path, git: Git | None) -> Git | None:
    """The repository of the script, which need not be in the current folder."""
    return git if top_of(home) == top_of(cwd) else git_facts(home)


def _is_untracked(path: Path, top: Path | None, untracked: Sequence[str]) -> bool:
    if top is None or not path.is_relative_to(top):
        return False
    inside = path.relative_to(top).as_posix()
    return any(inside == one or (one.endswith("/") and inside.startswith(one)) for one in untracked)


def _file(source: _Source, home: Path, *, inline: bool) -> CodeFile:
    import hashlib

    name = Path(os.path.relpath(source.path, home)).as_posix()
    content = source.content
    if inline and name.startswith(INLINE):  # a command line may hold a secret, and its hash would be one to guess by
        content = mask_text(source.text).encode("utf-8", "surrogateescape")
    return CodeFile(path=name, sha256=hashlib.sha256(content).hexdigest())


def _hash(files: Sequence[CodeFile]) -> str:
    """A hash over the contents and the paths of the modules; the name of the script does not matter."""
    import hashlib

    lines = [str(files[0].sha256), *sorted(f"{one.path} {one.sha256}" for one in files[1:])]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()[:10]


def _with_texts(files: Sequence[CodeFile], sources: Sequence[_Source], stored: Stored) -> Iterator[CodeFile]:
    """Small texts are kept, so that a difference can be shown later; one that is kept already costs nothing."""
    room = _KEPT_BYTES
    for file, source in zip(files, sources, strict=True):
        if len(source.content) > room or b"\0" in source.content or is_private(source.path.as_posix()):
            yield file
            continue
        room -= len(source.content)
        if stored(str(file.sha256), file.path):
            yield file.replace(kept=True)
        else:
            yield file.replace(kept=True, text=mask_code(source.text, file.path))
