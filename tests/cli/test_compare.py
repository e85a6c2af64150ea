"""`assay compare` as a user types it: on recorded runs, on pages, in every form of output."""

from __future__ import annotations

import csv
import json
import os
import pty
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, Assay, copied, wait_for

pytestmark = pytest.mark.slow

PAGES = Path(__file__).parents[1] / "seeds"
PROGRAM = """
import sys, time
import assay
batch, slow = int(sys.argv[1]), float(sys.argv[2])
assay.params(batch_size=batch)
with assay.phase("train"):
    for step in range(1, 6):
        assay.log(step=step, samples=step * batch, loss=10 / step)
assay.result(samples=5 * batch, train_s=slow, accuracy=0.9 + batch / 10000)
"""


@pytest.fixture(scope="module")
def recorded_once(tmp_path_factory: pytest.TempPathFactory) -> Assay:
    """Two batch sizes, three runs each; the training seconds are told by the program."""
    assay = Assay(tmp_path_factory.mktemp("recorded"))
    script = assay.script(PROGRAM)
    for batch, seconds in [(8, 1.0), (8, 1.01), (8, 0.99), (16, 1.5), (16, 1.51), (16, 1.49)]:
        words = ["run", "-q", "--param", f"batch_size={batch}", "--", PYTHON, script, str(batch), str(seconds)]
        assert assay(*words).returncode == 0
    return assay


@pytest.fixture
def recorded(recorded_once: Assay, assay: Assay) -> Assay:
    return copied(recorded_once, assay)


@pytest.fixture(scope="module")
def pages_once(tmp_path_factory: pytest.TempPathFactory) -> Assay:
    assay = Assay(tmp_path_factory.mktemp("pages"))
    assert assay("ingest", PAGES).returncode == 0
    return assay


@pytest.fixture
def pages(pages_once: Assay, assay: Assay) -> Assay:
    return copied(pages_once, assay)


def answer(assay: Assay, *words: str | Path) -> dict[str, Any]:
    done = assay("compare", "--json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_recorded_runs_are_grouped_judged_and_drawn(recorded: Assay) -> None:
    done = recorded("compare")
    text = done.stdout.decode()
    assert done.returncode == 0
    assert done.stderr == b""
    answer, _, _, _, heading, first, *_ = text.splitlines()  # one heading has two lines
    assert answer.startswith("Throughput is highest with batch_size 16: 53.3"), answer
    assert answer.endswith(". The difference is significant.")
    assert heading.split()[:3] == ["batch_size", "n", "samples/s"]
    assert first.split()[:3] == ["8", "3", "40.00"]
    assert "16  1.33 × the throughput (95 % interval 1.2" in text
    assert "best: " not in text  # of two settings, the answer and the line above name it
    assert "equal samples: results are read at 40 samples, the smallest budget of any run" in text


def test_json_has_groups_verdicts_and_the_reasons_of_every_choice(recorded: Assay) -> None:
    found = answer(recorded, "--baseline", "16")
    assert [(group["settings"], group["n"]) for group in found["groups"]] == [
        ({"batch_size": 8}, 3),
        ({"batch_size": 16}, 3),
    ]
    assert found["groups"][0]["known_from"] == {"batch_size": ["shown"]}
    (speed,) = [one for one in found["verdicts"] if one["figure"] == "samples_per_s"]
    assert (speed["group"], speed["against"], speed["different"]) == ("8", "16", True)
    assert speed["ratio"] == pytest.approx(0.75, rel=0.01)
    assert speed["ratio_low"] < speed["ratio"] < speed["ratio_high"] < 1
    assert found["baseline"] == {"group": "16", "why": "as requested"}
    assert found["axis"]["name"] == "samples"
    assert {len(group["runs"]) for group in found["groups"]} == {3}


def test_a_check_against_a_baseline_passes_fails_or_is_left_open_by_its_exit_code(recorded: Assay) -> None:
    """16 is a third faster than 8; all runs of one were made before those of the other."""
    limit = ("--fail-if", "samples_per_s_avg -2%")
    kept = recorded.folder / "baseline.json"
    kept.write_bytes(recorded("ls", "--json", "batch_size=8").stdout)
    better = recorded("compare", "bs16", "--against", kept, *limit)
    assert (better.returncode, better.stdout.decode().splitlines()[0][:8]) == (0, "Passed: ")
    worse = recorded("compare", "--against", "batch_size=16", *limit, "--json")
    assert worse.returncode == 1
    (check,) = json.loads(worse.stdout)["gate"]["checks"]
    assert (check["outcome"], check["n"]) == ("failed", [3, 3])
    open_ = recorded("compare", recorded.run_dirs()[-1], "--against", recorded.run_dirs()[0], *limit)
    assert open_.returncode == 3
    assert "cannot be judged from one run each" in open_.stdout.decode()
    alone = recorded("compare", *limit)
    assert (alone.returncode, alone.stdout) == (2, b"")


def test_csv_has_one_row_a_group(recorded: Assay) -> None:
    done = recorded("compare", "--csv", "--sort", "-samples_per_s", "--columns", "samples_per_s,accuracy")
    rows = list(csv.DictReader(done.stdout.decode().splitlines()))
    assert [row["batch_size"] for row in rows] == ["16", "8"]
    assert list(rows[0])[:4] == ["batch_size", "simulated", "n", "samples_per_s_mean"]
    assert float(rows[1]["samples_per_s_mean"]) == pytest.approx(40, rel=0.01)


def test_markdown_is_the_answer_a_table_and_its_sentences(recorded: Assay) -> None:
    answer, _, rest = recorded("compare", "--markdown").stdout.decode().partition("\n\n")
    assert answer.startswith("- Throughput is highest with batch_size 16")
    lines = rest.splitlines()
    assert lines[0].startswith("| batch_size | n | samples/s |")
    assert {line.count("|") for line in lines[:4]} == {lines[0].count("|")}
    assert any(line.startswith("- throughput, 16 against 8: 1.33 ×") for line in lines)


def test_runs_can_be_chosen_by_name_folder_and_condition(recorded: Assay) -> None:
    assert [group["n"] for group in answer(recorded, "bs8")["groups"]] == [3]
    assert [group["n"] for group in answer(recorded, recorded.runs)["groups"]] == [3, 3]
    assert [group["group"] for group in answer(recorded, "--where", "batch_size>8")["groups"]] == ["all runs"]
    one = recorded.run_dirs()[-1]
    assert one.name.startswith("bs8")
    assert [group["n"] for group in answer(recorded, one, "bs16")["groups"]] == [1, 3]
    assert [group["n"] for group in answer(recorded, "bs8", "bs8", one)["groups"]] == [3]


def test_what_it_took_to_reach_a_target_is_shown(recorded: Assay) -> None:
    found = answer(recorded, "--to", "loss=2.5")
    assert [(one["group"], one["reached"], one["of"]) for one in found["target"]["groups"]] == [
        ("8", 3, 3),
        ("16", 3, 3),
    ]
    assert found["target"]["groups"][1]["spent"]["samples"]["mean"] == 64
    text = recorded("compare", "--to", "loss=2.5").stdout.decode()
    assert "8: reached by 3 of 3 · 4 steps · 32 samples" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--axis", "energy"], "no run reports its energy"),
        (["--to", "speed"], "`speed` is not a target"),
        (["--baseline", "32"], "no group called `32`"),
        (["--json", "--csv"], "choose one of --json, --csv and --markdown"),
        (["--by", "size"], "no run reports `size`"),
        (["--where", "batch_size"], "`batch_size` is not a condition"),
    ],
)
def test_what_cannot_be_is_refused_in_plain_words(recorded: Assay, words: list[str], message: str) -> None:
    done = recorded("compare", *words)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith(f"error: {message}")


def test_an_unknown_run_and_an_empty_folder_are_errors(assay: Assay) -> None:
    done = assay("compare", "nothing")
    assert (done.returncode, done.stderr.splitlines()[0].startswith(b"error: no runs in")) == (1, True)
    assert assay("compare").returncode == 1
    (assay.folder / "empty").mkdir()
    assert b"no runs found in `empty`" in assay("compare", "empty").stderr


def test_the_nine_cerebras_runs_of_the_pages_refuse_a_line(pages: Assay) -> None:
    found = answer(pages, "--where", "system=cerebras")
    assert [(group["group"], group["n"]) for group in found["groups"]] == [("512", 3), ("1,024", 3), ("2,048", 3)]
    means = [group["figures"]["step_ms"]["mean"] for group in found["groups"]]
    assert [round(mean, 1) for mean in means] == [175.2, 210.9, 304.5]
    assert all(
        group["figures"]["step_ms"]["sd"] < 0.0035 * mean for group, mean in zip(found["groups"], means, strict=True)
    )
    (model,) = [model for model in found["models"] if model["kind"] == "batch"]
    assert not model["holds"]
    assert "misses by up to 2.3 %" in model["says"][0]
    assert [round(cost, 3) for cost in model["figures"]["ms_per_sample_between"]] == [0.070, 0.091]
    assert "extrapolation" not in model["figures"]  # a line that is refused carries none


def test_losses_of_the_pages_are_not_compared_at_equal_steps(pages: Assay) -> None:
    found = answer(pages, "--where", "system=cerebras")
    assert (found["axis"]["name"], found["axis"]["limit"]) == ("samples", 512000)
    losses = {
        group["group"]: group["figures"]["loss"]["mean"] for group in found["groups"] if "loss" in group["figures"]
    }
    assert losses["512"] == 7.125
    assert losses["2,048"] > 8  # at a quarter of its samples
    assert all(one["winner"] is None for one in found["best"] if one["figure"] == "loss")


def test_the_accuracies_of_the_pages_are_inside_the_noise(pages: Assay) -> None:
    found = answer(pages, "--where", "system=graphcore", "--columns", "accuracy")
    assert all(one["different"] is not True for one in found["verdicts"])
    assert all("within the noise" in one["verdict"] for one in found["verdicts"])
    assert [one["winner"] for one in found["best"]] == [None]


def test_a_page_is_compared_without_keeping_its_runs(assay: Assay) -> None:
    found = answer(assay, PAGES / "page_002.md")
    assert [group["group"] for group in found["groups"]] == ["512", "1,024", "2,048"]
    (first, second) = [one["verdict"] for one in found["verdicts"] if one["figure"] == "samples_per_s"]
    assert first == (
        "1.65 × the throughput from one run each; chance could explain it only if runs vary by more than 15 % "
        "(21 runs of BERT-large varied by 0.32 %; nothing shows that these are of the same task)"
    )
    assert second.startswith("2.29 × the throughput")
    assert assay.run_dirs() == []


def test_24_minutes_are_seen_as_what_they_were(pages: Assay) -> None:
    (time,) = [one for one in answer(pages, "--where", "system=cerebras")["time"] if one["group"] == "512"]
    assert sum(time["shares"].values()) == pytest.approx(1)
    assert time["shares"]["queue"] > 0.8
    assert time["shares"]["train"] < 0.05


def test_a_narrow_terminal_gets_the_columns_that_fit(recorded: Assay) -> None:
    leader, follower = pty.openpty()
    environment = {**recorded.environment(), "COLUMNS": "60", "TERM": "xterm"}
    with subprocess.Popen(
        recorded.words("compare"), cwd=recorded.folder, env=environment, stdout=follower, stderr=follower
    ) as process:
        os.close(follower)
        seen = bytearray()

        def ended() -> bool:
            try:
                seen.extend(os.read(leader, 65536))
            except OSError:
                return True
            return False

        wait_for(ended, "the end of the output")
    os.close(leader)
    text = seen.decode()
    assert process.returncode == 0
    assert "Not shown at " in text
    assert "…" not in text.splitlines()[0]
