"""Sentences as people write them about runs that are on the page: true ones accuse nobody, false ones are found."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import judged
from logs import cerebras, groq, mnist, page, sambanova

_AT_512 = ("### Batch size 512", cerebras(512, 2922, 7.125))
_AT_1024 = ("### Batch size 1024", cerebras(1024, 4855, 7.07812, start="2024-04-02 12:00:00"))
_AT_2048 = ("### Batch size 2048", cerebras(2048, 6725, 7.15625, start="2024-04-02 15:00:00"))
_DOUBLED = mnist(10, 75, 98.40, per_epoch_s=6.1, command="python mnist_poptorch.py --batch-size 16")
PAGES = {
    "three batch sizes": page("# Cerebras", *_AT_512, *_AT_1024, *_AT_2048, "### Discussion"),
    "two batch sizes": page("# Cerebras", *_AT_512, *_AT_1024),
    "epochs": page("# Graphcore", "## 10 epochs", mnist(10, 150, 96.90), "## 20 epochs", mnist(20, 150, 98.56), "## Text"),
    "batches": page("# Graphcore", "## batch size 8", mnist(10, 150, 98.1), "## batch size 16", _DOUBLED, "## Text"),
    "tasks": page("# SambaNova", "## 16 tasks", sambanova(16, 452.0), "## 8 tasks", sambanova(8, 450.2, 8.31), "## Text"),
    "chip": page("# GroqFlow", groq()),
    "profile": "# psrecord\n\n| batch size | average CPU (%) | average memory (MB) | time (s) |\n|---|---|---|---|\n"
    "| 32 | 389.76 | 2742.3 | 7928 |\n| 256 | 497.30 | 4411.0 | 6104 |\n",
}  # fmt: skip

TRUE = (
    ("three batch sizes", "Going from 512 to 2048 made the throughput 2.3 times higher."),
    ("three batch sizes", "The largest batch processes 2.3x as many samples per second as the smallest one."),
    ("three batch sizes", "The loss of 7.078 at batch size 1024 is the lowest, but that run saw twice the data."),
    ("three batch sizes", "Total training time: 175.2 + 210.9 + 304.5 = 690.6 s, or 11.5 minutes."),
    ("three batch sizes", "With the queue that is 11.5 min + 60 min = 1.2 h."),
    ("three batch sizes", "Samples: 1024 x 1000 = 1.024 million."),
    ("three batch sizes", "The loss dropped from 9.4 to 7.1 during training, a 24% decrease."),
    ("three batch sizes", "Within the first 500 steps the loss drops by about 20%, from 9.4 to 7.5."),
    ("three batch sizes", "That is 74% longer for 4x the samples."),
    ("three batch sizes", "Throughput rises from 2,922 to 4,855 to 6,725 samples/s, i.e. 1.66x and 1.39x."),
    ("three batch sizes", "I set max_steps to 1000 and the checkpoint interval to 1000."),
    ("two batch sizes", "A 66.2 % speed-up came from doubling the batch size."),
    ("two batch sizes", "Twice the batch gives 66 % more throughput, that is 83 % of perfect scaling."),
    ("two batch sizes", "Doubling the batch did not double the throughput; the gain is 1.66x, 17% short of 2x."),
    ("two batch sizes", "Per epoch, 1024 needs 40% less time because throughput is 1.66 times higher."),
    ("two batch sizes", "Each run takes about 10 GB on disk and 5% more after the second checkpoint."),
    ("epochs", "The error rate fell from 3.10% to 1.44%, i.e. by more than half."),
    ("epochs", "Twice the epochs took twice the time: 3:38 instead of 1:49."),
    ("batches", "Batch size 16 is 1.8x faster per epoch."),
    ("batches", "I kept the learning rate at 0.05 and the number of epochs at 10."),
    ("tasks", "The loss with 8 tasks is slightly higher (8.31 vs 8.25), but it saw half the samples."),
    ("tasks", "With 16 tasks we have 1.99x the throughput of 8 tasks, 99.6% efficiency."),
    ("chip", "On chip only, 37,576.72 IPS are reached, roughly 2.1 times the end-to-end rate."),
    ("chip", "On-chip latency (0.03 ms) is half of the end-to-end latency (0.06 ms)."),
    ("chip", "The speed-up over the CPU is 40x end to end and 83.5x on chip."),
    ("three batch sizes", "All three runs reduce the loss from above 9 to about 7.1."),
    ("three batch sizes", "Loss decreases quickly at first and then slowly."),
    ("batches", "Accuracy improved from 14.5% at the first step to 97.25% at the end of the epoch."),
    ("two batch sizes", "Increasing from 512 to 1024, i.e. 2x, we see 1.66x throughput and 1.2x time."),
    ("profile", "Memory grows from 2.7 GB to 4.3 GB, i.e. by 61%."),
    ("profile", "CPU load rises by 27.6%, memory by 60.9%."),
    ("profile", "The batch is 8x larger but memory only 1.61x."),
    ("profile", "The smaller batch takes 30% longer."),
    ("three batch sizes", "Batch size 2048 took 129.3 s longer than batch size 512."),
    ("three batch sizes", "Batch size 512 saved me 129 seconds compared to batch size 2048."),
    ("three batch sizes", "No run took more than 400 s longer than it should have."),
)

FALSE = (
    ("three batch sizes", "wrong-arithmetic", "The largest batch processes 4x as many samples per second as the smallest."),
    ("three batch sizes", "wrong-arithmetic", "Going from 512 to 2048 made the throughput 3.5 times higher."),
    ("three batch sizes", "wrong-arithmetic", "Total training time: 175.2 + 210.9 + 304.5 = 790.6 s."),
    ("three batch sizes", "wrong-arithmetic", "They took 175.2 s, 210.9 s and 304.5 s, 590.6 s in total."),
    ("three batch sizes", "wrong-arithmetic", "1000 steps x 1024 samples = 1,240,000 samples were processed."),
    ("three batch sizes", "wrong-arithmetic", "6725 samples/s is three times that of 2922 samples/s."),
    ("three batch sizes", "wrong-arithmetic", "It started at 09:00 and finished at 09:31, so it took 45 minutes."),
    ("three batch sizes", "unequal-budget", "The model trained with 1024 is better than that trained with 512."),
    ("two batch sizes", "wrong-arithmetic", "The throughput increased by a factor of 2.4."),
    ("two batch sizes", "wrong-arithmetic", "The throughput was more than twice as high with batch size 1024."),
    ("two batch sizes", "wrong-arithmetic", "We see a throughput improvement of 166%."),
    ("epochs", "wrong-arithmetic", "Accuracy went from 96.90% to 98.56%, an increase of 5%."),
    ("batches", "within-noise", "Batch size 16 performs better than batch size 8 (98.40% vs. 98.10% accuracy)."),
    ("batches", "within-noise", "Doubling the batch helped: +0.3 percentage points of accuracy."),
    ("tasks", "wrong-arithmetic", "Halving the tasks cut the throughput by 75%."),
    ("tasks", "wrong-arithmetic", "With 16 tasks the throughput is 4 times that of 8 tasks."),
    ("chip", "wrong-arithmetic", "Latency drops from 2.22 ms to 0.06 ms, a 50% reduction."),
    ("chip", "wrong-arithmetic", "The Groq chip is 100x faster than the CPU."),
    ("profile", "wrong-arithmetic", "CPU load rises by 63%, memory by 60.9%."),
    ("profile", "wrong-arithmetic", "Memory usage increases by only 1.6%."),
    ("profile", "wrong-arithmetic", "The larger batch is twice as fast."),
    ("three batch sizes", "wrong-arithmetic", "Batch size 2048 took 60 s longer than batch size 512."),
    ("three batch sizes", "wrong-arithmetic", "Batch size 512 saved me 240 seconds compared to batch size 2048."),
)  # fmt: skip


@pytest.mark.parametrize(("name", "sentence"), TRUE)
def test_a_true_sentence_accuses_nobody(tmp_path: Path, name: str, sentence: str) -> None:
    before = {(one.code, one.message) for one in judged(tmp_path, PAGES[name])}
    found = judged(tmp_path, f"{PAGES[name]}\n{sentence}\n")
    assert [one for one in found if (one.code, one.message) not in before and one.severity != "note"] == []


@pytest.mark.parametrize(("name", "code", "sentence"), FALSE)
def test_a_false_sentence_is_found_where_it_stands(tmp_path: Path, name: str, code: str, sentence: str) -> None:
    text = f"{PAGES[name]}\n{sentence}\n"
    found = [one for one in judged(tmp_path, text) if one.code == code]
    assert any(
        place.line == len(text.splitlines()) and place.text == sentence for one in found for place in one.evidence
    )


def test_a_line_of_figures_alone_is_no_sentence(tmp_path: Path) -> None:
    """A dump of a column, pasted as text: patterns that set figures against each other would take hours over it."""
    text = page("# Cerebras", *_AT_512, *_AT_1024, ",".join(["1.66", "10%"] * 5_000))
    assert not [one for one in judged(tmp_path, text) if one.code == "wrong-arithmetic"]
