"""WordPiece, held against the tokenizer that people use."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import BertTokenizerFast

from assay_workloads.data import sst, vocab
from assay_workloads.wordpiece import WordPiece

PIECES = Path(__file__).parents[3] / "shared/data"
pytestmark = pytest.mark.skipif(not PIECES.is_dir(), reason="no vocabulary at hand")
SPECIAL = ("[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]")


@pytest.fixture(scope="module")
def both() -> tuple[WordPiece, BertTokenizerFast]:
    pieces = vocab.load(str(PIECES))
    return WordPiece(pieces), BertTokenizerFast(vocab={piece: number for number, piece in enumerate(pieces)})


def same(both: tuple[WordPiece, BertTokenizerFast], text: str) -> None:
    ours, theirs = both
    assert ours.ids(text) == theirs.encode(text, add_special_tokens=False), text


def test_every_sentence_of_the_test_set_has_the_same_pieces(both: tuple[WordPiece, BertTokenizerFast]) -> None:
    for text, _ in sst.load(str(PIECES)).test:
        same(both, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "crème brûlée",
        "don't",
        "中文 mixed 中",
        "x" * 101,
        "a\x00b\tc\u00a0d",
        "İstanbul",
        "…—“”",
        "e\u0301",
        "٣",
    ],
)
def test_odd_texts_have_the_same_pieces(both: tuple[WordPiece, BertTokenizerFast], text: str) -> None:
    same(both, text)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(text=st.text(alphabet=st.characters(max_codepoint=0x4FF, exclude_categories=("Cs", "Cn", "Co")), max_size=40))
def test_any_text_has_the_same_pieces(both: tuple[WordPiece, BertTokenizerFast], text: str) -> None:
    if not any(special in text for special in SPECIAL):
        same(both, text)


def test_a_sentence_is_cut_and_keeps_its_ends(both: tuple[WordPiece, BertTokenizerFast]) -> None:
    pieces, _ = both
    ids = pieces.sentence("one two three four five six", 5)
    assert (len(ids), ids[0], ids[-1]) == (5, pieces.cls, pieces.sep)
