"""YAML that programs wrote, as plain values: no tag makes anything, no merge and no alias grows, nothing runs for long.

A few hundred bytes of aliases stand for gigabytes, and a tag may name any class of Python. So events are taken one by
one: what an alias stands for is counted as often as it is used, and a tag is passed over.
"""

from __future__ import annotations

from typing import Any

from assay.errors import AssayError
from assay.spec import typed

_MOST_BYTES = 2 << 20
_MOST_VALUES = 100_000
_DEEPEST = 50


def load(content: bytes, name: str) -> Any:
    """The first document of a file; a list or a mapping that is used twice is one object."""
    import yaml

    if len(content) > _MOST_BYTES:
        raise AssayError(f"`{name}` is larger than {_MOST_BYTES >> 20} MiB, too large for a file of its kind")
    build = _Build(name)
    try:
        for event in yaml.parse(content.decode("utf-8", "replace"), Loader=yaml.SafeLoader):
            build.take(event, type(event).__name__)
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        raise AssayError(f"`{name}` is not YAML: {str(problem).splitlines()[0]}") from None
    return build.root


class _Build:
    """The open containers, and for each anchor its value and how many values that contains."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._open: list[tuple[Any, list[Any], str | None]] = []  # container, key that waits, anchor
        self._known: dict[str, tuple[Any, int]] = {}
        self._count = 0
        self._began: list[int] = []
        self.root: Any = None

    def take(self, event: Any, kind: str) -> None:
        if kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._opened({} if kind == "MappingStartEvent" else [], event.anchor)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            container, _, anchor = self._open.pop()
            self._keep(container, anchor, self._count - self._began.pop())
            self._put(container)
        elif kind == "ScalarEvent":
            value = _scalar(event)
            self._add(1)
            self._keep(value, event.anchor, 1)
            self._put(value)
        elif kind == "AliasEvent":
            value, size = self._known.get(event.anchor, (None, 1))
            self._add(size)
            self._put(value)

    def _opened(self, container: Any, anchor: str | None) -> None:
        if len(self._open) >= _DEEPEST:
            raise AssayError(f"`{self._name}` is nested more than {_DEEPEST} deep")
        self._began.append(self._count)
        self._add(1)
        self._open.append((container, [], anchor))

    def _add(self, size: int) -> None:
        self._count += size
        if self._count > _MOST_VALUES:
            raise AssayError(f"`{self._name}` contains more than {_MOST_VALUES:,} values")

    def _keep(self, value: Any, anchor: str | None, size: int) -> None:
        if anchor is not None:
            self._known[anchor] = value, size

    def _put(self, value: Any) -> None:
        if not self._open:
            self.root = value if self.root is None else self.root
            return
        container, waiting, _ = self._open[-1]
        if isinstance(container, list):
            container.append(value)
        elif waiting:
            container[waiting.pop()] = value
        else:
            waiting.append(value if isinstance(value, (str, int, float, bool)) else str(value)[:100])


def _scalar(event: Any) -> Any:
    if event.style is not None:  # in quotes: text, whatever it looks like
        return str(event.value)
    return None if event.value in ("", "~", "null", "Null", "NULL") else typed(str(event.value))
