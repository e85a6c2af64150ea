"""Real programs under `assay run`, then `assay audit`: what is raised of a bad measurement, and nothing of a good one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Assay, wait_for

pytestmark = pytest.mark.slow

DIGITS = Path(__file__).parents[2] / "examples" / "digits.py"
#: waits as a busy program would, on the clock of the machine and not of the test
TRAIN = """\
import sys, time
import assay

def spend(seconds):
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        time.sleep(0.001)

with assay.phase("train"):
    for step in range(1, {steps} + 1):
        spend({pause})
        assay.log(step=step, samples=32 * step, loss=2 / step)
"""


def audited(assay: Assay, *words: str) -> tuple[list[dict[str, Any]], int]:
    done = assay("audit", *words, "--json")
    return json.loads(done.stdout), done.returncode


def test_a_setting_that_is_a_list_is_judged_like_any_other(assay: Assay) -> None:
    script = assay.script(
        "import assay\nassay.params(batch_size=16, betas=[0.9, 0.999])\nassay.log(step=1, loss=0.5)\n"
    )
    recorded(assay, script, params=("batch_size=32",))
    found, code = audited(assay)
    assert code == 1 and "setting-not-in-effect" in {finding["code"] for finding in found}


def recorded(assay: Assay, *words: str | Path, params: tuple[str, ...] = ()) -> None:
    asked = [word for param in params for word in ("--param", param)]
    done = assay("run", *asked, "--", sys.executable, *words)
    assert done.returncode == 0, done.stderr


def test_nothing_is_said_of_a_plain_good_run(assay: Assay) -> None:
    recorded(assay, DIGITS, "--batch-size", "32", params=("batch_size=32",))
    found, code = audited(assay)
    # that tests run beside this one, and take its time or the recorder's, is no fault of its own
    assert [one for one in found if one["code"] not in ("contended", "costly-profile")] == []
    assert code == 0


def test_a_setting_that_only_the_record_knows_is_doubted(assay: Assay) -> None:
    recorded(assay, DIGITS, "--epochs", "5", params=("dropout=0.5",))
    found, code = audited(assay)
    assert ("setting-not-in-effect", "doubtful") in [(one["code"], one["severity"]) for one in found]
    assert code == 0


def test_a_setting_that_the_program_did_not_take_is_wrong(assay: Assay) -> None:
    recorded(assay, DIGITS, "--epochs", "5", params=("batch_size=64",))
    found, code = audited(assay)
    (wrong,) = [one for one in found if one["severity"] == "wrong"]
    assert wrong["message"] == "batch_size = 64 is claimed, and batch_size = 32 is what ran"
    assert code == 1


def test_a_slow_first_step_is_noted(assay: Assay) -> None:
    script = assay.script(TRAIN.format(steps=30, pause="1.0 if step == 1 else 0.01"))
    recorded(assay, script)
    assert "time-covers-more" in [one["code"] for one in audited(assay)[0]]


def test_a_rate_that_wanders_is_noted(assay: Assay) -> None:
    script = assay.script(TRAIN.format(steps=30, pause="0.5 if step % 10 == 5 else 0.01"))
    recorded(assay, script)
    assert any("the rate is uneven" in one["message"] for one in audited(assay)[0])


def test_a_handful_of_steps_is_noted(assay: Assay) -> None:
    recorded(assay, assay.script(TRAIN.format(steps=4, pause="0.02")))
    assert "too-few-steps" in [one["code"] for one in audited(assay)[0]]


def test_two_runs_at_once_are_doubted(assay: Assay) -> None:
    gate = assay.folder / "go-on"
    text = f"import os, time\nprint('up', flush=True)\nwhile not os.path.exists({str(gate)!r}): time.sleep(0.01)\n"
    script = assay.script(text)
    both = [assay.start("run", "--", sys.executable, script) for _ in range(2)]

    def seen() -> list[Path]:
        return [one for one in assay.runs.glob("*/events/*.jsonl") if b'"beside"' in one.read_bytes()]

    wait_for(lambda: len(seen()) == 2, "both to have seen each other")
    gate.write_text("")
    assert [one.wait(60) for one in both] == [0, 0]
    for one in both:
        one.communicate()
    (beside,) = [one for one in audited(assay)[0] if one["code"] == "contended"]
    assert "active on this machine (in 2 runs)" in beside["message"]
