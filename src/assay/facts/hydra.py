"""Which files a program's configuration is put together from by Hydra, and where Hydra wrote down what came of it.

    defaults:
      - model: resnet          # conf/model/resnet.yaml, under `model`
      - optional data: small
      - _self_

The trap: `model=vgg` on the command line chooses another file, and what stands in this file counts more than what
its defaults say, unless `_self_` stands before them.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.facts.config_kinds import parsed

_DEEPEST = 4
_MOST_BYTES = 1 << 18
_PACKAGE = re.compile(rb"\A(?:\s*#[^\n]*\n)*?\s*#\s*@package\s+([\w.]+)")
_ENTRY = re.compile(r"(?:(?:optional|override)\s+)*/?([\w./-]+?)(?:@([\w.]+))?")
#: the folders that Hydra creates by default
_OUTPUTS = "outputs"


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file, relative to the working directory, and the prefix of its values."""

    path: str
    under: str = ""


def sources(script: Path, given: Mapping[str, str | bool], cwd: Path) -> list[Source]:
    """The files of a script with `@hydra.main`, those that count most first; none where it has none."""
    folder, name = _main(script)
    named, placed = given.get("--config-name") or given.get("-cn"), given.get("--config-path") or given.get("-cp")
    name = named if isinstance(named, str) else name
    folder = placed if isinstance(placed, str) else folder
    folder = folder if folder or not isinstance(named, str) else "conf"
    if not name or folder is None:
        return []
    chosen = {key.lstrip("+"): value for key, value in given.items() if isinstance(value, str)}
    root = script.parent / folder
    files = _Composed(root, chosen).files(name.removesuffix(".yaml"), "")
    return [Source(path=os.path.relpath(path, cwd), under=under) for path, under in files]


def _main(script: Path) -> tuple[str | None, str]:
    """(folder, name) that `@hydra.main(config_path=…, config_name=…)` gives."""
    try:
        content = script.read_bytes()
        if b"hydra" not in content or len(content) > _MOST_BYTES:
            return None, ""
        tree = ast.parse(content)
    except (OSError, ValueError, SyntaxError, RecursionError):
        return None, ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("hydra.main", "main"):
            said = {one.arg: one.value.value for one in node.keywords if isinstance(one.value, ast.Constant)}
            folder, name = said.get("config_path"), said.get("config_name")
            if isinstance(name, str):
                return folder if isinstance(folder, str) else "", name
    return None, ""


class _Composed:
    """Walks the defaults lists below one folder."""

    def __init__(self, root: Path, chosen: Mapping[str, str]) -> None:
        self._root = root
        self._chosen = chosen
        self._seen: set[str] = set()

    def files(self, name: str, group: str, under: str | None = None, depth: int = 0) -> Iterator[tuple[Path, str]]:
        path = self._root / group / f"{name}.yaml"
        content = _content(path)
        if content is None or depth > _DEEPEST or str(path) in self._seen:
            return
        self._seen.add(str(path))
        package = _PACKAGE.match(content)
        said = package[1].decode() if package else group.replace("/", ".")
        under = ("" if said == "_global_" else said) if under is None or package else under
        tree = parsed(content, "yaml", path.name)
        defaults = tree.get("defaults") if isinstance(tree, dict) else None
        before, after = self._around(defaults if isinstance(defaults, list) else [], group)
        for one in reversed(after):
            yield from self.files(*one, depth + 1)
        yield path, under
        for one in reversed(before):
            yield from self.files(*one, depth + 1)

    def _around(
        self, defaults: list[object], group: str
    ) -> tuple[list[tuple[str, str, str | None]], list[tuple[str, str, str | None]]]:
        """(name, group, place) of the entries before `_self_` and behind it."""
        found = before = list[tuple[str, str, str | None]]()
        after: list[tuple[str, str, str | None]] = []
        for entry in defaults:
            if entry == "_self_":
                found = after
            elif isinstance(entry, str):
                found.append((entry.lstrip("/"), "" if entry.startswith("/") else group, None))
            elif isinstance(entry, dict):
                for key, value in entry.items():
                    found.extend(self._chosen_from(str(key), value, group))
        if not group:  # `+experiment=long` adds to the list
            listed = {one[1] for one in (*before, *after)}
            added = [
                (value, key, None)
                for key, value in self._chosen.items()
                if key not in listed and (self._root / key / f"{value}.yaml").is_file()
            ]
            found.extend(added)
        return before, after

    def _chosen_from(self, key: str, value: object, group: str) -> Iterator[tuple[str, str, str | None]]:
        entry = _ENTRY.fullmatch(key)
        if entry is None or key.split()[-1].lstrip("/").startswith("hydra/"):
            return
        inner = entry[1] if not group or "/" in key.split()[-1][:1] else f"{group}/{entry[1]}"
        chosen = self._chosen.get(inner, value)
        for one in chosen if isinstance(chosen, list) else [chosen]:
            if isinstance(one, (str, int, float)):
                yield str(one).removesuffix(".yaml"), inner, entry[2]


def written_since(cwd: Path, folder: str | None, begin_t: float) -> Path | None:
    """`.hydra/config.yaml` of a run that began then; None if there is not exactly one."""
    if folder is not None:
        path = cwd / folder / ".hydra" / "config.yaml"
        return path if _is_new(path, begin_t) else None
    days = _new_folders(cwd / _OUTPUTS, begin_t)
    found = [
        path for day in days for one in _new_folders(day, begin_t) if (path := one / ".hydra/config.yaml").is_file()
    ]
    return found[0] if len(found) == 1 else None


def _new_folders(folder: Path, begin_t: float) -> list[Path]:
    """Those in which something came or went since."""
    try:
        with os.scandir(folder) as entries:
            return [Path(one.path) for one in entries if one.is_dir() and _is_new(Path(one.path), begin_t)]
    except OSError:
        return []


def _is_new(path: Path, begin_t: float) -> bool:
    try:
        return path.stat().st_mtime >= begin_t - 1  # a file system may count in whole seconds
    except OSError:
        return False


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.is_file() and path.stat().st_size <= _MOST_BYTES else None
    except OSError:
        return None
