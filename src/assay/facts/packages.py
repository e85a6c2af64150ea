"""The packages that a command's Python will find, by the names of their folders: the interpreter is not started."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from assay.facts.program import which

#: what changes results or speed, and is named wherever a run is shown
_MATTER = re.compile(
    r"(?i)(python|torch|torchvision|torch.xla|tensorflow|jax|jaxlib|numpy|scipy|transformers|tokenizers|accelerate"
    r"|lightning|pytorch.lightning|keras|deepspeed|triton|flash.attn|onnx|onnxruntime|onnxruntime.gpu|openvino|peft"
    r"|datasets|nvidia.(?:cuda.runtime|cudnn|cublas|nccl).*)$"
)
_PYTHON_LAUNCHERS = {"torchrun", "accelerate", "deepspeed", "ipython", "jupyter", "pytest", "lightning"}
_PYTHON = re.compile(r"python[\d.]*")
_MOST = 5000


def installed(
    command: Sequence[str], environment: Mapping[str, str], cwd: Path, programs: Sequence[str] = ()
) -> dict[str, str]:
    """Python's version and that of every package beside it; nothing where no Python can be made out.

    Systems add `programs` that are installed beside the interpreter they start."""
    interpreter = _interpreter(command, environment, cwd, {*_PYTHON_LAUNCHERS, *programs})
    if interpreter is None:
        return {}
    prefix, versions = interpreter.parent.parent, dict[str, str]()
    wanted = re.fullmatch(r"python(3\.\d+)", interpreter.resolve().name)
    python = _configured(prefix / "pyvenv.cfg") or (wanted[1] if wanted else None)
    if python:
        versions["python"] = python
    numbered = f"python{wanted[1]}" if wanted else "python3.*"
    for folder in _folders(prefix, numbered, environment):
        versions = {**_packages_in(folder), **versions}  # what is found first is what is imported
    return versions


def that_matter(versions: Mapping[str, str], more: tuple[str, ...] = ()) -> dict[str, str]:
    """Those worth a line wherever a run is shown; systems add beginnings of names."""
    return {name: one for name, one in versions.items() if _MATTER.match(name) or name.startswith(more)}


def _configured(file: Path) -> str | None:
    try:
        found = re.search(r"(?m)^version\w*\s*=\s*([\d.]+)", file.read_text(errors="replace"))
    except OSError:
        return None
    return found[1] if found else None


def _folders(prefix: Path, numbered: str, environment: Mapping[str, str]) -> Iterator[Path]:
    patterns = [f"lib/{numbered}/site-packages", f"local/lib/{numbered}/dist-packages", "lib/python3/dist-packages"]
    home = environment.get("HOME")
    if home and not (prefix / "pyvenv.cfg").exists() and not environment.get("PYTHONNOUSERSITE"):
        yield from Path(home, ".local").glob(patterns[0])
    for pattern in patterns:
        yield from prefix.glob(pattern)


def _packages_in(folder: Path) -> dict[str, str]:
    try:
        entries = os.listdir(folder)
    except OSError:
        return {}
    found = {}
    for entry in sorted(entries)[:_MOST]:
        if entry.endswith((".dist-info", ".egg-info")):
            name, _, version = entry.rsplit(".", 1)[0].partition("-")
            if version:
                found[name.lower().replace("_", "-")] = version.partition("-py3")[0]
    return found


def _interpreter(command: Sequence[str], environment: Mapping[str, str], cwd: Path, launchers: set[str]) -> Path | None:
    """The Python of a command line: the first word that is one, else the one beside a launcher such as torchrun."""
    for word in command:
        name = Path(word).name
        if _PYTHON.fullmatch(name) or (word == command[0] and name in launchers):
            found = str(cwd / word) if os.sep in word else which(word, environment.get("PATH"))
            if not found or not os.path.exists(found):
                return None
            return _behind_shim(Path(found), environment, cwd)
    return None


def _behind_shim(program: Path, environment: Mapping[str, str], cwd: Path) -> Path:
    """The Python behind a shim of pyenv, which names it in a file."""
    root = program.parent.parent
    if program.parent.name != "shims" or not (root / "versions").is_dir():
        return program
    files = [folder / ".python-version" for folder in (cwd, *cwd.parents)] + [root / "version"]
    named = [environment.get("PYENV_VERSION", ""), *map(_first_word, files)]
    version = next((name for name in named if name and os.sep not in name), "")
    behind = root / "versions" / version / "bin" / program.name
    return behind if version and behind.exists() else program


def _first_word(file: Path) -> str:
    try:
        return (file.read_text(errors="replace").split() or [""])[0]
    except OSError:
        return ""
