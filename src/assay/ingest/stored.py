"""A run as another tool keeps it: what the readers of MLflow and W&B both give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import AssayError


@dataclass(kw_only=True)
class Record:
    """One run as it is kept there. `metrics` are (name, value, step, unix seconds), in order of time."""

    system: str
    name: str
    settings: Mapping[str, object] = field(default_factory=dict)
    metrics: Iterable[tuple[str, float, int, float]] = ()
    results: dict[str, float] = field(default_factory=dict)
    status: str = "unfinished"
    command: str | None = None
    notes: list[str] = field(default_factory=list)


def bounded_bytes(path: Path, most_bytes: int) -> bytes:
    """The content of a file, unless it is larger than its kind can be."""
    try:
        with open(path, "rb") as file:
            content = file.read(most_bytes + 1)
    except OSError as problem:
        raise AssayError(f"cannot read `{path}`: {problem.strerror}") from None
    if len(content) > most_bytes:
        raise AssayError(f"`{path}` is larger than {most_bytes >> 20} MiB, too large for a file of its kind")
    return content
