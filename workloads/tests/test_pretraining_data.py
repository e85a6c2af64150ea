"""Pairs of sentences: what BERT reads is the text, but for what was hidden on purpose."""

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("torch")

from assay_workloads.bert import NO_LABEL  # noqa: E402
from assay_workloads.failure import Failure  # noqa: E402
from assay_workloads.pretraining_data import Pairs, Random, read  # noqa: E402
from assay_workloads.wordpiece import WordPiece  # noqa: E402

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LENGTH = 32


@pytest.fixture(scope="module")
def words():
    return WordPiece([*SPECIAL, *(f"d{document}s{sentence}w" for document in range(40) for sentence in range(12)),
                      *(f"##{number}" for number in range(10))])  # fmt: skip


@pytest.fixture(scope="module")
def corpus(words):
    """Every word says which document and sentence it is of."""
    dice = np.random.default_rng(0)
    documents = [
        [" ".join(f"d{d}s{s}w{dice.integers(10)}" for _ in range(dice.integers(1, 9))) for s in range(12)]
        for d in range(40)
    ]
    return read(documents, words, LENGTH)


@pytest.fixture
def pairs(corpus, words):
    return Pairs(corpus, words, length=LENGTH, predictions=5, seed=3)


def whole(batch):
    """The rows before anything was hidden."""
    ids = batch.ids.copy()
    for row in range(len(ids)):
        used = batch.labels[row] != NO_LABEL
        ids[row, batch.positions[row][used]] = batch.labels[row][used]
    return ids


def halves(ids, words):
    """(document, sentence) of each word of both halves."""
    pieces = [words.pieces[i] for i in ids]
    first = pieces.index("[SEP]")
    end = pieces.index("[SEP]", first + 1)
    assert pieces[0] == "[CLS]" and all(piece == "[PAD]" for piece in pieces[end + 1 :])
    places = []
    for half in (pieces[1:first], pieces[first + 1 : end]):
        heads = [piece[1:-1].split("s") for piece in half if not piece.startswith("##")]
        places.append([(int(document), int(sentence)) for document, sentence in heads])
    return places


def test_chunks_are_whole_sentences_of_one_document_and_cover_the_text(corpus):
    assert corpus.chunk_first[0] == 0 and corpus.chunk_end[-1] == len(corpus.starts) - 1
    assert (corpus.chunk_first[1:] == corpus.chunk_end[:-1]).all()
    several = corpus.chunk_end - corpus.chunk_first > 1
    sizes = corpus.starts[corpus.chunk_end] - corpus.starts[corpus.chunk_first]
    assert (sizes[several] <= LENGTH - 3).all()


def test_the_second_half_continues_the_text_or_comes_from_another_document(pairs, words):
    batch = pairs.batch(0, 64)
    rows = whole(batch)
    for ids, is_random in zip(rows, batch.is_random_next, strict=True):
        first, second = halves(ids, words)
        assert first == sorted(first) and len({document for document, _ in first}) == 1
        if is_random:
            assert not {document for document, _ in first} & {document for document, _ in second}
        else:
            assert second[0][0] == first[0][0] and second[0][1] >= first[-1][1]
    assert 0.3 < batch.is_random_next.mean() < 0.8


def test_types_and_lengths_follow_the_separators(pairs, words):
    batch = pairs.batch(1, 64)
    for ids, types, length in zip(batch.ids, batch.types, batch.lengths, strict=True):
        separators = np.flatnonzero(ids == words.sep)
        assert list(separators[-2:]) == [separators[-2], length - 1]
        assert types.tolist() == [int(separators[-2] < i < length) for i in range(LENGTH)]


def test_words_are_hidden_in_the_published_shares(corpus, words):
    pairs = Pairs(corpus, words, length=LENGTH, predictions=20, seed=0)
    masked = kept = hidden = candidates = 0
    for step in range(60):
        batch = pairs.batch(step, 64)
        used = batch.labels != NO_LABEL
        assert used.any(axis=1).all()
        now = np.take_along_axis(batch.ids, batch.positions, 1)
        assert not np.isin(batch.labels[used], [words.pad, words.cls, words.sep]).any()
        for row, positions in enumerate(batch.positions):
            chosen = positions[used[row]]
            assert len(set(chosen.tolist())) == len(chosen)
        masked += (now == words.mask)[used].sum()
        kept += (now == batch.labels)[used].sum()
        hidden += used.sum()
        candidates += (batch.lengths - 3).sum()
    assert hidden / candidates == pytest.approx(0.15, abs=0.02)
    assert masked / hidden == pytest.approx(0.8, abs=0.02)
    assert kept / hidden == pytest.approx(0.1, abs=0.02)


def test_every_word_is_as_likely_to_be_hidden(pairs):
    counts = np.zeros(LENGTH)
    seen = np.zeros(LENGTH)
    for step in range(200):
        batch = pairs.batch(step, 32)
        full = batch.lengths > 28
        used = batch.labels != NO_LABEL
        np.add.at(counts, batch.positions[full][used[full]], 1)
        seen += (np.arange(LENGTH)[None, :] < batch.lengths[full][:, None]).sum(0)
    inner = (counts / np.maximum(seen, 1))[1:28]
    assert inner.min() > 0.5 * inner.mean()  # separators move about, so no place is always one
    assert inner.max() < 1.5 * inner.mean()


def test_a_batch_depends_on_seed_and_step_alone(corpus, words, pairs):
    later = Pairs(corpus, words, length=LENGTH, predictions=5, seed=3)
    expected = [pairs.batch(step, 16) for step in range(4)]
    found = [later.batch(step, 16) for step in (3, 1)]
    for one, other in zip(found, (expected[3], expected[1]), strict=True):
        for left, right in zip(one.arrays(), other.arrays(), strict=True):
            assert np.array_equal(left, right)
    assert not np.array_equal(expected[0].ids, expected[1].ids)
    other_seed = Pairs(corpus, words, length=LENGTH, predictions=5, seed=4)
    assert not np.array_equal(other_seed.batch(0, 16).ids, expected[0].ids)


def test_an_epoch_reads_every_chunk_once_and_the_next_in_another_order(pairs, corpus, words):
    steps = pairs.epoch(8)
    assert steps == len(corpus) // 8
    seen = [pairs._order(0)[place * 8 : place * 8 + 8] for place in range(steps)]
    assert len(set(np.concatenate(seen).tolist())) == steps * 8
    assert not np.array_equal(pairs._order(0), pairs._order(1))


def test_rows_of_a_part_are_rows_of_the_whole(pairs):
    batch = pairs.batch(2, 12)
    parts = [batch.rows(0, 5), batch.rows(5, 12)]
    assert np.array_equal(np.concatenate([part.ids for part in parts]), batch.ids)
    assert np.array_equal(np.concatenate([part.labels for part in parts]), batch.labels)


def test_long_sentences_lose_words_at_either_end_and_keep_a_full_row(words):
    documents = [[" ".join(f"d{d}s{s}w{i % 10}" for i in range(60)) for s in range(2)] for d in range(3)]
    batch = Pairs(read(documents, words, LENGTH), words, length=LENGTH, predictions=5, seed=0).batch(0, 4)
    assert (batch.lengths == LENGTH).all()


def test_one_document_is_refused_since_there_is_no_other(words):
    with pytest.raises(Failure, match="one document"):
        Pairs(read([["d0s0w1", "d0s1w2"]], words, LENGTH), words, length=LENGTH, predictions=5, seed=0)


def test_made_up_rows_are_full():
    batch = Random(vocab=100, length=16, predictions=4, seed=0).batch(0, 8)
    assert batch.lengths is None and batch.ids.shape == (8, 16) and (batch.labels != NO_LABEL).all()
    assert all(len(set(row)) == 4 for row in batch.positions.tolist())
