"""A total that a failed run printed, and totals that stand."""

from __future__ import annotations

from pathlib import Path

from judged import Pages, codes, examples, left_alone
from logs import cerebras, mnist, page, sambanova

FATAL = (
    cerebras(1024, end=False)
    + """\
2024-04-02 09:20:00,000 ERROR:   Uncaught exception:
Traceback (most recent call last):
  File "run.py", line 20, in <module>
cerebras.appliance.errors.ApplianceUnknownError: Appliance error while receiving tensor 12 from weight server
2024-04-02 09:20:01,000 INFO:   Processed 1024000 sample(s) in 211.1 seconds.
"""
)
STALE = """\
2024-04-02 09:20:00,000 INFO:   Effective batch size is 512.
RuntimeError: Initial global step 1000 already exceeds max step 1000.
"""

RAISED: dict[str, Pages] = {
    "a weight server died": {"bert.log": FATAL},
    "on a page": page(
        "# Cerebras",
        "Here is my run:",
        FATAL,
    ),
    "the total is quoted": page(
        "# Cerebras",
        FATAL,
        "It processed 1024000 samples in 211 seconds.",
    ),
    "aborted in the middle": {
        "bert.log": cerebras(1024, end=False)
        + "2024-04-02 09:20:00,000 ERROR:   Uncaught exception:\nRuntimeError: Job failed due to a fatal appliance error\n2024-04-02 09:20:01,000 INFO:   Processed 700000 sample(s) in 144.3 seconds.\n"
    },
    "the second of two": page(
        "# Cerebras",
        "First:",
        cerebras(512, 2920),
        "Second:",
        FATAL,
    ),
}

NOT_RAISED: dict[str, Pages] = {
    "a good run": {"bert.log": cerebras(1024)},
    "a threshold after the training": {
        "BertLarge.out": sambanova(
            8, 450, 8.308, after="AssertionError: Expected throughput to be at least 560000.0, instead found 293536.61"
        )
    },
    "a failure without a total": {"bert.log": STALE},
    "a later run in the same file": {"bert.log": cerebras(1024) + STALE},
    "a failure, then a good run": {"bert.log": STALE + cerebras(512, 2920)},
    "a warning": {
        "bert.log": cerebras(1024, end=False)
        + "2024-04-02 09:20:00,000 WARNING:   Failed to send telemetry: error 503\n"
        + "2024-04-02 09:20:01,000 INFO:   Training completed successfully!\n2024-04-02 09:20:01,000 INFO:   Processed 1024000 sample(s) in 211.134 seconds.\n"
    },
    "teardown broke": {"mnist.log": mnist(10) + "srun: error: gc-poplar-02: task 0: Broken pipe\n"},
}


@examples(RAISED)
def test_a_total_of_a_failed_run_is_named(tmp_path: Path, pages: Pages) -> None:
    assert "result-after-failure" in codes(tmp_path, pages)


@examples(NOT_RAISED)
def test_a_total_that_stands_is_left_alone(tmp_path: Path, pages: Pages) -> None:
    left_alone(tmp_path, pages, "result-after-failure")
