"""Limits of a queue mean waiting: how many jobs are tried next, and when."""

from __future__ import annotations

from assay.study.room import Room


def test_as_many_as_fit_are_found_by_halving_and_the_rest_waits() -> None:
    now_s = [0.0]
    room, queue, most, tries = Room(clock=lambda: now_s[0], chance=lambda: 0.5), 0, 10, 0
    while size := room.size(300 - queue):
        tries += 1
        if queue + size > most:
            room.refused(size, "AssocMaxSubmitJobLimit")
        else:
            queue += size
            room.taken(size)
    assert (queue, room.why) == (10, "AssocMaxSubmitJobLimit")
    assert tries < 20


def test_a_job_that_ends_makes_room_at_once_and_else_the_pause_doubles() -> None:
    now_s = [0.0]
    room = Room(clock=lambda: now_s[0], chance=lambda: 0.5)
    room.refused(1, "one job a user")
    assert room.size(5) == 0
    now_s[0] = 2.1
    assert room.size(5) == 1
    room.refused(1, "one job a user")
    now_s[0] = 4.2
    assert room.size(5) == 0
    room.ended()
    room.ended()
    assert room.size(5) == 2
    room.taken(2)
    assert room.why == ""
