"""Which settings make two runs different work."""

from __future__ import annotations

import pytest

from assay.core.distinguishing import last_part, most_telling_first, tells, varying


@pytest.mark.parametrize(
    "name",
    [
        "batch_size",
        "lr",
        "optimizer",
        "amp",
        "model.depth",
        "OMP_NUM_THREADS",
        "model_name_or_path",
        "data",
        "num_workers",
    ],
)
def test_these_tell_runs_apart(name: str) -> None:
    assert tells(name)


@pytest.mark.parametrize(
    "name",
    [
        "seed", "random_seed", "output_dir", "model_dir", "data_dir", "out", "save_path", "log_level", "run_name",
        "name", "master_port", "local_rank", "wandb_project", "CUDA_VISIBLE_DEVICES", "PYTHONPATH",
        "trainer.log_every", "config",
    ],
)  # fmt: skip
def test_these_do_not(name: str) -> None:
    assert not tells(name)


def test_a_path_to_a_model_counts_by_its_last_part_and_any_other_path_not_at_all() -> None:
    assert last_part("model_path", "/scratch/7/llama/") == "llama"
    assert tells("model_path", ["/scratch/7/llama"]) and not tells("weights", ["/scratch/7/llama"])


def test_what_varies_comes_with_the_batch_size_first_and_a_switch_counts_where_it_is_off() -> None:
    runs = [{"lr": 0.1, "batch_size": 8, "seed": 1}, {"lr": 0.2, "batch_size": 9, "seed": 2, "amp": True, "depth": 3}]
    assert varying(runs) == ["batch_size", "lr", "amp"]
    assert most_telling_first(["b", "epochs", "a", "batch_size"]) == ["batch_size", "epochs", "b", "a"]
