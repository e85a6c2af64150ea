"""Ratios, percentages and totals that do not follow from the page, and those that do."""

from __future__ import annotations

from pathlib import Path

from judged import Pages, codes, examples, left_alone
from logs import cerebras, mnist, page, sambanova

RAISED: dict[str, Pages] = {
    "a load that went down": page(
        "# psrecord",
        "Batch size 64: average CPU usage 542.1 %, average memory 2742.2 MB, completed in 7952 seconds.",
        "Batch size 256: average CPU usage 389.8 %, average memory 4459.3 MB, completed in 6111 seconds.",
        "The average CPU usage went down 48%.",
    ),
    "three-fold for 2.3": page(
        "# Cerebras",
        "Batch size 512:",
        cerebras(512, 2920),
        "Batch size 2048:",
        cerebras(2048, 6720, 7.15),
        "From 2920 to 6720 samples/sec is a 3-fold increase.",
    ),
    "1.6 per cent for 61": page(
        "# Cerebras", "The time increased from 175 seconds to 281.4 seconds, an increase of about 1.6%."
    ),
    "a percentage of two figures": page(
        "# Profile",
        "Batch size 32: the completion time is 7928 seconds.",
        "Batch size 256: the completion time is 6104 seconds.",
        "The completion time drops from 7928 to 6104 seconds, by 63%.",
    ),
    "twice for a fifth": page(
        "# SambaNova", "The throughput went from 4561 to 5473 samples per second, so it doubled."
    ),
    "a drop that is none": page("# Groq", "The latency fell from 2.20 ms to 1.98 ms, a reduction of 50%."),
    "a column of increases": "# Cerebras\n\n| batch size | samples/s | increase |\n|---|---|---|\n| 512 | 2922 | - |\n"
    "| 1024 | 4855 | +66% |\n| 2048 | 6725 | +80% |\n",
    "a profile told in two lines": page(
        "# psrecord",
        "Batch size 32: average CPU usage 389.76 %, average memory 2742.3 MB, completed in 7928 seconds.",
        "Batch size 256: average CPU usage 497.3 %, average memory 4411.0 MB, completed in 6104 seconds.",
        "With the larger batch, the memory goes up by 41% and the time goes down by 23%.",
    ),
    "a difference that is written out": page("# Notes", "It took 211.19 s - 174.84 s = 46.35 s longer."),
    "a quotient that is written out": page("# Notes", "The ratio is 4848.63 / 2928.46 = 2.656."),
    "a change that is written out": page("# Notes", "(4848.63 - 2928.46) / 2928.46 = 95.6%"),
    "a row of speed-ups": "# Cerebras\n\n| metric | 512 | 1024 | 2048 |\n|---|---|---|---|\n"
    "| time (s) | 174.8 | 211.2 | 302.9 |\n| samples/s | 2928 | 4849 | 6760 |\n| speedup | 1 | 1.66 | 3.31 |\n",
    "bars of two lengths": page(
        "# Graphcore", "10 epochs:", mnist(10), "20 epochs:", mnist(20, job=2), "20 epochs take 7.2 times longer."
    ),
    "times of": page(
        "# SambaNova",
        "16 tasks:",
        sambanova(16),
        "8 tasks:",
        sambanova(8),
        "With 16 tasks the throughput is 5 times of 8 tasks.",
    ),
    "a batch size with its value": page(
        "# Cerebras",
        "Batch size 512:",
        cerebras(512, 2920),
        "Batch size 2048:",
        cerebras(2048, 6720, 7.15),
        "The throughput with batch size 2048 is 3.3 times that with 512.",
    ),
    "a factor": page("# Groq", "The CPU reached 450 IPS and the GroqChip 18000 IPS, which is 4 times faster."),
}

#: two runs that sentences of all kinds are said of
_BOTH = ("Batch size 512:", cerebras(512, 2920, 7.125), "Batch size 1024:", cerebras(1024, 4850, 7.078))

NOT_RAISED: dict[str, Pages] = {
    "a list of factors": page(
        "# psrecord",
        "Batch size 64: average CPU usage 542.1 %, average memory 2742.2 MB, completed in 7952 seconds.",
        "Batch size 256: average CPU usage 389.8 %, average memory 4459.3 MB, completed in 6111 seconds.",
        "The memory is 1.6x, CPU 0.72x, time 0.77x.",
        "The interval of sampling is 2x shorter than before.",
    ),
    "a quotient, a difference and a change that are right": page(
        "# Notes",
        "4848.63 / 2928.46 = 1.656, and (4848.63 - 2928.46) / 2928.46 = 65.6%, and 211.19 - 174.84 = 36.35 s.",
        "7952.41 / 6111.02 = 30%, and 9812 / 10000 = 98.12%, and 120 / 60 = 2 h, and 1024000 / 211.19 = 4.85k.",
        "Epochs 1 - 10 = 97.13%, and lines 20 - 40 = 3 in the log of 2024 - 04 = 2.",
    ),
    "a row of speed-ups that are right": "# Cerebras\n\n| metric | 512 | 1024 |\n|---|---|---|\n"
    "| time (s) | 174.8 | 211.2 |\n| samples/s | 2928 | 4849 |\n| speedup | 1 | 1.66 |\n",
    "three figures in one sentence": page(
        "# psrecord",
        "Batch size 64: average CPU usage 542.1 %, average memory 2742.2 MB, completed in 7952 seconds.",
        "Batch size 256: average CPU usage 389.8 %, average memory 4459.3 MB, completed in 6111 seconds.",
        "The time drops by 23%, CPU drops by 28% and RAM increases by 63%.",
        "The time drops by 23%, and the power by 44%.",
        "In CPU time it is 45% less.",
    ),
    "a batch size with its value": page(
        "# Cerebras",
        *_BOTH,
        "The throughput with batch size 1024 is 1.66 times that with 512.",
        "With batch size 1024 the number of samples is 2 times that with 512.",
        "Batch size 1024 is 2 times larger.",
    ),
    "half of the work": page("# Cerebras", *_BOTH, "512 needs 17% less time, but does half of the work."),
    "a longer wait": page("# Cerebras", *_BOTH, "The second run was waiting 3 times longer in the queue."),
    "increases from row to row": "# Cerebras\n\n| batch | samples/s | gain | time (s) | change |\n|---|---|---|---|---|\n"
    "| 512 | 2922 | - | 175.2 | - |\n| 1024 | 4855 | +66% | 210.9 | +20% |\n| 2048 | 6725 | +39% | 304.5 | +44% |\n",
    "increases over the first row": "# Cerebras\n\n| batch | samples/s | improvement over 512 |\n|---|---|---|\n"
    "| 512 | 2922 | 0% |\n| 1024 | 4855 | 66.2% |\n| 2048 | 6725 | 130.1% |\n",
    "points in a column": "# Graphcore\n\n| epochs | accuracy | change | time |\n|---|---|---|---|\n"
    "| 10 | 98.05% | - | 109 |\n| 20 | 98.45% | +0.4% | 218 |\n",
    "increases of nothing that is there": "# Notes\n\n| what | change |\n|---|---|\n| seed | 5% |\n| loader | 12% |\n",
    "formulas": page(
        "# Notes",
        "The steps are 60000 / (50 * 8) = 150, and 10 + 5 * 2 = 20, 2^3 x 2 = 16, 100 - 20 + 5 = 85, 3 x 10^2 = 300.",
    ),
    "over groups of runs": page(
        "# Cerebras", *_BOTH, "Step time, 16 against 8: 2.05 × the step time, 95 % interval 1.85–2.24, n = 2 + 2."
    ),
    "a setting from one value to another": page(
        "# Cerebras", *_BOTH, "Increasing the batch size from 512 to 1024 increased the throughput by 66%."
    ),
    "a setting doubled": page("# Cerebras", *_BOTH, "I doubled the batch size and the time only rose by 20%."),
    "two things that moved": page(
        "# Cerebras", *_BOTH, "The larger batch was better: 66% higher throughput for 20% more time."
    ),
    "a laptop": page("# Cerebras", *_BOTH, "This is 100x faster than my laptop."),
    "another system": page("# Cerebras", *_BOTH, "Compared to the CPU the wafer is 850x faster."),
    "a share of the data": page("# Cerebras", *_BOTH, "We used 80% of the data for training and 20% for testing."),
    "right per cents": page("# Profile", "The completion time drops from 7928 to 6104 seconds, by 23%."),
    "right factor": page("# Cerebras", "The rate grew from 2920 to 6720 samples/sec, about 2.3 times."),
    "nearly half": page("# SambaNova", "Going from 4575 to 2254 samples per second, the rate is nearly half."),
    "points called per cent": page("# Graphcore", "The accuracy rose from 97.13% to 98.58%, an increase of 1.45%."),
    "rounded": page("# Cerebras", "From 2920 to 4850 samples/sec, roughly 1.7x."),
    "two things in a sentence": page(
        "# Cerebras",
        "Doubling the batch size from 512 to 1024 increased the rate by 66%, from 2920 to 4850 samples/sec.",
    ),
    "a share of something else": page(
        "# Profile", "The run took 300 seconds instead of 200, and used 63% of the memory of the node."
    ),
    "forty times": page("# Groq", "The CPU reached 450 IPS and the GroqChip 18000 IPS, which is 40 times faster."),
    "the other way of counting": page("# Cerebras", "The time fell from 300 to 100 seconds, so it is 3 times faster."),
    "half as long again": page(
        "# Cerebras", "The time rose from 200 to 300 seconds, 1.5 times as long, that is 50% more."
    ),
}


@examples(RAISED)
def test_arithmetic_that_does_not_follow_is_found(tmp_path: Path, pages: Pages) -> None:
    assert "wrong-arithmetic" in codes(tmp_path, pages)


#: true of the example too
ALSO = {"points called per cent": "within-noise"}


@examples(NOT_RAISED)
def test_arithmetic_that_follows_is_left_alone(tmp_path: Path, pages: Pages) -> None:
    also = next((code for name, code in ALSO.items() if NOT_RAISED[name] == pages), "")
    left_alone(tmp_path, pages, "wrong-arithmetic", also=also)
