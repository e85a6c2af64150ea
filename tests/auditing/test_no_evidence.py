"""Claims that nothing in the source can support, and claims that something does."""

from __future__ import annotations

from pathlib import Path

from judged import Pages, codes, examples, left_alone
from logs import cerebras, groq, mnist, page, sambanova

RAISED: dict[str, Pages] = {
    "a picture is no evidence": page(
        "# Graphcore",
        "I changed the learning rate from 0.03 to 0.01 and the accuracy went up to 98.7%.",
        "![results](run2.png)",
    ),
    "a learning rate that is never printed": page("# Graphcore", "I lowered the learning rate to 0.001:", mnist(10)),
    "figures without a log": page(
        "# Graphcore", "With 40 epochs the accuracy was 98.16% and with 100 epochs it was 98.67%."
    ),
    "only one of two runs is shown": page(
        "# Cerebras", "Batch size 512:", cerebras(512, 2920), "With a batch size of 2048 the rate was 6720 samples/sec."
    ),
    "the logs are elsewhere": page(
        "# Cerebras",
        "https://example.org/me/mytest_1024.log",
        "The batch size of 512 finished faster than the batch size of 1024.",
    ),
    "epochs in a screenshot": page(
        "# MNIST on Graphcore", "Next, I changed the number of epochs from 10 to 20:", "![](Increased%20Epochs.jpg)"
    ),
}

NOT_RAISED: dict[str, Pages] = {
    "another machine and another week": page(
        "# Graphcore", mnist(10), "On GPU I have used batch size 128 in last homework."
    ),
    "a figure from one to the other": page(
        "# SambaNova",
        "ntasks 16:",
        sambanova(16),
        "ntasks 8:",
        sambanova(8, 450.0, 8.309),
        "Halving the tasks halved the throughput, from 4576 to 2298 samples per second.",
    ),
    "it failed": page("# SambaNova", sambanova(16), "I tried 32 tasks, but the job failed."),
    "a loss of so many tasks": page(
        "# SambaNova",
        "ntasks 16:",
        sambanova(16),
        "ntasks 8:",
        sambanova(8, 450.0, 8.309),
        "The loss of 16 tasks was fine.",
    ),
    "both runs are shown": page(
        "# Cerebras",
        "Batch size 512:",
        cerebras(512, 2920),
        "Batch size 1024:",
        cerebras(1024),
        "The larger batch size gave a higher rate.",
    ),
    "nothing is claimed": page(
        "# Connecting", "Log in to the node with ssh and create an environment.", "pip install poptorch\n"
    ),
    "a wish": page("# Graphcore", mnist(10), "It would be interesting to try a learning rate of 0.1 or 100 epochs."),
    "the assignment": page(
        "# Graphcore",
        "## Homework",
        "Run the MNIST example by changing the batch size, the learning rate and the number of epochs, and report the accuracy.",
    ),
    "it could not be run": page("# Cerebras", "I could not run a batch size of 2048 because the queue was full."),
    "the command shows the learning rate": page(
        "# Graphcore",
        "I lowered the learning rate to 0.001:",
        mnist(10, command="srun --ipus=1 python mnist_poptorch.py --lr 0.001"),
    ),
    "the log alone": {"bert.log": cerebras(1024)},
    "what the table shows": page("# Groq", groq(), "The GroqChip reached 18000 IPS with the same accuracy of 77.47%."),
    "how the system works": page(
        "# Graphcore",
        "The IPU has 1472 cores and 900 MB of memory on chip. A learning rate sets how far a step goes.",
        mnist(10),
    ),
}


@examples(RAISED)
def test_a_claim_without_support_is_doubted(tmp_path: Path, pages: Pages) -> None:
    assert "no-evidence" in codes(tmp_path, pages)


#: a false finding that is still to be mended: the run that failed is not the one that is shown
@examples(NOT_RAISED)
def test_a_supported_claim_or_none_is_left_alone(tmp_path: Path, pages: Pages) -> None:
    left_alone(tmp_path, pages, "no-evidence")
