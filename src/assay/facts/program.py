"""The program that is about to run: its script, and the packages its interpreter will find."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.spec import LAUNCHERS

_SCRIPT_LIMIT = 1 << 20
_PACKAGES = re.compile(
    r"(?i)(torch|torchvision|torch.xla|tensorflow|jax|jaxlib|numpy|scipy|transformers|tokenizers|accelerate|lightning"
    r"|pytorch.lightning|keras|deepspeed|triton|flash.attn|onnx|onnxruntime|onnxruntime.gpu|openvino|peft|datasets"
    r"|cerebras.*|poptorch|poplar.*|sambaflow|groqflow|nvidia.(?:cuda.runtime|cudnn|cublas|nccl).*)$"
)


def script_facts(command: Sequence[str], cwd: Path, path: str) -> dict[str, Any] | None:
    """Path, hash and text of the script on a command line, so that what was in effect can be checked later."""
    script = find_script(command, cwd, path)
    if script is None:
        return None
    try:
        content = script.read_bytes()
    except OSError:
        return None
    facts: dict[str, Any] = {"path": str(script), "sha256": hashlib.sha256(content).hexdigest()}
    if len(content) <= _SCRIPT_LIMIT:
        facts["text"] = content.decode("utf-8", "surrogateescape")
    return facts


def find_script(command: Sequence[str], cwd: Path, path: str) -> Path | None:
    """What really runs: `./go.sh`, else the first script named (`torchrun … train.py`), else the file behind `-m`."""
    if command and not LAUNCHERS.fullmatch(Path(command[0]).name):
        itself = cwd / command[0] if os.sep in command[0] else Path(shutil.which(command[0], path=path) or os.devnull)
        if _is_script(itself):
            return itself
    for index, word in enumerate(command[1:], 1):
        if command[index - 1] == "-m":
            module = cwd / word.replace(".", "/")
            for candidate in (module.with_suffix(".py"), module / "__main__.py"):
                if candidate.is_file():
                    return candidate
        if _is_script(cwd / word) and not LAUNCHERS.fullmatch(Path(word).name):
            return cwd / word
    return None


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


def package_facts(command: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    """Versions of the packages that matter, read from the folders beside the interpreter without starting it."""
    if not command:
        return {}
    found = shutil.which(command[0], path=environment.get("PATH"))
    prefixes = [environment.get(name) for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    if found:
        prefixes.insert(0, str(Path(found).parent.parent))
    versions: dict[str, str] = {}
    for prefix in filter(None, prefixes):
        for folder in Path(prefix).glob("lib/python3*/site-packages"):
            _add_versions(folder, versions)
        if versions:
            break
    return versions


def _add_versions(folder: Path, versions: dict[str, str]) -> None:
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for entry in names:
        if entry.endswith(".dist-info"):
            name, _, version = entry.removesuffix(".dist-info").rpartition("-")
            if _PACKAGES.match(name):
                versions[name.lower().replace("_", "-")] = version
