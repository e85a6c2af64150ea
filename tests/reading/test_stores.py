"""What MLflow and W&B themselves wrote is read without them."""

from __future__ import annotations

import json
import shutil
import sqlite3
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, Assay

pytestmark = pytest.mark.slow

WANDB = """
import wandb
run = wandb.init(mode="offline", project="p", name="my run", config={"lr": 0.1, "batch_size": 32, "net": {"depth": 3}})
for i in range(2000):
    run.log({"train/loss": 1 / (i + 1), "acc": i / 4000, "note": "text", "picture": "x" * 50})
run.summary["best"] = 0.9
run.finish(exit_code=CODE)
"""


def read(assay: Assay, *words: str | Path) -> list[dict[str, Any]]:
    done = assay("ingest", "--json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def offline_run(assay: Assay, code: int) -> Path:
    pytest.importorskip("wandb")
    script = assay.script(WANDB.replace("CODE", str(code)))
    env = {**assay.environment(), "WANDB_SILENT": "true", "WANDB_DIR": str(assay.folder), "WANDB_MODE": "offline"}
    done = subprocess.run([PYTHON, script], cwd=assay.folder, env=env, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    (found,) = assay.folder.glob("wandb/offline-run-*")
    return found


def test_an_offline_run_of_wandb_comes_along(assay: Assay) -> None:
    folder = offline_run(assay, 0)
    (summary,) = read(assay, folder.parent)  # its other files are no runs of their own
    assert summary["name"] == "my run"
    assert (summary["system"], summary["status"]) == ("wandb", "completed")
    assert summary["params"] == {"lr": 0.1, "batch_size": 32, "net.depth": 3}
    assert (summary["steps"], summary["loss"]) == (1999, pytest.approx(1 / 2000))
    assert summary["accuracy"] == pytest.approx(1999 / 4000)
    assert summary["metrics"] == {"best": 0.9}
    metrics = [event for event in assay.events() if event["kind"] == "metric"]
    assert [event["step"] for event in metrics] == list(range(2000))
    assert read(assay, folder.parent) == [summary]
    assert len(assay.run_dirs()) == 1  # the same again adds nothing


def test_a_torn_file_of_wandb_gives_what_is_whole(assay: Assay) -> None:
    folder = offline_run(assay, 1)
    (path,) = folder.glob("*.wandb")
    whole = read(assay, path)[0]
    assert whole["status"] == "failed"
    path.write_bytes(path.read_bytes()[:70_000])
    (torn,) = read(assay, path)
    assert torn["status"] == "unfinished"
    assert 0 < torn["steps"] < 1999


def test_older_runs_of_wandb_keep_settings_and_figures_beside(assay: Assay) -> None:
    folder = assay.folder / "wandb" / "run-1-old"
    (folder / "files").mkdir(parents=True)
    (folder / "run-old.wandb").write_bytes(b":W&B" + struct.pack("<HB", 0xBEE1, 0))
    (folder / "files" / "config.yaml").write_text("wandb_version: 1\nlr:\n  desc: null\n  value: 0.5\n")
    (folder / "files" / "wandb-summary.json").write_text('{"loss": 0.25, "_step": 7}')
    (summary,) = read(assay, assay.folder / "wandb")
    assert (summary["params"], summary["loss"], summary["name"]) == ({"lr": 0.5}, 0.25, "old")


def mlflow_store(place: Path, count: int) -> None:
    tracking = pytest.importorskip("mlflow.tracking")
    from mlflow.entities import Metric, Param

    client = tracking.MlflowClient(tracking_uri=f"sqlite:///{place}")
    experiment = client.create_experiment("pages")
    for index in range(count):
        run = client.create_run(experiment, start_time=1_700_000_000_000 + index, run_name=f"fox-{index}")
        metrics = [Metric("train/loss", 1 / step, 1_700_000_000_000 + step, step) for step in range(1, 11)]
        metrics += [Metric("nan", float("nan"), 1_700_000_000_000, 1)]
        client.log_batch(run.info.run_id, metrics=metrics, params=[Param("learning_rate", "0.1"), Param("who", "ann")])
        client.set_terminated(run.info.run_id, "FAILED" if index else "FINISHED")


def test_a_database_of_mlflow_comes_along(assay: Assay) -> None:
    mlflow_store(assay.folder / "mlflow.db", 3)
    found = read(assay, assay.folder / "mlflow.db")
    assert [one["name"] for one in found] == ["fox-0", "fox-1", "fox-2"]
    assert [one["status"] for one in found] == ["completed", "failed", "failed"]
    assert found[0]["params"] == {"lr": 0.1, "who": "ann"}
    assert (found[0]["steps"], found[0]["loss"]) == (10, 0.1)
    assert "nan" not in found[0].get("metrics", {})
    assert len(read(assay, assay.folder / "mlflow.db")) == 3
    assert len(assay.run_dirs()) == 3


def test_what_we_exported_to_mlflow_comes_back(assay: Assay) -> None:
    pytest.importorskip("mlflow")
    record_five_steps(assay)
    assert assay("export", "--to", "mlflow", "-o", assay.folder / "ml").returncode == 0
    (summary,) = read(assay, assay.folder / "ml" / "mlflow.db", "--runs-dir", assay.folder / "again")
    assert (summary["steps"], summary["loss"]) == (4, 1.0)


def test_what_we_exported_to_tensorboard_comes_back(assay: Assay) -> None:
    record_five_steps(assay)
    assert assay("export", "--to", "tensorboard", "-o", assay.folder / "board").returncode == 0
    (summary,) = read(assay, assay.folder / "board", "--runs-dir", assay.folder / "again")
    assert (summary["steps"], summary["loss"]) == (4, 1.0)


def record_five_steps(assay: Assay) -> None:
    """The machine is looked at more often than that, and once more after the last step."""
    program = """
import assay, os, pathlib, time
events = pathlib.Path(os.environ["ASSAY_EVENTS"]).parent
for i in range(5): assay.log(step=i, loss=2.0 - i / 4)
before = sum(p.read_bytes().count(b"probe:process") for p in events.glob("*.jsonl"))
while sum(p.read_bytes().count(b"probe:process") for p in events.glob("*.jsonl")) < before + 8: time.sleep(0.01)
"""
    assert assay("run", "-q", "--interval", "0.02", "--", PYTHON, "-c", program).returncode == 0


def test_a_folder_of_mlflow_comes_along(assay: Assay) -> None:
    run = assay.folder / "mlruns" / "0" / "6f1c"
    for name in ("metrics/train", "params", "tags"):
        (run / name).mkdir(parents=True)
    (run.parent / "meta.yaml").write_text("experiment_id: '0'\nname: Default\n")
    (run / "meta.yaml").write_text("run_id: 6f1c\nrun_name: brave-fox\nstatus: 3\nstart_time: 1700000000000\n")
    (run / "metrics" / "train" / "loss").write_text("1700000000001 0.9 0\n1700000000002 0.5 1\nbroken\n")
    (run / "metrics" / "f1").write_text("1700000000003 0.75\n")
    (run / "params" / "batch_size").write_text("64")
    (run / "tags" / "mlflow.source.name").write_text("train.py")
    (summary,) = read(assay, assay.folder / "mlruns")
    assert (summary["name"], summary["status"], summary["loss"]) == ("brave-fox", "completed", 0.5)
    assert (summary["params"], summary["metrics"]["f1"]) == ({"batch_size": 64}, 0.75)


@pytest.mark.parametrize(
    ("name", "said"), [("other.db", b"not one of MLflow"), ("bad.db", b"damaged"), ("bad.wandb", b"not a file of W&B")]
)
def test_what_is_not_a_store_is_said(assay: Assay, name: str, said: bytes) -> None:
    path = assay.folder / name
    if name == "other.db":
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE mine (x)")
    else:
        path.write_bytes(b"SQLite format 3\x00" + b"x" * 5000)
    done = assay("ingest", path)
    assert (done.returncode, said in done.stderr) == (1, True)
    shutil.rmtree(assay.runs, ignore_errors=True)
