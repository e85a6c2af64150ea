"""YAML that people write by hand: every value knows its line, no key is guessed at.

The trap: YAML 1.1 reads the key `on` as true, `1e-3` as text and `010` as eight. Plain words are typed here as they are
on the command line: numbers and true/false are what they look like, the rest is text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.errors import UsageError, did_you_mean
from assay.spec import typed

_LIMIT_BYTES = 1 << 20
_LIMIT_VALUES = 50_000
_LIMIT_DEPTH = 40
#: what YAML takes a plain word for by itself; every other tag asks for something to be made
_CORE = "tag:yaml.org,2002:"
_PLAIN = {"str", "int", "float", "bool", "null", "timestamp", "map", "seq", "merge", "value"}
Where = tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True)
class Document:
    """The values of a file, and the line of each: `lines[("grid", "lr", 0)]`."""

    path: Path
    value: Any
    lines: dict[Where, int] = field(repr=False)

    def at(self, where: Where) -> str:
        """`study.yaml:7`, for messages; of the closest thing that has a line."""
        while where and where not in self.lines:
            where = where[:-1]
        return f"{self.path}:{self.lines.get(where, 1)}"

    def error(self, where: Where, message: str, hint: str | None = None) -> UsageError:
        return UsageError(f"{self.at(where)}: {message}", hint)

    def check_keys(
        self, where: Where, given: Iterable[str], known: Iterable[str], meant: Mapping[str, str] | None = None
    ) -> None:
        """Refuse an unknown key, and name the closest one; `meant` are other words that people use for a key."""
        choices = list(known)
        for key in given:
            if key not in choices:
                right = (meant or {}).get(key.lower(), "")
                hint = f"did you mean `{right}`?" if right else did_you_mean(key, choices)
                raise self.error((*where, key), f"unknown key `{key}`", hint)


def load(path: Path) -> Document:
    """The one mapping that the file holds. Every error names its line."""
    try:
        if path.stat().st_size > _LIMIT_BYTES:
            raise UsageError(f"{path} is larger than {_LIMIT_BYTES >> 20} MiB, too large for this kind of file")
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(f"there is no file `{path}`") from None
    except OSError as problem:
        raise UsageError(f"cannot read `{path}`: {problem.strerror}") from None
    except UnicodeDecodeError as problem:
        raise UsageError(f"{path} is not text in UTF-8 (byte {problem.start})") from None
    return parse(text, path)


def parse(text: str, path: Path) -> Document:
    import yaml

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        line = mark.line + 1 if mark else 1
        inner = "mapping values" in str(problem.problem)
        hint = "put quotes around a value that contains `: `" if inner else "is the indentation right?"
        raise UsageError(f"{path}:{line}: {problem.problem or 'not YAML'}", hint) from None
    except RecursionError:
        raise UsageError(f"{path}: nested more than {_LIMIT_DEPTH} deep") from None
    except (yaml.YAMLError, ValueError) as problem:
        raise UsageError(f"{path}: not YAML: {str(problem).splitlines()[0]}") from None
    build = _Build(path)
    value = build.value(root, ()) if root is not None else {}
    if not isinstance(value, dict):
        raise UsageError(f"{path}:1: not `key: value` lines", "see the examples in examples/")
    return Document(path=path, value=value, lines=build.lines)


class _Build:
    """From YAML's nodes to plain values, keeping lines. Aliases are followed, but only so far."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._count = 0
        self.lines: dict[Where, int] = {}

    def value(self, node: Any, where: Where) -> Any:
        self._count += 1
        line = node.start_mark.line + 1
        if self._count > _LIMIT_VALUES or len(where) > _LIMIT_DEPTH:
            message = f"too many values, or too deep (the limits are {_LIMIT_VALUES:,} and {_LIMIT_DEPTH})"
            raise UsageError(
                f"{self._path}:{line}: {message}", "check whether an alias (`*name`) stands for many others"
            )
        if node.tag.removeprefix(_CORE) not in _PLAIN:
            tag = node.tag.replace(_CORE, "!!")
            raise UsageError(
                f"{self._path}:{line}: tags such as `{tag}` are not supported", "write the value without it"
            )
        self.lines.setdefault(where, line)
        if node.id == "mapping":
            return self._mapping(node, where)
        if node.id == "sequence":
            return [self.value(one, (*where, index)) for index, one in enumerate(node.value)]
        return self._scalar(node)

    def _mapping(self, node: Any, where: Where) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if key_node.id != "scalar":
                raise UsageError(f"{self._path}:{line}: a key must be a word")
            key = str(key_node.value)
            if key == "<<" and key_node.style is None:
                raise UsageError(f"{self._path}:{line}: merge keys (`<<`) are not supported", "write the lines out")
            if key in found:
                raise UsageError(f"{self._path}:{line}: `{key}` appears twice", "keep one of them")
            here = (*where, key)
            self.lines[here] = line
            found[key] = self.value(value_node, here)
        return found

    def _scalar(self, node: Any) -> Any:
        text = str(node.value)
        if node.style is not None:  # in quotes: text, whatever it looks like
            return text
        return None if text in ("", "~", "null") else typed(text)
