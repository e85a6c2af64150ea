"""Checkpoints: whole or not there, checked when read, nothing in them that runs.

A file is a safetensors file (a JSON header, then raw numbers), so other programs open it too. Its header carries the
sha256 of the whole, the settings, and plain values: the step, seconds of training, results. It is written beside,
synced and renamed, on a separate thread: training waits only for the copy of its tensors, and for the checkpoint
before where that is not on disk yet.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay_workloads.failure import BadSetting, Failure, warn

if TYPE_CHECKING:
    import torch

_NAME = re.compile(r"checkpoint-(\d+)\.safetensors")
_TEMPORARY = re.compile(r"\.checkpoint-\d+\.safetensors\.\d+")
_DTYPES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64", "I32": "int32",
    "I16": "int16", "I8": "int8", "U8": "uint8", "BOOL": "bool",
}  # fmt: skip
_NO_SUM = "0" * 64
_LONGEST_HEADER = 100 << 20


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A checkpoint that was read back whole."""

    path: Path
    step: int
    settings: Mapping[str, Any]
    values: Mapping[str, Any]
    tensors: Mapping[str, torch.Tensor]


class Checkpoints:
    """The last `keep` checkpoints of a run, in its folder `checkpoints`."""

    def __init__(
        self, folder: str | Path, *, keep: int, settings: Mapping[str, Any], writes: bool = True
    ) -> None:  # of several processes one writes
        self.folder, self.keep, self.settings, self.writes = Path(folder, "checkpoints"), keep, settings, writes
        self.last: Path | None = None  # the newest that is whole on disk
        self._ours = False  # whether what lies in the folder is of this run
        self._thread: threading.Thread | None = None

    def save(self, step: int, tensors: Mapping[str, torch.Tensor], values: Mapping[str, Any]) -> None:
        """Copy the state now and write it while training goes on. A state that is not finite is never kept."""
        if not self.writes:
            return
        copied = {name: tensor.detach().to("cpu", copy=True).contiguous() for name, tensor in tensors.items()}
        self.wait()
        self._thread = threading.Thread(target=self._write, args=(step, copied, dict(values)), name="checkpoint")
        self._thread.start()

    def wait(self) -> None:
        """Until what was saved is on disk (or was warned about)."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _write(self, step: int, tensors: Mapping[str, torch.Tensor], values: Mapping[str, Any]) -> None:
        broken = [name for name, tensor in tensors.items() if tensor.is_floating_point() and not _finite(tensor)]
        if broken:
            warn(f"no checkpoint of step {step}: `{broken[0]}` contains a value that is not finite")
            return
        path = self.folder / f"checkpoint-{step:08d}.safetensors"
        try:
            self._set_aside()
            self.folder.mkdir(parents=True, exist_ok=True)
            write(path, tensors, {"step": step, "settings": dict(self.settings), "values": values})
        except OSError as problem:
            warn(f"no checkpoint of step {step}: {problem.strerror or problem}; training continues")
            return
        self.last, self._ours = path, True
        for old in found(self.folder)[: -self.keep]:
            old.unlink(missing_ok=True)

    def _set_aside(self) -> None:
        """What an earlier run left there: by its steps it would count as newer than ours, and ours would go."""
        goes_on = self.last is not None and self.last.parent.resolve() == self.folder.resolve()
        if self._ours or goes_on or not found(self.folder):
            return
        places = (self.folder.with_name(f"{self.folder.name}-before-{number}") for number in count(1))
        aside = next(place for place in places if not place.exists())
        self.folder.rename(aside)
        warn(f"the checkpoints of an earlier run in `{self.folder}` are now in `{aside}`")


def write(path: Path, tensors: Mapping[str, torch.Tensor], about: Mapping[str, Any]) -> None:
    """One file, whole or not at all, even when the machine stops."""
    names = {kind: short for short, kind in _DTYPES.items()}
    header: dict[str, Any] = {"__metadata__": {"format": "pt", "sha256": _NO_SUM, "assay": json.dumps(about)}}
    blocks, at = [], 0
    for name, tensor in tensors.items():
        block = _bytes(tensor)
        kind = names[str(tensor.dtype).removeprefix("torch.")]
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [at, at + len(block)]}
        blocks.append(block)
        at += len(block)
    head = _encode(header)
    header["__metadata__"]["sha256"] = _sum(head, *blocks)
    head = _encode(header)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(temporary, "wb") as file:
            file.write(len(head).to_bytes(8, "little") + head)
            for block in blocks:
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read(path: Path) -> Loaded:
    """The checkpoint at `path`, refused unless every byte is the one that was written."""
    try:
        content = bytearray(path.read_bytes())
    except OSError as problem:
        raise Failure("missing-file", f"`{path}`: {problem.strerror}") from None
    length = int.from_bytes(content[:8], "little")
    damaged = Failure("stale-checkpoint", f"`{path}` is damaged or cut short", "choose another checkpoint")
    if len(content) < 8 or length > min(_LONGEST_HEADER, len(content) - 8):
        raise damaged
    try:
        header = json.loads(content[8 : 8 + length])
        about = header.pop("__metadata__")
        told, kept = about["sha256"], json.loads(about["assay"])
        head = bytes(content[8 : 8 + length]).replace(told.encode(), _NO_SUM.encode(), 1)
        body = memoryview(content)[8 + length :]
        if _sum(head, body) != told:
            raise damaged
        tensors = {name: _tensor(body, **entry) for name, entry in header.items()}
        return Loaded(path=path, step=kept["step"], settings=kept["settings"], values=kept["values"], tensors=tensors)
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError):
        raise damaged from None


def resume(where: str, folder: str, settings: Mapping[str, Any]) -> Loaded:
    """The checkpoint to go on from: the file `where`, or the newest whole one in that folder (`out`: our own)."""
    loaded = newest(folder if where == "out" else where)
    differs = [
        f"{name}: `{loaded.settings.get(name)}` then, `{settings.get(name)}` now"
        for name in sorted({*settings, *loaded.settings})
        if settings.get(name) != loaded.settings.get(name)
    ]
    if differs:
        raise BadSetting(f"`{loaded.path}` is of a run with other settings", "; ".join(differs), "stale-checkpoint")
    return loaded


def found(folder: Path) -> list[Path]:
    """Checkpoints in a folder, oldest first. What a killed run left half written is removed."""
    names = os.listdir(folder) if folder.is_dir() else []
    for name in names:
        if _TEMPORARY.fullmatch(name) and not _is_alive(int(name.rpartition(".")[2])):
            (folder / name).unlink(missing_ok=True)
    ours = [name for name in names if _NAME.fullmatch(name)]
    return [folder / name for name in sorted(ours, key=lambda name: int(name.split("-")[1].split(".")[0]))]


def newest(where: str) -> Loaded:
    """The checkpoint at that place: the file itself, else the newest whole one of that folder."""
    place = Path(where)
    if place.is_file():
        return read(place)
    candidates = found(place / "checkpoints") or found(place)
    if not candidates:
        raise Failure(
            "missing-file", f"no checkpoint in `{place}`", "name a checkpoint, or the folder of a run that kept some"
        )
    for path in reversed(candidates):
        try:
            return read(path)
        except Failure as failure:
            if path == candidates[0]:
                raise
            warn(f"{failure.message}; using the one before")
    raise AssertionError("unreachable: the oldest is returned or raised")


def _tensor(body: memoryview, *, dtype: str, shape: list[int], data_offsets: list[int]) -> torch.Tensor:
    import torch

    kind = getattr(torch, _DTYPES[dtype])
    begin, end = data_offsets
    if begin == end:
        return torch.empty(shape, dtype=kind)
    return torch.frombuffer(bytearray(body[begin:end]), dtype=kind).reshape(shape)


def _bytes(tensor: torch.Tensor) -> memoryview:
    import torch

    flat = tensor.contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().data if flat.numel() else memoryview(b"")


def _finite(tensor: torch.Tensor) -> bool:
    return bool(tensor.isfinite().all())


def _encode(header: Mapping[str, Any]) -> bytes:
    text = json.dumps(header, separators=(",", ":")).encode()
    return text + b" " * (-len(text) % 8)  # so that the numbers are aligned


def _sum(*parts: bytes | memoryview) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
