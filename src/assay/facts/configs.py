"""Configuration files that a command names, kept without their secrets, read as flat values.

The trap: `--train_file data.json` names data. A file is a configuration by its flag, by its name, or by standing alone
as YAML, TOML or INI; Python only where it is called so, since any other is a script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.facts import hydra
from assay.facts.config_kinds import FLAGS, kind_of, merged, parsed
from assay.facts.secret_table import is_private
from assay.facts.secrets import MASK, mask_text, mask_values
from assay.language.arguments import pairs
from assay.language.commandline import Line
from assay.model.values import Value

MOST_BYTES = 1 << 20
_MOST_FILES = 12
_DEEPEST = 6
_CALLED = re.compile(r"(?i)conf|cfg|param|recipe|setting|args|option|opts|hyper|hparam|experiment|deepspeed|yaml")
#: absl's, and what its own help calls it
_FLAG_FILES = ("--flagfile", "-flagfile")
#: kinds that are data or programs, unless they are called a configuration
_ONLY_CALLED = ("json", "python")
_OF_HYDRA = ("defaults", "hydra")
_LONGEST_LIST = 8
_LONGEST_VALUE = 200


@dataclass(frozen=True, kw_only=True)
class Config:
    """`text` is the part that may be kept, None for a private file. `sha256` is the hash of the original file."""

    path: str  # as the command names it
    sha256: str
    text: str | None = None
    masked: bool = False
    values: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class _Named:
    """A configuration file, its kind, and the prefix of its values."""

    path: str
    kind: str
    under: str = ""


def configs_of(line: Line, cwd: Path) -> tuple[Config, ...]:
    """Those that the command names and that can be read; nothing that is wrong with one stops a run."""
    found: dict[str, Config] = {}
    for named in _named(line, cwd):
        if named.path not in found and len(found) < _MOST_FILES:
            config = _read(named, cwd / named.path)
            if config is not None:
                found[named.path] = config
    return tuple(found.values())


def _named(line: Line, cwd: Path) -> Iterator[_Named]:
    given = [*pairs(line.before), *pairs(line.arguments)]
    by_flag = {value: flag for flag, value in given if isinstance(value, str)}
    for flag, value in given:
        if not isinstance(value, str):
            continue
        kind, called = kind_of(value), _CALLED.search(flag) or _CALLED.search(Path(value).name)
        if flag in _FLAG_FILES:
            yield from (_Named(path=one, kind=FLAGS) for one in value.split(","))
        elif kind and called:
            yield _Named(path=value, kind=kind)
    for word in line.arguments:
        if word in by_flag or word.startswith("-") or "=" in word:
            continue
        kind = kind_of(word)
        if word.startswith("@") and (cwd / word[1:]).is_file():
            yield _Named(path=word[1:], kind=FLAGS)
        elif kind and (kind not in _ONLY_CALLED or _CALLED.search(word)):
            yield _Named(path=word, kind=kind)
    for source in hydra.sources(cwd / line.program, dict(given), cwd) if line.program.endswith(".py") else ():
        yield _Named(path=source.path, kind="yaml", under=source.under)


def _read(named: _Named, path: Path) -> Config | None:
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return None
        content = path.read_bytes()
    except OSError:
        return None
    import hashlib

    digest = hashlib.sha256(content).hexdigest()
    if is_private(path.as_posix()):
        return Config(path=named.path, sha256=digest)
    tree = parsed(content, named.kind, named.path)
    text = content.decode("utf-8", "surrogateescape")
    shown = mask_text(_without(text, tree))
    return Config(path=named.path, sha256=digest, text=shown, masked=shown != text, values=values_of(tree, named.under))


def values_of(tree: object, under: str = "") -> dict[str, Value]:
    """Flat, and without secrets; how Hydra puts its files together is none of the program's settings."""
    if not isinstance(tree, Mapping):
        return {}
    own = {name: value for name, value in tree.items() if name not in _OF_HYDRA}
    return dict(mask_values(dict(_flat(merged(own, under)))))


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
    """The text without values whose names mark them as secrets, in any layout."""
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
