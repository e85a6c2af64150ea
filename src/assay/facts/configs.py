"""Configuration files: those that a command names, what they hold as plain values, and what Hydra puts together.

The traps: `--train_file data.json` names data. A file is a configuration by its flag, by its name, or by standing alone
as YAML, TOML or INI; Python only where it is called so, since any other is a script. A configuration in Python may do
anything when it is run: it is only read. And Hydra's `model=vgg` on the command line chooses another file, and what
stands in a file counts more than what its defaults say, unless `_self_` stands before them.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from assay import looseyaml
from assay.core.commandline import Line, pairs
from assay.errors import AssayError
from assay.facts.secret_table import is_private
from assay.facts.secrets import MASK, mask_text, mask_values
from assay.model.values import Value
from assay.spec import typed

MOST_BYTES = 1 << 20
_MOST_FILES = 12
_DEEPEST = 6
CALLED = re.compile(r"(?i)conf|cfg|param|recipe|setting|args|option|opts|hyper|hparam|experiment|deepspeed|yaml")
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
        kind, called = kind_of(value), CALLED.search(flag) or CALLED.search(Path(value).name)
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
        elif kind and (kind not in _ONLY_CALLED or CALLED.search(word)):
            yield _Named(path=word, kind=kind)
    for source in _hydra_sources(cwd / line.program, dict(given), cwd) if line.program.endswith(".py") else ():
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


#: reading YAML is slow, and the command waits
_MOST_YAML_BYTES = 1 << 16
_KINDS = {
    ".yaml": "yaml", ".yml": "yaml", ".json": "json", ".toml": "toml", ".ini": "ini", ".cfg": "ini", ".py": "python",
}  # fmt: skip
#: absl's file of flags, and argparse's
FLAGS = "flags"
#: where ml_collections has its assignments
_GET_CONFIG = "get_config"
_Plain = tuple[list[str], object]


def kind_of(path: str) -> str | None:
    return _KINDS.get(Path(path).suffix.lower()) if len(path) < 1000 and "\0" not in path else None


def parsed(content: bytes, kind: str, name: str) -> object:
    """Plain values; None for a file that is not what its name says."""
    try:
        if kind == "json":
            return json.loads(content)
        if kind == "yaml":
            return looseyaml.load(content, name) if len(content) <= _MOST_YAML_BYTES else None
        if kind == "toml":
            return dict(import_module("tomllib").loads(content.decode()))  # from Python 3.11 on
        if kind == "python":
            return _assigned(ast.parse(content))
        return _flags(content.decode()) if kind == FLAGS else _ini(content.decode())
    except (AssayError, ValueError, SyntaxError, RecursionError, MemoryError, ImportError):
        return None


def _ini(text: str) -> dict[str, object]:
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False, delimiters=("=", ":"))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except configparser.Error as problem:
        raise ValueError(problem.message) from None
    sections = {name: {key: typed(value) for key, value in parser.items(name)} for name in parser.sections()}
    return {**{key: typed(value) for key, value in parser.defaults().items()}, **sections}


def _flags(text: str) -> dict[str, object]:
    """`--lr=0.1` a line, as on a command line; `#` and `//` begin a comment."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", "//"))]
    words = [word for line in lines for word in shlex.split(line)]
    return {
        flag.lstrip("-+"): typed(value) if isinstance(value, str) else value
        for flag, value in pairs(words)
        if flag.lstrip("-") not in ("flagfile", "undefok")
    }


def _assigned(module: ast.Module) -> dict[str, object]:
    """Values assigned in the file, its classes and `get_config`: `lr = 0.1`, `model = dict(depth=3)`."""
    found: dict[str, object] = {}
    for names, value in _straight(module.body):
        within: dict[str, object] = found
        for name in names[:-1]:
            inner = within.setdefault(name, {})
            if not isinstance(inner, dict):
                break
            within = inner
        else:
            within[names[-1]] = value
    return found


def _straight(body: list[ast.stmt]) -> Iterator[_Plain]:
    """What is assigned once and for all; what a loop, a condition or a later line may change is left out."""
    changed = {
        ".".join(names)
        for statement in body
        if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.ClassDef, ast.FunctionDef))
        for node in ast.walk(statement)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store) and (names := _names(node))
    }
    last: dict[str, _Plain] = {}
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            last |= {".".join(names): (names, value) for names, value in _straight(statement.body)}
        elif isinstance(statement, ast.FunctionDef) and statement.name == _GET_CONFIG:
            inside = [(names[1:], value) for names, value in _straight(statement.body) if len(names) > 1]
            last |= {".".join(names): (names, value) for names, value in inside}
        for names, value in _targets(statement):
            key = ".".join(names)
            last.pop(key, None)
            if value is not None and key not in changed and not names[-1].startswith("_"):
                last[key] = names, value
    yield from last.values()


def _targets(statement: ast.stmt) -> Iterator[_Plain]:
    if isinstance(statement, ast.Assign):
        targets, value = statement.targets, statement.value
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets, value = [statement.target], statement.value
    else:
        return
    for target in targets:
        if names := _names(target):
            yield names, literal(value)


def _names(target: ast.expr) -> list[str]:
    """The parts of `config.optim.lr`; empty if it is not a plain name."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Attribute) and (outer := _names(target.value)):
        return [*outer, target.attr]
    return []


def literal(value: ast.expr) -> object:
    """None for all that would have to be run; `dict(lr=0.1)` is as good as a literal."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict" and not value.args:
        inner = {one.arg: literal(one.value) for one in value.keywords if one.arg is not None}
        return {name: one for name, one in inner.items() if one is not None}
    try:
        found: object = ast.literal_eval(value)
    except (ValueError, TypeError):
        return None
    return list(found) if isinstance(found, tuple) else found


def merged(first: Mapping[str, object], under: str) -> Mapping[str, object]:
    """The values under a name of several parts: `optim.adam`."""
    tree: Mapping[str, object] = first
    for name in reversed([part for part in under.split(".") if part]):
        tree = {name: tree}
    return tree


_DEEPEST_DEFAULTS = 4
_MOST_HYDRA_BYTES = 1 << 18
_PACKAGE = re.compile(rb"\A(?:\s*#[^\n]*\n)*?\s*#\s*@package\s+([\w.]+)")
_ENTRY = re.compile(r"(?:(?:optional|override)\s+)*/?([\w./-]+?)(?:@([\w.]+))?")
#: the folders that Hydra creates by default
_OUTPUTS = "outputs"


@dataclass(frozen=True, kw_only=True)
class _Source:
    """A file, relative to the working directory, and the prefix of its values."""

    path: str
    under: str = ""


def _hydra_sources(script: Path, given: Mapping[str, str | bool], cwd: Path) -> list[_Source]:
    """The files of a script with `@hydra.main`, those that count most first; none where it has none."""
    folder, name = _hydra_main(script)
    named, placed = given.get("--config-name") or given.get("-cn"), given.get("--config-path") or given.get("-cp")
    name = named if isinstance(named, str) else name
    folder = placed if isinstance(placed, str) else folder
    folder = folder if folder or not isinstance(named, str) else "conf"
    if not name or folder is None:
        return []
    chosen = {key.lstrip("+"): value for key, value in given.items() if isinstance(value, str)}
    root = script.parent / folder
    files = _Composed(root, chosen).files(name.removesuffix(".yaml"), "")
    return [_Source(path=os.path.relpath(path, cwd), under=under) for path, under in files]


def _hydra_main(script: Path) -> tuple[str | None, str]:
    """(folder, name) that `@hydra.main(config_path=…, config_name=…)` gives."""
    try:
        content = script.read_bytes()
        if b"hydra" not in content or len(content) > _MOST_HYDRA_BYTES:
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
        if content is None or depth > _DEEPEST_DEFAULTS or str(path) in self._seen:
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
        return path.read_bytes() if path.is_file() and path.stat().st_size <= _MOST_HYDRA_BYTES else None
    except OSError:
        return None
