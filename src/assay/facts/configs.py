"""Configuration files that a command names: YAML, JSON, TOML and INI, kept without their secrets, read as flat values.

The trap: `--train_file data.json` names data. A file is a configuration by its flag, by its name, or by standing alone
as YAML, TOML or INI.
"""

from __future__ import annotations

import configparser
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from assay import looseyaml
from assay.errors import AssayError
from assay.facts.secret_table import is_private
from assay.facts.secrets import MASK, mask_text, mask_values
from assay.language.arguments import pairs
from assay.language.commandline import Line
from assay.model.values import Value
from assay.spec import typed

MOST_BYTES = 1 << 20
#: reading YAML is slow, and the command waits
_MOST_YAML_BYTES = 1 << 16
_MOST_FILES = 4
_DEEPEST = 6
_KINDS = {".yaml": "yaml", ".yml": "yaml", ".json": "json", ".toml": "toml", ".ini": "ini", ".cfg": "ini"}
_CALLED = re.compile(r"(?i)conf|cfg|param|recipe|setting|args|option|opts|hyper|hparam|experiment|deepspeed|yaml")
_LONGEST_LIST = 8
_LONGEST_VALUE = 200


@dataclass(frozen=True, kw_only=True)
class Config:
    """`text` is what may be kept of it; None of a file that is private. `sha256` is of the file as it was."""

    path: str  # as the command names it
    sha256: str
    text: str | None = None
    masked: bool = False
    values: Mapping[str, Value] = field(default_factory=dict)


def configs_of(line: Line, cwd: Path) -> tuple[Config, ...]:
    """Those that the command names and that can be read; nothing that is wrong with one stops a run."""
    found: dict[str, Config] = {}
    for named in _named(line, cwd):
        if named not in found and len(found) < _MOST_FILES:
            config = _read(named, cwd / named)
            if config is not None:
                found[named] = config
    return tuple(found.values())


def _named(line: Line, cwd: Path) -> Iterator[str]:
    given = [*pairs(line.before), *pairs(line.arguments)]
    by_flag = {value: flag for flag, value in given if isinstance(value, str)}
    for flag, value in given:
        if isinstance(value, str) and _kind(value) and (_CALLED.search(flag) or _CALLED.search(Path(value).name)):
            yield value
    for word in line.arguments:
        alone = word not in by_flag and not word.startswith("-") and "=" not in word
        if alone and (_kind(word) not in (None, "json") or (_kind(word) == "json" and _CALLED.search(Path(word).name))):
            yield word
    yield from _of_hydra(dict(given), line, cwd)


def _of_hydra(given: Mapping[str, str | bool], line: Line, cwd: Path) -> Iterator[str]:
    """`--config-path conf --config-name train`: beside the script."""
    name, folder = given.get("--config-name"), given.get("--config-path") or given.get("--config-dir") or "conf"
    if isinstance(name, str) and isinstance(folder, str):
        beside = Path(line.program).parent / folder / f"{name.removesuffix('.yaml')}.yaml"
        if (cwd / beside).is_file():
            yield str(beside)


def _kind(path: str) -> str | None:
    return _KINDS.get(Path(path).suffix.lower()) if len(path) < 1000 and "\0" not in path else None


def _read(named: str, path: Path) -> Config | None:
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return None
        content = path.read_bytes()
    except OSError:
        return None
    digest = hashlib.sha256(content).hexdigest()
    if is_private(path.as_posix()):
        return Config(path=named, sha256=digest)
    tree = _parsed(content, _kind(named) or "", named)
    text = content.decode("utf-8", "surrogateescape")
    shown = mask_text(_without(text, tree))
    values = mask_values(dict(_flat(tree)))
    return Config(path=named, sha256=digest, text=shown, masked=shown != text, values=values)


def _parsed(content: bytes, kind: str, name: str) -> object:
    """Plain values; None for a file that is not what its name says."""
    try:
        if kind == "json":
            return json.loads(content)
        if kind == "yaml":
            return looseyaml.load(content, name) if len(content) <= _MOST_YAML_BYTES else None
        if kind == "toml":
            return dict(import_module("tomllib").loads(content.decode()))  # from Python 3.11 on
        parser = configparser.ConfigParser(interpolation=None, strict=False, delimiters=("=", ":"))
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        parser.read_string(content.decode())
        sections = {name: {key: typed(value) for key, value in parser.items(name)} for name in parser.sections()}
        return {**{key: typed(value) for key, value in parser.defaults().items()}, **sections}
    except (AssayError, ValueError, RecursionError, ImportError, configparser.Error):
        return None


def _flat(tree: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Value]]:
    """`optimizer: {lr: 0.1}` is `optimizer.lr`; a short list of values is one text."""
    if isinstance(tree, Mapping) and len(path) < _DEEPEST:
        for key, value in tree.items():
            yield from _flat(value, (*path, str(key)[:100].replace("-", "_")))
        return
    few = isinstance(tree, list) and 0 < len(tree) <= _LONGEST_LIST
    if few and isinstance(tree, list) and all(isinstance(one, (bool, int, float, str)) for one in tree):
        tree = " ".join(map(str, tree))
    if path and isinstance(tree, (bool, int, float, str)) and len(str(tree)) <= _LONGEST_VALUE:
        yield ".".join(path), tree


def _without(text: str, tree: object) -> str:
    """The text without the values that are secrets by the names that they stand under, however it is laid out."""
    for value in sorted(set(_secrets("", tree)), key=len, reverse=True):
        text = text.replace(value, MASK)
    return text


def _secrets(name: str, tree: object) -> Iterator[str]:
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from _secrets(str(key), value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _secrets(name, value)
    elif isinstance(tree, (str, int, float)) and not isinstance(tree, bool):
        text = str(tree)
        if len(text) > 3 and mask_values({name: tree})[name] == MASK:
            yield text
