"""A student's page with four planted mistakes: each is found, with its line, and nothing else is."""

from __future__ import annotations

from pathlib import Path

from judged import judged


def log(batch: int, rates: tuple[int, int, int], accuracy: float, seconds: float) -> str:
    epochs = "".join(f"epoch {n + 1} loss {0.41 - 0.08 * n:.4f} {rate} samples/s\n" for n, rate in enumerate(rates))
    command = f"$ python train.py --batch-size {batch} --epochs 3 --lr 0.001"
    return f"## Batch size {batch}\n\n```\n{command}\n{epochs}test accuracy {accuracy}\ntook {seconds} s\n```\n\n"


LOGS = "# MNIST\n\n" + log(8, (1190, 1201, 1203), 0.912, 214.6) + log(16, (1390, 1401, 1405), 0.905, 183.1)
HONEST = (
    "## What I found\n\nBatch 16 was the fastest. With batch size 8 the network reached 91.2 % test accuracy, and it took "
    "3.6 minutes. Together the two runs took 398 s. The throughput rose by 16.8 % from batch 8 to batch 16.\n"
)
MISTAKES = {
    "Batch 16 was": ("Batch 8 was", "wrong-ranking"),
    "91.2 %": ("92.1 %", "misquoted-figure"),
    "3.6 minutes": ("214.6 minutes", "mislabelled-unit"),
    "398 s": ("451 s", "wrong-arithmetic"),
    "16.8 %": ("61.8 %", "wrong-arithmetic"),
}


def accused(folder: Path, text: str) -> list[tuple[str, str]]:
    return [(one.code, one.severity) for one in judged(folder, LOGS + text) if one.severity != "note"]


def test_the_honest_page_accuses_nobody(tmp_path: Path) -> None:
    assert accused(tmp_path, HONEST) == []


def test_each_mistake_is_found_and_nothing_else(tmp_path: Path) -> None:
    for right, (wrong, code) in MISTAKES.items():
        assert accused(tmp_path, HONEST.replace(right, wrong)) == [(code, "wrong")], wrong
