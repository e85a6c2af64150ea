"""The program that is about to run: its script, the text after `-c`, or a file that someone built."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from assay.core.commandline import LAUNCHERS
from assay.model.request import Script

_INTERPRETERS = re.compile(r"(?:python|pypy)[\d.]*|ipython3?|(?:ba|z|da)?sh")


def which(name: str, path: str | None) -> str | None:
    """The program of a name that the shell would find; shutil's brings three compression libraries with it."""
    for folder in (os.defpath if path is None else path).split(os.pathsep):
        found = os.path.join(folder or ".", name)
        if os.access(found, os.X_OK) and os.path.isfile(found):
            return found
    return None


def script_facts(command: Sequence[str], cwd: Path, path: str) -> Script | None:
    """Path and hash of the script on a command line, so that what was in effect can be checked later."""
    script = find_script(command, cwd, path)
    if script is None:
        return None
    try:
        content = script.read_bytes()
    except OSError:
        return None
    import hashlib

    return Script(path=str(script), sha256=hashlib.sha256(content).hexdigest())


def find_script(command: Sequence[str], cwd: Path, path: str) -> Path | None:
    """What really runs: `./go.sh`, else the first script named (`torchrun … train.py`), else the file behind `-m`."""
    if command and not LAUNCHERS.fullmatch(Path(command[0]).name):
        itself = cwd / command[0] if os.sep in command[0] else Path(which(command[0], path) or os.devnull)
        if _is_script(itself):
            return itself
    for index, word in enumerate(command[1:], 1):
        if _is_code(command[:index], word):
            return None  # what follows are arguments of that code
        if command[index - 1] == "-m":
            module = cwd / word.replace(".", "/")
            for candidate in (module.with_suffix(".py"), module / "__main__.py"):
                if candidate.is_file():
                    return candidate
        if _is_script(cwd / word) and not LAUNCHERS.fullmatch(Path(word).name):
            return cwd / word
    return None


def inline_code(command: Sequence[str]) -> tuple[str, str] | None:
    """(python or shell, the text) of `python -c TEXT` and `bash -lc TEXT`, behind whatever starts it."""
    for index, word in enumerate(command[1:-1], 1):
        if _is_code(command[:index], word):
            last = next(one for one in reversed(command[:index]) if not one.startswith("-"))
            return ("shell" if Path(last).name.endswith("sh") else "python"), command[index + 1]
    return None


def find_program(command: Sequence[str], cwd: Path) -> Path | None:
    """A program that someone built: named by its path, behind whatever starts it, and no part of the system."""
    for word in command:
        if LAUNCHERS.fullmatch(Path(word).name) or (os.sep not in word and word is not command[0]):
            continue
        path = cwd / word
        own = os.sep in word and not path.is_relative_to("/usr") and not path.is_relative_to("/bin")
        return path if own and os.path.isfile(path) and os.access(path, os.X_OK) else None
    return None


def _is_code(before: Sequence[str], word: str) -> bool:
    """`python -c`, `bash -lc`: the program is the next word. `srun -c 4 python train.py` means something else."""
    if not re.fullmatch(r"-[A-Za-z]*c", word):
        return False
    last = next((one for one in reversed(before) if not one.startswith("-")), "")
    return _INTERPRETERS.fullmatch(Path(last).name) is not None


def _is_script(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        if path.suffix in (".py", ".sh", ".bash", ".R", ".jl", ".pl", ".lua", ".js"):
            return True
        with open(path, "rb") as file:
            return file.read(2) == b"#!"
    except (OSError, ValueError):  # no permission; a word too long or with a NUL to be a path
        return False
