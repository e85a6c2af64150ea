"""TensorBoard files, written while training: the package that usually does it is not on every machine that trains."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay_workloads.failure import warn
from assay_workloads.records import double, part, record, single, text, whole


@dataclass(frozen=True, kw_only=True)
class Node:
    """One box of a model graph."""

    name: str
    op: str
    inputs: Sequence[str] = ()
    shape: Sequence[int] = ()


class Board:
    """One event file in the folder `tensorboard` of a run. What cannot be written is warned about once."""

    def __init__(self, folder: str | Path) -> None:
        self._file: int | None = None
        place = Path(folder, "tensorboard")
        name = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{os.getpid()}"
        try:
            place.mkdir(parents=True, exist_ok=True)
            self._file = os.open(place / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as problem:
            warn(f"the TensorBoard file cannot be written: {problem.strerror}")
        self._write(text(3, "brain.Event:2"))

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        """One figure a tag, at this step and moment."""
        parts = b"".join(part(1, text(1, tag) + single(2, value)) for tag, value in values.items())
        self._write(whole(2, step) + part(5, parts))

    def graph(self, nodes: Sequence[Node]) -> None:
        """The model as boxes and arrows."""
        content = b"".join(part(1, _node(node)) for node in nodes) + part(4, whole(1, 22))
        self._write(part(4, content))

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _write(self, message: bytes) -> None:
        if self._file is None:
            return
        try:
            os.write(self._file, record(double(1, time.time()) + message))
        except OSError as problem:
            warn(f"the TensorBoard file is incomplete: {problem.strerror}")
            self.close()


def _node(node: Node) -> bytes:
    content = text(1, node.name) + text(2, node.op) + b"".join(text(3, source) for source in node.inputs)
    if node.shape:
        sizes = b"".join(part(2, whole(1, size)) for size in node.shape)
        shapes = part(1, part(7, sizes))  # AttrValue.list.shape
        content += part(5, text(1, "_output_shapes") + part(2, shapes))
    return content
