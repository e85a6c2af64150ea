"""A client that was the limit, and one that was not."""

from __future__ import annotations

from serving_runs import case, run

from assay.auditing.rules.serving import client_limited


def test_a_client_that_was_the_limit_is_doubted() -> None:
    metrics = {"client_limited": 1, "client_cpu_pct": 97.2, "client_late_p99_ms": 48.0, "sent_late_p99_ms": 3.0}
    (found,) = client_limited(case(run(metrics=metrics)))
    assert "97 % of a core" in found.message and "48 ms late" in found.message


def test_a_client_that_kept_up_is_left_alone() -> None:
    assert not list(client_limited(case(run(metrics={"client_limited": 0, "client_cpu_pct": 3.0}), run())))
