"""Text as BERT learns from it: pairs of sentences, some words hidden, and whether the second followed the first.

Documents become one row of word pieces, cut into chunks of whole sentences that fit a sequence. A batch is made when
it is wanted, with numpy over all its rows at once, and is a function of the seed and the number of its step alone: a
resumed run sees the same, and so do four processes instead of one, each taking its rows of the same batch. Every epoch
splits, pairs and hides anew.

As published: the second half is from another document half of the time (always where a chunk is one sentence); what is
too long loses words at either end of its longer half; 15 % of the words are predicted, at most `predictions`, of which
80 % are replaced by [MASK], 10 % by a random piece, 10 % left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay_workloads.bert import NO_LABEL
from assay_workloads.failure import Failure
from assay_workloads.wordpiece import WordPiece

Ints = NDArray[np.int64]
_PREDICTED_SHARE = 0.15
#: of the streams of random numbers that a seed gives
_ORDER, _BATCH = 0, 1


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Rows of one weight update: all [rows, …]. A position that is not used has the label `NO_LABEL`."""

    ids: Ints
    types: Ints
    lengths: Ints | None  # None: every row is full
    positions: Ints
    labels: Ints
    is_random_next: Ints

    def rows(self, begin: int, end: int) -> Batch:
        return Batch(
            ids=self.ids[begin:end],
            types=self.types[begin:end],
            lengths=None if self.lengths is None else self.lengths[begin:end],
            positions=self.positions[begin:end],
            labels=self.labels[begin:end],
            is_random_next=self.is_random_next[begin:end],
        )

    def arrays(self) -> tuple[Ints, Ints, Ints | None, Ints, Ints, Ints]:
        return self.ids, self.types, self.lengths, self.positions, self.labels, self.is_random_next


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Pieces of all sentences in a row. Sentence i is pieces[starts[i]:starts[i + 1]]."""

    pieces: NDArray[np.int32]
    starts: Ints
    chunk_first: Ints  # sentence with which a chunk begins
    chunk_end: Ints  # and the one after its last
    chunk_document: Ints

    def __len__(self) -> int:
        return len(self.chunk_first)

    def part(self, begin: int, end: int) -> Corpus:
        """Some of the chunks."""
        return Corpus(
            pieces=self.pieces,
            starts=self.starts,
            chunk_first=self.chunk_first[begin:end],
            chunk_end=self.chunk_end[begin:end],
            chunk_document=self.chunk_document[begin:end],
        )


def read(documents: Sequence[Sequence[str]], words: WordPiece, length: int) -> Corpus:
    """The documents in pieces, cut for sequences of `length`."""
    pieces: list[int] = []
    starts, chunks = [0], []
    for document_number, document in enumerate(documents):
        chunk_begin = len(starts) - 1
        for sentence in document:
            found = words.ids(sentence)
            if not found:
                continue
            here = len(starts) - 1
            if here > chunk_begin and len(pieces) + len(found) - starts[chunk_begin] > length - 3:
                chunks.append((chunk_begin, here, document_number))
                chunk_begin = here
            pieces += found
            starts.append(len(pieces))
        if len(starts) - 1 > chunk_begin:
            chunks.append((chunk_begin, len(starts) - 1, document_number))
    table = np.array(chunks, dtype=np.int64).reshape(-1, 3)
    return Corpus(
        pieces=np.array(pieces, dtype=np.int32),
        starts=np.array(starts, dtype=np.int64),
        chunk_first=table[:, 0].copy(),
        chunk_end=table[:, 1].copy(),
        chunk_document=table[:, 2].copy(),
    )


class Pairs:
    """Batches of a corpus."""

    def __init__(self, corpus: Corpus, words: WordPiece, *, length: int, predictions: int, seed: int) -> None:
        if len(set(corpus.chunk_document.tolist())) < 2:
            raise Failure(
                "impossible-request",
                "the text has only one document, but half of the pairs take their second sentence from another",
                "separate documents by a blank line",
            )
        self.corpus, self.words, self.length, self.predictions, self.seed = corpus, words, length, predictions, seed
        self._special = np.array([words.pad, words.cls, words.sep])

    def epoch(self, batch: int) -> int:
        """Batches of one pass; what does not fill one is left to the next pass, which has another order."""
        return len(self.corpus) // batch

    def batch(self, step: int, rows: int) -> Batch:
        """That of this weight update."""
        epoch, place = divmod(step, self.epoch(rows))
        order = self._order(epoch)
        return self.make(order[place * rows : (place + 1) * rows], random_numbers(self.seed, _BATCH, step))

    def make(self, chunks: Ints, dice: np.random.Generator) -> Batch:
        corpus = self.corpus
        first, end = corpus.chunk_first[chunks], corpus.chunk_end[chunks]
        split = first + 1 + (dice.random(len(chunks)) * np.maximum(end - first - 1, 1)).astype(np.int64)
        is_random = (dice.random(len(chunks)) < 0.5) | (end - first == 1)
        others = self._other_documents(chunks, dice)
        other_first, other_end = corpus.chunk_first[others], corpus.chunk_end[others]
        other_split = other_first + (dice.random(len(chunks)) * (other_end - other_first)).astype(np.int64)

        a, a_end = corpus.starts[first], corpus.starts[np.minimum(split, end)]
        b = corpus.starts[np.where(is_random, other_split, np.minimum(split, end))]
        b_end = corpus.starts[np.where(is_random, other_end, end)]
        a, a_count, b, b_count = _shorten(a, a_end - a, b, b_end - b, self.length - 3, dice)
        ids, types, lengths = self._rows(a, a_count, b, b_count)
        positions, labels = self._hide(ids, lengths, dice)
        return Batch(
            ids=ids,
            types=types,
            lengths=lengths,
            positions=positions,
            labels=labels,
            is_random_next=is_random.astype(np.int64),
        )

    def _order(self, epoch: int) -> Ints:
        known: tuple[int, Ints] | None = getattr(self, "_known_order", None)
        if known is None or known[0] != epoch:
            known = (epoch, random_numbers(self.seed, _ORDER, epoch).permutation(len(self.corpus)))
            self._known_order = known
        return known[1]

    def _other_documents(self, chunks: Ints, dice: np.random.Generator) -> Ints:
        """For each a chunk of another document, all equally likely: chunks of a document lie together."""
        documents = self.corpus.chunk_document
        own = documents[chunks]
        begin = np.searchsorted(documents, own, side="left")
        count = np.searchsorted(documents, own, side="right") - begin
        picked = (dice.random(len(chunks)) * (len(documents) - count)).astype(np.int64)
        found: Ints = np.where(picked >= begin, picked + count, picked)
        return found

    def _rows(self, a: Ints, a_count: Ints, b: Ints, b_count: Ints) -> tuple[Ints, Ints, Ints]:
        """[CLS] a [SEP] b [SEP] and padding."""
        column = np.arange(self.length)[None, :]
        a, a_count, b, b_count = a[:, None], a_count[:, None], b[:, None], b_count[:, None]
        lengths = a_count + b_count + 3
        in_b = (column >= a_count + 2) & (column < lengths - 1)
        from_where = np.where(in_b, b + column - a_count - 2, a + column - 1)
        ids = self.corpus.pieces[np.clip(from_where, 0, len(self.corpus.pieces) - 1)].astype(np.int64)
        ids[:, 0] = self.words.cls
        ids[(column == a_count + 1) | (column == lengths - 1)] = self.words.sep
        ids[column >= lengths] = self.words.pad
        types = ((column >= a_count + 2) & (column < lengths)).astype(np.int64)
        return ids, types, lengths[:, 0]

    def _hide(self, ids: Ints, lengths: Ints, dice: np.random.Generator) -> tuple[Ints, Ints]:
        """Pick words, remember them as labels, and change `ids` in place."""
        rows, length = ids.shape
        count = min(self.predictions, length - 3)
        score = np.where(np.isin(ids, self._special), 2.0, dice.random(ids.shape))
        picked = np.argpartition(score, count - 1, axis=1)[:, :count] if count < length else np.argsort(score, axis=1)
        wanted = np.clip(np.rint((lengths - 3) * _PREDICTED_SHARE), 1, count).astype(np.int64)
        # by score, so that the first `wanted` are a fair choice; then in the order of the text
        by_score = np.take_along_axis(picked, np.take_along_axis(score, picked, 1).argsort(axis=1), 1)
        used = (np.arange(count)[None, :] < wanted[:, None]) & (np.take_along_axis(score, by_score, 1) < 1.0)
        positions = np.where(used, by_score, 0)
        labels = np.where(used, np.take_along_axis(ids, positions, 1), NO_LABEL)
        fate = dice.random(positions.shape)
        random_pieces = dice.integers(0, len(self.words.pieces), positions.shape)
        now = np.where(fate < 0.8, self.words.mask, np.where(fate < 0.9, random_pieces, labels))
        row = np.broadcast_to(np.arange(rows)[:, None], positions.shape)
        ids[row[used], positions[used]] = now[used]
        missing = self.predictions - count
        if missing > 0:
            positions = np.pad(positions, ((0, 0), (0, missing)))
            labels = np.pad(labels, ((0, 0), (0, missing)), constant_values=NO_LABEL)
        return positions, labels


class Random:
    """Full rows of random pieces: for measuring speed, and nothing else."""

    def __init__(self, *, vocab: int, length: int, predictions: int, seed: int, rows_an_epoch: int = 65536) -> None:
        self.vocab, self.length, self.predictions, self.seed = vocab, length, predictions, seed
        self._rows = rows_an_epoch

    def epoch(self, batch: int) -> int:
        return max(1, self._rows // batch)

    def batch(self, step: int, rows: int) -> Batch:
        dice = random_numbers(self.seed, _BATCH, step)
        count = min(self.predictions, self.length)
        half = np.arange(self.length) >= self.length // 2
        score = dice.random((rows, self.length), dtype=np.float32)
        return Batch(
            ids=dice.integers(0, self.vocab, (rows, self.length)),
            types=np.broadcast_to(half.astype(np.int64), (rows, self.length)).copy(),
            lengths=None,
            positions=np.argpartition(score, count - 1, axis=1)[:, :count].astype(np.int64),
            labels=dice.integers(0, self.vocab, (rows, count)),
            is_random_next=dice.integers(0, 2, rows),
        )


def random_numbers(seed: int, stream: int, number: int) -> np.random.Generator:
    """Those of one purpose at one place of the run, whatever was drawn before."""
    counter: Any = [0, 0, number, stream]
    return np.random.Generator(np.random.Philox(key=seed, counter=counter))


def _shorten(
    a: Ints, a_count: Ints, b: Ints, b_count: Ints, most: int, dice: np.random.Generator
) -> tuple[Ints, Ints, Ints, Ints]:
    """Take from the longer half until both fit together, each word from its front or its end by chance."""
    low = most // 2
    a_fit = np.where(b_count <= low, most - b_count, np.where(a_count <= low, a_count, most - low))
    a_new = np.where(a_count + b_count > most, np.minimum(a_count, a_fit), a_count)
    b_new = np.minimum(b_count, most - a_new)
    return a + dice.binomial(a_count - a_new, 0.5), a_new, b + dice.binomial(b_count - b_new, 0.5), b_new
