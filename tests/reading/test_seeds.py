"""Every figure in the five seed pages, written down by hand."""

import pytest
from reading import SEEDS, holds, summaries

PAGES = {
    "page_000.md": [
        {
            "system": "cerebras", "status": "completed", "lines": [4, 62],
            "params": {"batch_size": 512}, "claims": {"batch_size": 512}, "steps": 1000, "samples": 512000,
            "train_s": 175.070497198, "loss": 7.125, "samples_per_s": 2900.63, "samples_per_s_avg": 2924.54,
            "samples_per_s_own": 2924.536, "compile_cached": True,
            "phases": {"queue": 3613.3, "train": 175.2, "checkpoint": 62.7, "load": 33.6, "teardown": 37.1, "compile": 65.7},
        },
        {
            "system": "cerebras", "status": "completed",
            "params": {"batch_size": 2048}, "claims": {"batch_size": 2048}, "steps": 1000, "samples": 2048000,
            "train_s": 304.403202469, "loss": 7.14844, "samples_per_s": 6715.34, "samples_per_s_avg": 6727.92,
            "phases": {"train": 304.5, "checkpoint": 34.5, "load": 34.3},
        },
        {
            "system": "graphcore", "status": "completed", "params": {"epochs": 10}, "accuracy": 0.9872,
            "claims": {"lr": 0.01, "epochs": 50, "batch_size": 16}, "phases": {"compile": 14, "train": 108},
        },
    ],
    "page_001.md": [
        {"system": "graphcore", "status": "failed", "error": "no-device"},
        {
            "system": "graphcore", "status": "completed", "accuracy": 0.9713, "params": {"epochs": 10, "batch_size": 8},
            "claims": {"lr": 0.03, "epochs": 10, "batch_size": 8}, "compile_cached": False, "phases": {"train": 109},
        },
        {
            "system": "graphcore", "status": "completed", "accuracy": 0.9858, "params": {"epochs": 10},
            "claims": {"lr": 0.03, "epochs": 4, "batch_size": 8}, "compile_cached": True, "phases": {"train": 87},
        },
        {
            "system": "graphcore", "status": "completed", "accuracy": 0.9843, "params": {"epochs": 10},
            "claims": {"lr": 0.03, "epochs": 14, "batch_size": 8}, "compile_cached": True, "phases": {"train": 87},
        },
        {"system": "graphcore", "status": "failed", "error": "env-after-srun"},
        {
            "system": "graphcore", "status": "completed", "accuracy": 0.9813, "params": {"epochs": 10, "batch_size": 8},
            "phases": {"train": 136},
        },
        {
            "system": "groq", "device": "cpu", "status": "completed", "accuracy": 0.7747, "latency_ms": 2.21,
            "inferences_per_s": 453.45,
        },
        {
            "system": "groq", "device": "groq", "status": "completed", "accuracy": 0.7747, "latency_ms": 0.05,
            "inferences_per_s": 19253.91, "on_chip_latency_ms": 0.03, "on_chip_inferences_per_s": 37576.72,
            "params": {"seq_len": 128},
        },
        {"system": "cerebras", "status": "completed", "samples": 1024000},
        {"system": "cerebras", "status": "completed", "samples": 512000, "claims": {"batch_size": 512}},
    ],
    "page_002.md": [
        {
            "system": "cerebras", "prose": True, "claims": {"batch_size": 1024}, "steps": 1000, "samples": 1024000,
            "train_s": 211.257, "loss": 7.07812, "samples_per_s": 4853.35, "samples_per_s_avg": 4847.18,
        },
        {
            "system": "cerebras", "prose": True, "claims": {"batch_size": 512}, "steps": 1000, "samples": 512000,
            "train_s": 174.6463, "loss": 7.125, "samples_per_s": 2914.77, "samples_per_s_avg": 2931.64,
        },
        {
            "system": "cerebras", "prose": True, "claims": {"batch_size": 2048}, "steps": 1000, "samples": 2048000,
            "train_s": 304.895, "loss": 7.14844, "samples_per_s": 6697.23, "samples_per_s_avg": 6717.07,
        },
    ],
    "page_003.md": [
        {
            "system": "cerebras", "status": "completed", "params": {"batch_size": 2048}, "claims": {"batch_size": 2048},
            "steps": 1000, "samples": 2048000, "train_s": 304.240142671, "loss": 7.14844, "samples_per_s": 6712.77,
            "samples_per_s_avg": 6731.53,
        },
        {
            "system": "cerebras", "status": "completed", "params": {"batch_size": 1024}, "claims": {"batch_size": 1024},
            "steps": 1000, "samples": 1024000, "train_s": 210.627485242, "loss": 7.07812, "samples_per_s": 4850.11,
            "samples_per_s_avg": 4861.66,
        },
        {"system": "cerebras", "status": "failed", "claims": {"batch_size": 512}, "error": "stale-checkpoint"},
    ],
    "page_004.md": [
        {"system": "psrecord", "prose": True, "cpu_pct_mean": 542.1, "rss_bytes_mean": 2875426079, "wall_s": 7952.41},
        {"system": "psrecord", "prose": True, "rss_bytes_mean": 4645705482, "wall_s": 7954.38},
        {
            "system": "psrecord", "prose": True, "claims": {"batch_size": 32}, "cpu_pct_mean": 389.76,
            "rss_bytes_mean": 4675956900,
        },
        {
            "system": "psrecord", "prose": True, "claims": {"batch_size": 256}, "cpu_pct_mean": 389.76,
            "rss_bytes_mean": 4675956900, "wall_s": 6111.02,
        },
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_every_figure_of_the_page_comes_out_right(name: str) -> None:
    found = summaries((SEEDS / name).read_bytes(), name)
    assert len(found) == len(PAGES[name])
    for summary, expected in zip(found, PAGES[name], strict=True):
        assert summary["how"] == "parsed"
        holds(summary, expected)


def test_a_claim_is_never_filled_into_what_was_in_effect() -> None:
    found = summaries((SEEDS / "page_000.md").read_bytes(), "page_000.md")
    assert found[2]["claims"] == {"batch_size": 16, "epochs": 50, "lr": 0.01}
    assert found[2]["params"] == {"epochs": 10}


def test_the_seconds_of_one_lone_line_are_not_taken_for_training() -> None:
    found = summaries((SEEDS / "page_001.md").read_bytes(), "page_001.md")
    assert [summary.get("train_s") for summary in found[-2:]] == [None, None]
    assert found[-1]["metrics"] == {"reported_s": 175.796717907}
