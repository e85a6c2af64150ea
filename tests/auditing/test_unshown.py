"""Figures that a sentence gives and no run shows; settings that changed nothing; seconds that cover more."""

from __future__ import annotations

from pathlib import Path

from judged import Pages, codes, examples
from logs import cerebras, launcher, mnist, page

DOUBTED: dict[str, Pages] = {
    "an accuracy from nowhere": page(
        "# IPU", "The accuracy improved from 93.10% to 98.05%.", mnist(10, accuracy=98.05)
    ),
    "a training that was never so long": page(
        "# CS-2",
        "Batch size 512:",
        cerebras(512, 2920),
        "The training itself took about fifteen minutes.",
    ),
}
LEFT_ALONE: dict[str, Pages] = {
    "both are shown": page(
        "# IPU",
        "The accuracy improved from 97.10% to 98.05%.",
        mnist(10, accuracy=97.1, command="srun --ipus=1 python mnist_poptorch.py"),
        mnist(10, accuracy=98.05, command="srun --ipus=1 python mnist_poptorch.py"),
    ),
    "a time that says what it covers": page(
        "# CS-2",
        "Batch size 512:",
        cerebras(512, 2920),
        "With compiling, the whole training took about fifteen minutes.",
    ),
}


@examples(DOUBTED)
def test_a_figure_that_no_run_shows_is_doubted(tmp_path: Path, pages: Pages) -> None:
    assert "no-evidence" in codes(tmp_path, pages)


@examples(LEFT_ALONE)
def test_a_figure_that_is_shown_or_explained_is_left_alone(tmp_path: Path, pages: Pages) -> None:
    assert not codes(tmp_path, pages) & {"no-evidence", "misquoted-figure"}


def _plain(*parts: str) -> str:
    """Parts as they stand: a table of a page is in no fence."""
    return "\n\n".join(parts) + "\n"


def _tasks(counts: dict[int, float]) -> str:
    lines = [
        f"ntasks {n}\n'final_loss': {8.4 - rate / 20000}, 'training_samples_per_second': {rate}"
        for n, rate in counts.items()
    ]
    return _plain("# SambaNova", "The end of each log that I got.", *lines)


def test_more_tasks_with_the_rate_of_fewer_are_doubted(tmp_path: Path) -> None:
    assert "same-figures" in codes(tmp_path, _tasks({10: 1420.25, 5: 1421.5, 1: 285.0}))


def test_tasks_that_scale_are_left_alone(tmp_path: Path) -> None:
    assert "same-figures" not in codes(tmp_path, _tasks({10: 2810.25, 5: 1421.5, 1: 285.0}))


def test_a_column_of_durations_that_are_compiles_is_named(tmp_path: Path) -> None:
    table = "| tasks | Duration (s) |\n|---|---|\n| 6 | 655 |\n| 10 | 702 |"
    pages = _plain("# SambaNova", table, f"```\n{launcher(702, 4711, 702)}\n```")
    assert "time-covers-more" in codes(tmp_path, pages)


def test_a_rate_made_with_seconds_that_cover_more_is_named(tmp_path: Path) -> None:
    head = "| Batch | Mean of Rate (samples/sec) | GlobalRate (samples/sec) | Total seconds | Throughput (samples/sec) |\n|---|---|---|---|---|\n"
    rows = "| 50 | 40.5 | 40.0 | 2,000 | 5.0 |\n| 100 | 41.5 | 41.0 | 2,500 | 8.0 |"
    assert "time-covers-more" in codes(tmp_path, _plain("# CS-3", "200 steps for every batch size.", head + rows))
    honest = head + "| 50 | 40.5 | 40.0 | 250 | 40.0 |\n| 100 | 41.5 | 41.0 | 488 | 41.0 |"
    assert "time-covers-more" not in codes(tmp_path, _plain("# CS-3", "200 steps for every batch size.", honest))


def test_a_rate_that_wanders_all_along_is_named(tmp_path: Path) -> None:
    def log(seconds: list[int]) -> dict[str, str]:
        at, text = 0, ""
        for step, took in enumerate(seconds, 1):
            at += took
            text += (
                f"2024-04-09 02:{at // 60:02d}:{at % 60:02d},000 INFO:   | Train Device=CSX, Step={step}00, Loss=7.5, "
                f"Rate={51200 / took:.2f} samples/sec, GlobalRate=900.0 samples/sec\n"
            )
        return {"night.log": text}

    assert "contended" in codes(tmp_path, log([60, 27, 54, 28, 41, 63, 30, 27, 29, 46, 71]))
    assert "contended" not in codes(tmp_path, log([60, 27, 28, 28, 27, 29, 30, 27, 29, 28, 29]))
