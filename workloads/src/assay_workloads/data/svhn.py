"""Street View House Numbers, cropped: 3×32×32 pixels, ten classes; train with extra, and test.

Where it cannot be had (1.6 GB, one public server), MNIST is brought to the same shape and named so.
The files are MATLAB's version 5, read here so that the workload needs no scipy.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from assay_workloads.data import mnist
from assay_workloads.data.download import say
from assay_workloads.data.fetch import find
from assay_workloads.data.files import SYNTHETIC, DataError, Dataset, File, Form, Found
from assay_workloads.data.mnist import Images

if TYPE_CHECKING:
    from assay_workloads.data.mnist import Bytes

_SERVER = "http://ufldl.stanford.edu/housenumbers/"


def _file(name: str, size_bytes: int, sha256: str) -> File:
    return File(name=name, sha256=sha256, size_bytes=size_bytes, urls=(_SERVER + name,))


_TRAIN = _file("train_32x32.mat", 182040794, "435e94d69a87fde4fd4d7f3dd208dfc32cb6ae8af2240d066de1df7508d083b8")
_TEST = _file("test_32x32.mat", 64275384, "cdce80dfb2a2c4c6160906d0bd7c68ec5a99d7ca4831afa54f09182025b6a75b")
_EXTRA = _file("extra_32x32.mat", 1329278602, "a133a4beb38a00fcdda90c9489e0c04f900b660ce8a316a5e854838379a71eb3")
DATASET = Dataset(
    name="svhn",
    what="630,420 house numbers, 3×32×32 (or MNIST resized to that shape)",
    instead="MNIST, brought to its shape,",
    forms=(
        Form(real="svhn train+extra", files=(_TRAIN, _TEST, _EXTRA)),
        Form(real="svhn train", files=(_TRAIN, _TEST)),
    ),
)


def load(where: str | None = None) -> Images:
    """[N, 3, 32, 32] and [N], uint8. `mnist` asks for the stand-in, `synthetic` for noise."""
    if where == SYNTHETIC:
        return mnist.made_up((3, 32, 32))
    if where == "mnist":
        return stand_in(mnist.load(None))
    try:
        found = find(DATASET, where)
    except DataError as missing:
        try:
            images = stand_in(mnist.load(where))
        except DataError:
            raise missing from None
        say(f"{missing.message.partition(':')[0]}; MNIST is used instead")
        return images
    train = [_read(found.paths[file.name]) for file in found.form.files if file is not _TEST]
    test_x, test_y = _read(found.paths[_TEST.name])
    return _joined(found, train, test_x, test_y)


def stand_in(digits: Images) -> Images:
    """MNIST with two black pixels around it, the same in all three colours."""
    import numpy

    def wide(images: Bytes) -> Bytes:
        padded = numpy.pad(images, ((0, 0), (2, 2), (2, 2)))
        return numpy.repeat(padded[:, None], 3, axis=1)

    return Images(
        train_x=wide(digits.train_x),
        train_y=digits.train_y,
        test_x=wide(digits.test_x),
        test_y=digits.test_y,
        name=f"{digits.name} as 3x32x32" if digits.name != SYNTHETIC else SYNTHETIC,
        source=digits.source,
    )


def _joined(found: Found, train: list[tuple[Bytes, Bytes]], test_x: Bytes, test_y: Bytes) -> Images:
    import numpy

    return Images(
        train_x=numpy.concatenate([x for x, _ in train]),
        train_y=numpy.concatenate([y for _, y in train]),
        test_x=test_x,
        test_y=test_y,
        name=found.form.real,
        source=found.source,
    )


def _read(path: Path) -> tuple[Bytes, Bytes]:
    """X of 32×32×3×N, column by column, and y of N×1, where ten stands for zero."""
    import numpy

    arrays = matrices(path)
    if set(arrays) < {"X", "y"}:
        raise DataError(f"`{path}` contains no images, only {', '.join(arrays) or 'nothing'}")
    images = numpy.ascontiguousarray(arrays["X"].transpose(3, 2, 0, 1))
    return images, arrays["y"].reshape(-1) % 10


def matrices(path: Path) -> dict[str, Bytes]:
    """The arrays of bytes in a MATLAB 5 file: elements of (type, length, content), each may be packed with zlib."""
    content, at, found = path.read_bytes(), 128, {}
    try:
        while at + 8 <= len(content):
            kind, size = struct.unpack_from("<II", content, at)
            body = content[at + 8 : at + 8 + size]
            at += 8 + size
            if kind == 15:
                body = zlib.decompress(body)
                kind, size = struct.unpack_from("<II", body)
                body = body[8 : 8 + size]
            if kind == 14:
                name, array = _matrix(body)
                found[name] = array
    except (struct.error, zlib.error, ValueError) as problem:
        raise DataError(f"`{path}` is not a complete MATLAB file: {problem}") from None
    return found


def _matrix(body: bytes) -> tuple[str, Bytes]:
    """Flags, dimensions, name, values: each an element padded to eight bytes, or packed into eight when it is short."""
    import numpy

    at, parts = 0, []
    for _ in range(4):
        kind, size = struct.unpack_from("<II", body, at)
        if kind >> 16:  # short: the size is in the upper half and the content follows at once
            parts.append(body[at + 4 : at + 4 + (kind >> 16)])
            at += 8
        else:
            parts.append(body[at + 8 : at + 8 + size])
            at += 8 + (size + 7) // 8 * 8
    sizes = struct.unpack(f"<{len(parts[1]) // 4}i", parts[1])
    return parts[2].decode("ascii"), numpy.frombuffer(parts[3], numpy.uint8).reshape(sizes, order="F")
