"""Results compared at equal steps and unequal samples, and comparisons that are fair."""

from __future__ import annotations

from pathlib import Path

from judged import Pages, codes, examples, left_alone
from logs import cerebras, mnist, page, sambanova

RAISED: dict[str, Pages] = {
    "equal seconds for unequal work": page(
        "# SambaNova",
        "ntasks 4:",
        sambanova(4, 440.0),
        "ntasks 8:",
        sambanova(8, 446.0),
        "Both runs stop after seven minutes, so the number of tasks makes no difference to the performance.",
    ),
    "the same number of steps": page(
        "# Cerebras",
        "Batch size 512:",
        cerebras(512, 2920, 7.3),
        "Batch size 2048:",
        cerebras(2048, 6720, 6.6),
        "After the same 1000 steps the loss is lower with the larger batch, so a batch of 2048 learns better.",
    ),
    "the lowest loss of three batch sizes": page(
        "# Cerebras",
        "Batch size 512:",
        cerebras(512, 2920, 7.125),
        "Batch size 1024:",
        cerebras(1024, 4850, 7.07812),
        "Batch size 2048:",
        cerebras(2048, 6720, 7.14844),
        "The best model was the middle batch size, as it had the lowest loss.",
    ),
    "an optimum": page(
        "# Cerebras",
        "Batch size 512:",
        cerebras(512, 2920, 7.125),
        "Batch size 1024:",
        cerebras(1024, 4850, 7.07812),
        "A batch size of 1024 is optimal: it has the smallest loss.",
    ),
    "a table of losses": "# Cerebras\n\n| batch size | steps | loss |\n|---|---|---|\n| 512 | 1000 | 7.125 |\n| 2048 | 1000 | 6.41 |\n\nThe larger batch size reaches a better loss.\n",
    "a loss that fell with the batch": page(
        "# Cerebras",
        "Batch size 512:",
        cerebras(512, 2920, 7.3),
        "Batch size 2048:",
        cerebras(2048, 6720, 6.6),
        "When the batch size was increased the model converged to a lower loss.",
    ),
    "more tasks, more data": page(
        "# SambaNova",
        "ntasks 8:",
        sambanova(8, 450, 8.30887),
        "ntasks 32:",
        sambanova(32, 479, 8.22767),
        "More tasks give a lower final loss, so the model learns better.",
    ),
    "figures in sentences": page(
        "# Cerebras",
        "The first run (batch size 1024) ended at step 1000 with a loss of 6.90.",
        "The second run (batch size 256) ended at step 1000 with a loss of 7.60.",
        "The larger batch learns more in the same number of steps and gives the better model.",
    ),
    "worse is a verdict too": page(
        "# Cerebras",
        "Batch size 256:",
        cerebras(256, 1500, 7.9),
        "Batch size 1024:",
        cerebras(1024, 4850, 7.1),
        "A batch size of 256 gives a worse loss than 1024.",
    ),
}

NOT_RAISED: dict[str, Pages] = {
    "who says that the work grows with the tasks": page(
        "# SambaNova",
        "ntasks 4:",
        sambanova(4, 440.0),
        "ntasks 8:",
        sambanova(8, 446.0),
        "Both take the same time, but eight tasks hold twice the samples of four in every step: the speed doubles.",
    ),
    "who says that the samples are more": page(
        "# Cerebras",
        "Batch size 512:",
        cerebras(512, 2920, 7.125),
        "Batch size 1024:",
        cerebras(1024, 4850, 7.07812),
        "The loss is lower with 1024, which is normal because the number of processed samples is two times larger.",
    ),
    "who says how many times the samples": page(
        "# Cerebras",
        "Batch size 512:",
        cerebras(512, 2920, 7.125),
        "Batch size 2048:",
        cerebras(2048, 6720, 7.07812),
        "After the same 1000 steps batch 2048 has the lower loss, but it has also seen 4 times as many samples.",
    ),
    "only rates are compared": page(
        "# Cerebras",
        "Batch size 512:",
        cerebras(512, 2920, 7.125),
        "Batch size 1024:",
        cerebras(1024, 4850, 7.07812),
        "Batch size 2048:",
        cerebras(2048, 6720, 7.14844),
        "The larger the batch, the higher the rate in samples per second.",
    ),
    "equal samples": page(
        "# Cerebras",
        "Batch size 512:",
        cerebras(512, 2920, 7.0, 2000),
        "Batch size 1024:",
        cerebras(1024, 4850, 7.2, 1000),
        "The smaller batch reached a lower loss over the same number of samples.",
    ),
    "the author says so": page(
        "# Cerebras",
        "Batch size 1024:",
        cerebras(1024, 4850, 7.078),
        "Batch size 2048:",
        cerebras(2048, 6720, 7.0),
        "The loss is lower for 2048, but it saw twice the samples, so this comparison is not fair.",
    ),
    "a study of epochs": page(
        "# Graphcore",
        "10 epochs:",
        mnist(10, accuracy=92.1),
        "20 epochs:",
        mnist(20, accuracy=98.2),
        "More epochs give a better accuracy.",
    ),
    "equal batch, another learning rate": page(
        "# Cerebras",
        "Learning rate 0.001:",
        cerebras(1024, 4850, 7.6),
        "Learning rate 0.01:",
        cerebras(1024, 4850, 6.9),
        "The larger learning rate gives the better loss.",
    ),
    "no comparison": page(
        "# Cerebras",
        "Batch size 512:",
        cerebras(512, 2920),
        "Batch size 1024:",
        cerebras(1024),
        "Both runs completed successfully and the losses went down.",
    ),
    "time is compared": page(
        "# Cerebras",
        "Batch size 512:",
        cerebras(512, 2920, 7.125),
        "Batch size 2048:",
        cerebras(2048, 6720, 7.14844),
        "The smaller batch size was better because it finished earlier.",
    ),
}


@examples(RAISED)
def test_a_comparison_at_unequal_samples_is_named(tmp_path: Path, pages: Pages) -> None:
    assert "unequal-budget" in codes(tmp_path, pages)


#: true of the example too, or (wrong-arithmetic) a false finding that is still to be mended
ALSO = {"equal batch, another learning rate": "same-figures"}


@examples(NOT_RAISED)
def test_a_fair_comparison_is_left_alone(tmp_path: Path, pages: Pages) -> None:
    also = next((code for name, code in ALSO.items() if NOT_RAISED[name] == pages), "")
    left_alone(tmp_path, pages, "unequal-budget", also=also)
