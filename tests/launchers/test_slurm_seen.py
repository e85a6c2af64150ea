"""What Slurm calls the state of a job, and what is made of it."""

from __future__ import annotations

import pytest

from assay.launchers.slurm_seen import in_history, phase_of


@pytest.mark.parametrize(
    ("state", "phase"),
    [
        ("PENDING", "queued"),
        ("REQUEUE_HOLD", "queued"),
        ("SUSPENDED", "running"),
        ("COMPLETING", "running"),
        ("COMPLETED", "gone"),
        ("PREEMPTED", "gone"),
        ("EXPEDITING", "running"),  # of a release that we do not know
    ],
)
def test_a_state_is_waiting_going_on_or_an_end(state: str, phase: str) -> None:
    assert phase_of(state) == phase


def test_what_accounting_adds_to_a_state_is_left_out() -> None:
    ((name, seen),) = in_history("12_3|sizes|CANCELLED by 1000|0:15|n1|2026-01-01T00:00:00\n")
    assert (name, seen.job_id, seen.state, seen.phase, seen.exit_code) == (
        "sizes[3]", "12_3", "CANCELLED", "gone", None,
    )  # fmt: skip
