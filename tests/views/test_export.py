"""What is exported is read back with the tools that it is for."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, Assay

pytestmark = pytest.mark.slow

TRAINS = """
import assay
assay.log(step=1, loss=2.5, **{"val/acc": 0.25})
assay.log(step=2, loss=1.5, **{"val/acc": 0.5})
assay.log(step=10, loss=0.5)
"""


def train(assay: Assay) -> None:
    done = assay("run", "-q", "--param", "batch_size=32", "--", PYTHON, assay.script(TRAINS))
    assert done.returncode == 0, done.stderr


def test_tensorboard_reads_the_curves_and_the_settings(assay: Assay) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    train(assay)
    done = assay("export", "--to", "tensorboard", "-o", assay.folder / "board")
    assert done.returncode == 0, done.stderr
    (place,) = (assay.folder / "board").iterdir()
    found = accumulator.EventAccumulator(str(place), size_guidance={"tensors": 0, "scalars": 0})
    found.Reload()
    loss = found.Scalars("loss")
    assert [(one.step, one.value) for one in loss] == [(1, 2.5), (2, 1.5), (10, 0.5)]
    events = [event for event in assay.events() if event["kind"] == "metric"]
    assert loss[0].wall_time == pytest.approx(events[0]["t"])
    assert [one.value for one in found.Scalars("val/acc")] == [0.25, 0.5]
    text = found.Tensors("settings/text_summary")[0].tensor_proto.string_val[0].decode()
    assert "| batch\\_size | 32 |" in text


def test_our_own_reader_reads_what_we_write(assay: Assay) -> None:
    train(assay)
    assay("export", "--to", "tensorboard", "-o", assay.folder / "board")
    done = assay("ingest", "--json", assay.folder / "board", "--runs-dir", assay.folder / "again")
    (summary,) = json.loads(done.stdout)
    assert summary["loss"] == 0.5


def history(place: str) -> tuple[Any, Any]:
    tracking = pytest.importorskip("mlflow.tracking")
    client = tracking.MlflowClient(tracking_uri=place)
    experiment = client.get_experiment_by_name("assay")
    return client, client.search_runs([experiment.experiment_id])


def test_mlflow_reads_the_curves_the_settings_and_the_outcome(assay: Assay) -> None:
    train(assay)
    for _ in range(2):  # the second adds nothing
        done = assay("export", "--to", "mlflow", "-o", assay.folder / "ml")
        assert done.returncode == 0, done.stderr
    client, (run,) = history(f"sqlite:///{assay.folder}/ml/mlflow.db")
    assert run.info.status == "FINISHED"
    assert run.data.params == {"batch_size": "32"}
    assert run.data.tags["assay.id"] == assay.summary()["id"]
    loss = client.get_metric_history(run.info.run_id, "loss")
    assert [(one.step, one.value) for one in loss] == [(1, 2.5), (2, 1.5), (10, 0.5)]
    assert run.data.metrics["summary/wall_s"] == pytest.approx(assay.summary()["wall_s"])


def test_csv_is_one_row_a_point_and_a_table_of_runs(assay: Assay) -> None:
    train(assay)
    assay("export", "--to", "csv", "-o", assay.folder / "out")
    with open(assay.folder / "out" / f"{assay.run_dir().name}.csv") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["value"]) for row in rows if row["name"] == "loss"] == [2.5, 1.5, 0.5]
    with open(assay.folder / "out" / "runs.csv") as file:
        (run,) = csv.DictReader(file)
    assert (run["claims.batch_size"], run["status"]) == ("32", "completed")


def test_json_holds_summary_and_curves(assay: Assay) -> None:
    train(assay)
    assay("export", "--to", "json", "-o", assay.folder / "out")
    found = json.loads((assay.folder / "out" / f"{assay.run_dir().name}.json").read_text())
    assert found["curves"]["loss"]["step"] == [1, 2, 10]
    assert found["summary"]["id"] == assay.summary()["id"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "csv", "--open"], b"--open works only with TensorBoard"),
        (["--to", "csv", "-o", "http://x"], b"only --to mlflow"),
        (["--to", "csv", "-o", "file/under"], b"cannot write to"),
        (["--to", "nothing"], b"nothing"),
        (["--to", "csv", "missing"], b"no run called"),
    ],
)
def test_what_cannot_be_exported_is_said(assay: Assay, words: list[str], said: bytes) -> None:
    train(assay)
    Path(assay.folder, "file").write_text("")
    done = assay("export", *words)
    assert done.returncode in (1, 2)
    assert said in done.stderr


def test_a_server_that_does_not_answer_is_said(assay: Assay) -> None:
    pytest.importorskip("mlflow")
    train(assay)
    assay.env["MLFLOW_HTTP_REQUEST_MAX_RETRIES"] = "0"
    done = assay("export", "--to", "mlflow", "-o", "http://127.0.0.1:9")
    assert (done.returncode, b"cannot reach" in done.stderr) == (1, True)


def test_a_warm_up_is_exported_as_any_run(assay: Assay) -> None:
    (assay.folder / "study.yaml").write_text("command: echo {x}\ngrid: {x: [1]}\nwarmup: 1\n")
    assert assay("study", assay.folder / "study.yaml").returncode == 0
    (warmup,) = (path.name for path in assay.run_dirs() if "warmup" in path.name)
    done = assay("export", "--to", "json", warmup, "-o", assay.folder / "one")
    assert done.returncode == 0, done.stderr
    assay("export", "--to", "json", "-o", assay.folder / "all")
    assert (len(list((assay.folder / "one").iterdir())), len(list((assay.folder / "all").iterdir()))) == (1, 2)
