"""TensorBoard files that TensorBoard itself reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.ingest.tensorboard import scalars
from assay_workloads.board import Board
from assay_workloads.svhn_mlp import graph


def written(folder: Path) -> Path:
    board = Board(folder)
    for step in (1, 200, 70000):
        board.scalars(step, {"loss": 1 / step, "samples_per_s": 1e6})
    board.graph(graph(64))
    board.close()
    (file,) = (folder / "tensorboard").iterdir()
    return file


def test_tensorboard_reads_scalars_and_graph(tmp_path: Path) -> None:
    loader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    reader = loader.EventAccumulator(str(written(tmp_path)))
    reader.Reload()
    assert [(event.step, event.value) for event in reader.Scalars("loss")] == [
        (1, 1.0),
        (200, pytest.approx(0.005)),
        (70000, pytest.approx(1 / 70000)),
    ]
    nodes = {node.name: node for node in reader.Graph().node}
    assert list(nodes["layer2/linear"].input) == ["layer1/relu", "layer2/weight", "layer2/bias"]
    shape = nodes["layer2/linear"].attr["_output_shapes"].list.shape[0]
    assert [size.size for size in shape.dim] == [64, 512]


def test_every_record_is_on_disk_at_once(tmp_path: Path) -> None:
    board = Board(tmp_path)
    board.scalars(5, {"loss": 0.25})
    (file,) = (tmp_path / "tensorboard").iterdir()
    assert [(step, tag, value) for _, step, tag, value in scalars([file.read_bytes()])] == [(5, "loss", 0.25)]
    board.close()


def test_a_folder_that_cannot_be_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tensorboard").write_text("in the way")
    board = Board(tmp_path)
    board.scalars(1, {"loss": 1.0})
    assert "the TensorBoard file cannot be written" in capsys.readouterr().err
