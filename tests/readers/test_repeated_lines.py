"""A program that is stuck prints one line for ever: reading it costs nothing, and hides nothing."""

from __future__ import annotations

from assay import systems
from assay.reading.splitter import Draft
from assay.reading.stream import Stream

STEP = b"2024-03-30 15:16:33,873 INFO:   | Train Device=CSX, Step=%d, Loss=9.39062, Rate=2983.97 samples/sec, GlobalRate=2983.97 samples/sec\n"


def steps(*pieces: bytes) -> list[tuple[int, int]]:
    """(line, step) of every step that was read."""
    drafts: list[Draft] = []
    stream = Stream(drafts.append, systems.kit())
    for piece in pieces:
        stream.feed(piece)
    stream.finish()
    return [(event.line, event.value("step")) for draft in drafts for event in draft.events if event.value("step")]


def test_what_follows_a_flood_of_one_line_keeps_its_number() -> None:
    flood = b"nothing to see here\n" * 5000
    assert steps(flood, flood, STEP % 100, flood, STEP % 200) == [(10001, 100), (15002, 200)]


def test_one_line_that_someone_wants_is_read_each_time() -> None:
    assert len(steps(b"step 5 loss 2.5\n" * 50)) == 50


def test_a_flood_with_one_other_line_in_it_is_read() -> None:
    line = b"x" * 99 + b"\n"
    assert steps(line * 700 + STEP % 7 + line * 700) == [(701, 7)]


def test_steps_that_are_said_twice_are_read_once_in_a_stream_too() -> None:
    assert steps(b"".join(STEP % n * 2 for n in range(1, 50))) == [(2 * n - 1, n) for n in range(1, 50)]
