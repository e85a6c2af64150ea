"""Rows and runs that a sentence calls by a word, and what is said of a whole column."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import judged

NODES = """# Nodes

| node | GPU | tokens/s | watts |
|---|---|---|---|
| gpu-a | V100 | 21,400 | 265 |
| gpu-b | A100 | 68,900 | 372 |
| gpu-c | H100 | 141,300 | 590 |

"""
PRECISIONS = """# Precision

fp32:
```
[100/100] loss=0.8123 throughput=402.1 img/s mem=14.8GB
elapsed: 15.92 s
```

bf16:
```
[100/100] loss=0.8131 throughput=811.7 img/s mem=8.1GB
elapsed: 7.88 s
```

"""
SCALING = """# Scaling

| GPUs | time per epoch (s) |
|---|---|
| 1 | 412.0 |
| 2 | 211.3 |
| 4 | 110.8 |
| 8 | 63.9 |

"""
TRIALS = """# Search

| trial | val acc |
|---|---|
| 1 | 84.2 |
| 2 | 88.9 |
| 3 | 71.5 |
| 4 | 86.0 |
| 5 | 90.3 |

"""
CSV = """# Rates

```csv
lr,final_loss,test_acc
0.001,0.412,88.1
0.01,0.195,93.9
0.03,0.231,92.8
```

"""
FALSE = (
    (NODES, "The H100 is 3.05 times as fast as the A100."),
    (NODES, "The A100 is 2.05 times as fast as the H100."),
    (NODES, "The V100 draws the most power."),
    (PRECISIONS, "bf16 is three times as fast."),
    (PRECISIONS, "bf16 needs 65 % less memory than fp32."),
    (SCALING, "The parallel efficiency at 8 GPUs is 95 %."),
    (TRIALS, "Trial 2 was the best."),
    (TRIALS, "Two of the five are above 80 %."),
    (TRIALS, "The mean validation accuracy of these five is 89.2 %."),
    (CSV, "The best learning rate was 0.03."),
    (TRIALS, "Trial 5 reached a validation accuracy of 93.3 %."),
    (TRIALS, "The highest accuracy was 95.3 %."),
    (SCALING, "On average the four settings took 299.5 seconds an epoch."),
)
BATCHES = """# Batch sizes

| batch | images/s | peak memory (GB) | accuracy |
|---|---|---|---|
| 32 | 410 | 3.1 | 91.2 |
| 64 | 702 | 4.9 | 91.0 |
| 256 | 1320 | 15.7 | 87.4 |

"""
TRUE = (
    (BATCHES, "A batch of 64 gives the best accuracy for the memory it needs."),
    (BATCHES, "Batch 64 is the fastest that keeps 91 %."),
    (BATCHES, "Batch 32 has the highest accuracy, 256 the lowest."),
    (BATCHES, "The best throughput per GB is at batch 64."),
    (NODES, "The H100 is 2.05 times as fast as the A100."),
    (NODES, "The H100 draws the most power."),
    (NODES, "The A100 is the best per watt."),
    (NODES, "The H100 is 9 times as fast as my laptop."),
    (PRECISIONS, "bf16 is twice as fast."),
    (PRECISIONS, "bf16 needs 45 % less memory than fp32."),
    (PRECISIONS, "bf16 is 3 times as fast as fp16, which we did not run here."),
    (SCALING, "The parallel efficiency at 8 GPUs is 81 %."),
    (SCALING, "An efficiency of 95 % would be perfect at 8 GPUs."),
    (TRIALS, "Trial 5 was the best."),
    (TRIALS, "Trial 2 was the second best."),
    (TRIALS, "Four of the five are above 80 %."),
    (TRIALS, "The mean validation accuracy of these five is 84.2 %."),
    (TRIALS, "The average accuracy of the good ones is 87.4 %."),
    (CSV, "The best learning rate was 0.01."),
    (TRIALS, "Trial 5 reached a validation accuracy of 90.3 %."),
    (TRIALS, "The highest accuracy was 90.3 %."),
    (TRIALS, "Trial 2 is the best compromise."),
    (TRIALS, "Over ten seeds the average accuracy was 93.1 %."),
    (NODES, "The A100 is the most popular one with 68,900 tokens/s."),
    (NODES, "The V100 is the slowest to start, and the H100 the fastest."),
    (SCALING, "CPU efficiency with 8 GPUs was 51 %."),
    (SCALING, "On average a step takes 1.2 s."),
    (NODES, "The A100 is the fastest card that fits into our old chassis."),
    (NODES, "For small models the V100 is the fastest."),
    (NODES, "With a larger batch the H100 is 2.6 times as fast as the A100."),
    (NODES, "This is the fastest cluster for A100 users."),
    (PRECISIONS, "bf16 was 3 times faster after we fixed the data loader."),
    (PRECISIONS, "bf16 has a lower loss than fp32 in the first 50 steps."),
    (SCALING, "The parallel efficiency at 4 GPUs of the older cluster was 60 %."),
    (TRIALS, "Trial 2 was the best before we tuned the warm-up."),
    (TRIALS, "The mean accuracy without trial 3 is 87.35 %."),
    (CSV, "The best learning rate was 0.03 for the larger model."),
    (NODES, "Per watt we get 185 tokens/s for the A100 against 81 for the V100."),
)


@pytest.mark.parametrize(("page", "sentence"), FALSE)
def test_what_the_named_rows_contradict_is_wrong(tmp_path: Path, page: str, sentence: str) -> None:
    found = judged(tmp_path, {"page.md": f"{page}{sentence}\n"})
    assert {one.code for one in found} & {"wrong-arithmetic", "wrong-ranking", "misquoted-figure"}


@pytest.mark.parametrize(("page", "sentence"), TRUE)
def test_what_the_named_rows_show_is_left_alone(tmp_path: Path, page: str, sentence: str) -> None:
    found = [one for one in judged(tmp_path, {"page.md": f"{page}{sentence}\n"}) if one.severity != "note"]
    assert [one for one in found if one.code != "no-evidence"] == []


def test_a_paragraph_below_a_result_is_no_part_of_it(tmp_path: Path) -> None:
    rates = '"request_throughput": {"unit": "requests/sec", "avg": 6.42},\n"request_count": {"avg": 320}'
    times = '"request_latency": {"unit": "ms", "avg": 4931.2, "p50": 4880.3},\n"time_to_first_token": {"avg": 211.7}'
    result = f"```json\n{{\n{times},\n{rates}\n}}\n```\n"
    said = "The endpoint delivered 9.4 requests/s, which is more than we had hoped for.\n"
    found = judged(tmp_path, {"page.md": f"# Serving\n\n{result}\n{said}"})
    assert [one.code for one in found if one.severity == "wrong"] == ["misquoted-figure"]


def test_two_comparisons_in_one_sentence_have_their_own_sides(tmp_path: Path) -> None:
    table = "# Batches\n\n| batch | images/s |\n|---|---|\n| 32 | 612 |\n| 64 | 841 |\n| 128 | 1015 |\n| 256 | 1088 |\n"
    said = "Batch 64 is 37 % faster than batch 32, and from 128 to 256 we only get 7 % more.\n"
    assert [one for one in judged(tmp_path, {"page.md": f"{table}\n{said}"}) if one.severity == "wrong"] == []
