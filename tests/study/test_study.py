"""Studies on this machine: one at a time, resumable, and nothing is done twice."""

from __future__ import annotations

import json
import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, Assay, need_torch, wait_for

pytestmark = pytest.mark.slow

PATIENT = "import os, time\nprint('up', flush=True)\nwhile not os.path.exists('go'): time.sleep(0.02)\n"


def study(assay: Assay, text: str) -> Path:
    path = assay.folder / "study.yaml"
    path.write_text(text)
    return path


def keys(assay: Assay) -> list[tuple[Any, ...]]:
    return sorted((summary["claims"]["x"], summary["repeat"]) for summary in assay.ls())


def test_a_study_does_every_combination_as_often_as_asked_and_compares_them(assay: Assay) -> None:
    assay.script("import assay, sys\nassay.params(x=int(sys.argv[1]))\nassay.result(loss=float(sys.argv[2]))")
    path = study(assay, f"command: [{PYTHON}, script.py, '{{x}}', '{{seed}}']\ngrid: {{x: [1, 2]}}\nseeds: [5, 6]")
    done = assay("study", path)
    assert done.returncode == 0, done.stderr
    assert keys(assay) == [(1, 0), (1, 1), (2, 0), (2, 1)]
    assert {(summary["seed"], summary["loss"]) for summary in assay.ls()} == {(5, 5), (6, 6)}
    assert {summary["study"] for summary in assay.ls()} == {"study"}
    assert all(summary["claims"] == summary["params"] for summary in assay.ls())  # the seed is no setting
    assert b"4 of 4 done" in done.stderr
    table = done.stdout.decode().splitlines()
    assert table[0].split()[:2] == ["x", "done"]
    assert table[1].split()[:2] == ["1", "2/2"]


def test_started_again_it_does_only_what_is_missing_or_failed(assay: Assay) -> None:
    assay.script("import os, sys\nsys.exit(sys.argv[1] == '2' and not os.path.exists('mended'))")
    text = f"command: [{PYTHON}, script.py, '{{x}}']\ngrid: {{x: [1, 2]}}"
    assert assay("study", study(assay, text)).returncode == 1
    assert len(assay.run_dirs()) == 2
    (assay.folder / "mended").touch()
    assert assay("study", study(assay, text.replace("2]", "2, 3]"))).returncode == 0
    assert keys(assay) == [(1, 0), (2, 0), (2, 0), (3, 0)]
    before = assay.run_dirs()
    done = assay("study", study(assay, text))
    assert done.returncode == 0
    assert b"all runs are done" in done.stderr
    assert assay.run_dirs() == before


def test_retry_does_only_those_that_failed(assay: Assay) -> None:
    assay.script("import sys\nsys.exit(sys.argv[1] == '2')")
    path = study(assay, f"command: [{PYTHON}, script.py, '{{x}}']\ngrid: {{x: [1, 2]}}\nlimits: {{failures: 1}}")
    assay("study", path)
    missing = 2 - len({key for key, _ in keys(assay)})
    assay("study", path, "--retry")
    assert [key for key, _ in keys(assay)].count(2) == 2
    assert 2 - len({key for key, _ in keys(assay)}) == missing


def test_what_counts_as_success_is_for_the_study_to_say(assay: Assay) -> None:
    assay.script("import assay, sys\nassay.result(accuracy=float(sys.argv[1]))")
    text = f"command: [{PYTHON}, script.py, '{{x}}']\ngrid: {{x: [0.5, 0.9]}}\nsuccess: accuracy>0.8"
    done = assay("study", study(assay, text))
    assert done.returncode == 1
    assert b"1 of 2 done, 1 failed" in done.stderr
    assert b"`success` of the study is not met" in done.stderr
    assert {summary["status"] for summary in assay.ls()} == {"completed"}  # what happened stays what happened


def test_runs_are_made_one_at_a_time_by_default(assay: Assay) -> None:
    assay.script("import os, time\nos.mkdir('alone')\ntime.sleep(0.2)\nos.rmdir('alone')")
    assert assay("study", study(assay, f"command: [{PYTHON}, script.py]\nrepeat: 3")).returncode == 0
    assay.script(
        "import os, time\nopen(f'up{os.getpid()}', 'w')\n"
        "while len([n for n in os.listdir() if n.startswith('up')]) < 2: time.sleep(0.01)"
    )
    done = assay("study", study(assay, f"study: two\ncommand: [{PYTHON}, script.py]\nrepeat: 2"), "--jobs", "2")
    assert done.returncode == 0, done.stderr


def test_warm_ups_come_first_and_are_not_counted(assay: Assay) -> None:
    done = assay("study", study(assay, "command: echo {x}\ngrid: {x: [1, 2]}\nwarmup: 1"), "--json")
    summaries = json.loads(done.stdout)
    assert [summary.get("warmup", False) for summary in summaries] == [True, False, False]
    assert min(assay.run_dirs(), key=lambda path: path.name[-26:]).name.split("-2")[0].endswith("warmup1")


def test_a_study_that_is_killed_loses_nothing_and_does_nothing_twice(assay: Assay) -> None:
    assay.script(PATIENT)
    path = study(assay, f"command: [{PYTHON}, script.py, '{{x}}']\ngrid: {{x: [1, 2, 3]}}")
    first = assay.start("study", path)
    wait_for(lambda: list(assay.runs.glob("*/output.log")), "the first run")
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    assert assay.ls()[0]["status"] == "running"  # it goes on by itself
    second = assay.start("study", path)
    wait_for(lambda: str(second.pid) in next(assay.runs.glob(".study-*")).read_text(), "the second to hold the study")
    assert b"error: this study is being run already" in assay("study", path).stderr
    (assay.folder / "go").touch()
    assert second.wait(timeout=60) == 0
    assert keys(assay) == [(1, 0), (2, 0), (3, 0)]
    assert {summary["status"] for summary in assay.ls()} == {"completed"}


def test_a_run_that_was_prepared_and_never_begun_is_begun_once(assay: Assay) -> None:
    path = study(assay, "command: echo {x}\ngrid: {x: [1]}")
    assay("study", path)
    run = assay.run_dir()
    for name in ("summary.json", "output.log", "output.times", "job/start.0", "job/end.0"):
        (run / name).unlink()
    for events in (run / "events").iterdir():
        events.unlink()
    assert assay.ls()[0]["status"] == "queued"
    assert assay("study", path).returncode == 0
    assert assay.run_dir() == run
    assert assay.summary()["status"] == "completed"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_the_run_and_leaves_the_rest_for_later(assay: Assay, number: signal.Signals) -> None:
    assay.script(PATIENT)
    path = study(assay, f"command: [{PYTHON}, script.py]\nrepeat: 2")
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # what starts the tests may ignore it
    process = assay.start("study", path, preexec_fn=heard)
    wait_for(lambda: list(assay.runs.glob("*/output.log")), "the first run")
    process.send_signal(number)
    assert process.wait(timeout=60) == 130
    assert [summary["status"] for summary in assay.ls()] == ["interrupted"]
    (assay.folder / "go").touch()
    assert assay("study", path).returncode == 0
    assert len(assay.ls()) == 3


def test_cancel_ends_the_run_and_the_study_that_drives_it(assay: Assay) -> None:
    assay.script(PATIENT)
    path = study(assay, f"command: [{PYTHON}, script.py]\nrepeat: 2")
    process = assay.start("study", path)
    wait_for(lambda: list(assay.runs.glob("*/output.log")), "the first run")
    assert assay("study", path, "--cancel").returncode == 0
    assert process.wait(timeout=60) == 130
    assert [summary["status"] for summary in assay.ls()] == ["interrupted"]
    assert b"no run of this study" in assay("study", path, "--cancel").stderr


#: a cell that ignores all requests to end
STUBBORN = """\
import signal, time
for one in (signal.SIGINT, signal.SIGTERM): signal.signal(one, lambda *_: print("no", flush=True))
print("up", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("way", ["ctrl-c", "ctrl-c twice", "cancel", "cancel of a killed driver"])
def test_a_run_that_ignores_all_requests_to_end_is_killed_after_the_grace_and_that_is_said(
    assay: Assay, way: str
) -> None:
    assay.script(STUBBORN)
    path, cancel = study(assay, f"command: [{PYTHON}, script.py]\nrepeat: 2"), "cancel" in way
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    grace = "60s" if way == "ctrl-c twice" else "0.5s"
    driver = assay.start("study", path, "--grace", grace, preexec_fn=heard)
    log = wait_for(lambda: list(assay.runs.glob("*/output.log")), "the run")[0]
    wait_for(lambda: log.read_bytes() == b"up\n", "its command")
    if way == "cancel of a killed driver":
        driver.kill()
    if cancel:
        said = assay("study", path, "--cancel", "--grace", grace).stderr
        driver.communicate(timeout=60)
    else:
        driver.send_signal(signal.SIGINT)
        if way == "ctrl-c twice":
            wait_for(lambda: b"no" in log.read_bytes(), "the first Ctrl-C to be heard")
            driver.send_signal(signal.SIGINT)
        said = driver.communicate(timeout=60)[1]
        assert driver.returncode == 130
    if way != "cancel":  # then its driver says so
        within = "at once" if way == "ctrl-c twice" else "within 0.5 s"
        assert f"1 run did not end {within}, so it was killed".encode() in said
    assert [summary["status"] for summary in assay.ls()] == ["interrupted"]


def test_status_tells_without_starting_anything(assay: Assay) -> None:
    path = study(assay, "command: echo {x}\ngrid: {x: [1, 2]}")
    assert b"0 of 2 done" in assay("study", path, "--status").stdout
    assert not assay.run_dirs()
    assay("study", path)
    assert b"2 of 2 done" in assay("study", path, "--status").stdout


def test_limits_hold(assay: Assay) -> None:
    text = "command: [sleep, '60']\nlimits: {time: 0.2, failures: 1}\nrepeat: 3"
    done = assay("study", study(assay, text))
    assert done.returncode == 1
    assert b"1 runs have failed, the limit of this study; 2 runs" in done.stderr.replace(b"stopped: ", b"")
    assert assay.summary()["error"]["code"] == "time-limit"


def test_a_command_that_does_not_exist_fails_its_run_and_says_so(assay: Assay) -> None:
    done = assay("study", study(assay, "command: no-such-program {x}\ngrid: {x: [1]}"))
    assert done.returncode == 1
    assert b"no-such-program" in done.stderr
    assert (assay.summary()["status"], assay.summary()["exit_code"]) == ("failed", 127)


def test_a_configuration_is_written_into_a_copy(assay: Assay) -> None:
    (assay.folder / "params.yaml").write_text("train_input:\n  batch_size: 1\n  path: /data\n")
    text = "command: cat {config}\nconfig: {file: params.yaml, set: {train_input.batch_size: '{x}'}}\ngrid: {x: [512]}"
    assert assay("study", study(assay, text)).returncode == 0
    assert (assay.run_dir() / "output.log").read_text() == "train_input:\n  batch_size: 512\n  path: /data\n"
    assert "batch_size: 1\n" in (assay.folder / "params.yaml").read_text()


def test_a_compile_step_is_a_separate_phase_and_reports_when_it_was_cached(assay: Assay) -> None:
    compiling = f"compile: {{command: [sh, -c, 'sleep 0.1; touch model.pef'], makes: {assay.folder}/model.pef}}"
    path = study(assay, f"command: [sh, -c, 'test -e model.pef']\nrepeat: 2\n{compiling}")
    assert assay("study", path).returncode == 0
    first, second = sorted(assay.ls(), key=lambda summary: summary["repeat"])
    assert (first["compile_cached"], second["compile_cached"]) == (False, True)
    assert first["phases"]["compile"] >= 0.1
    assert "compile" not in second.get("phases", {})


def test_environment_and_settings_may_say_where(assay: Assay) -> None:
    text = "command: [sh, -c, 'echo $WHO']\nenv: {WHO: 'me {x}'}\ngrid: {x: ['$(id)']}"
    assert assay("study", study(assay, text)).returncode == 0
    assert (assay.run_dir() / "output.log").read_text() == "me $(id)\n"


def test_no_secret_of_a_command_is_kept(assay: Assay) -> None:
    assay("study", study(assay, "command: echo --password hunter2 {x}\ngrid: {x: [1]}"))
    assert b"hunter2" not in (assay.run_dir() / "run.json").read_bytes()
    assert b"hunter2" in (assay.run_dir() / "output.log").read_bytes()


def test_several_nodes_can_be_tried_on_one_machine(assay: Assay) -> None:
    need_torch()
    assay.env = {"GLOO_SOCKET_IFNAME": "lo"}
    assay.script(
        "import torch.distributed as dist, assay\ndist.init_process_group('gloo')\n"
        "assay.result(world=dist.get_world_size())\ndist.barrier()\ndist.destroy_process_group()\n"
    )
    text = (
        f"command: [{sys.executable}, script.py]\ngrid: {{nodes: [1, 2]}}\non: {{place: torchrun, nodes: '{{nodes}}'}}"
    )
    done = assay("study", study(assay, text), timeout=240)
    assert done.returncode == 0, done.stderr
    by_nodes = {summary["claims"]["nodes"]: summary for summary in assay.ls()}
    assert {nodes: summary["metrics"]["world"] for nodes, summary in by_nodes.items()} == {1: 1, 2: 2}
    assert len(by_nodes[2]["nodes"]) == 2
