"""Figures that are not in the unit their name says, and figures that are."""

from __future__ import annotations

from pathlib import Path

from judged import Pages, examples, judged
from logs import cerebras, groq, page, sambanova

from assay.model.finding import NOTE, WRONG

RAISED: dict[str, Pages] = {
    "tokens called sequences": page("# SambaNova", sambanova(16), "The training ran at 585764 sequences per second."),
    "a release without samples": page(
        "# SambaNova", sambanova(16, samples_line=False), "It trained 585,764 sequences/s."
    ),
    "tokens called samples": page(
        "# SambaNova", sambanova(8, 450.0, 8.31), "With 8 tasks it processes 294184 samples per second."
    ),
    "a batch called a block": page("# Cerebras", "I used a token block size of 1024.", cerebras(1024)),
    "an average of samples called tokens": page(
        "# Cerebras", cerebras(1024, rates=[4800.0] * 5 + [4900.0] * 5), "It ran at 4849.48 tokens per second."
    ),
    "milliseconds called seconds": page(
        "# Groq", groq(450, 18000), "The end-to-end latency of the CPU is 2.22 seconds."
    ),
}

NOT_RAISED: dict[str, Pages] = {
    "the latency of many": page(
        "# Groq", groq(450, 18000), "The latency of 1000 inferences on the CPU is 2.22 seconds."
    ),
    "the average rate in its unit": page("# Cerebras", cerebras(1024, 4848.6), "It ran at 4848.6 samples per second."),
    "milliseconds a step": page("# Cerebras", cerebras(1024, 4850), "A step took 211 ms."),
    "tokens": page("# SambaNova", sambanova(16), "The training ran at 585764 tokens per second."),
    "samples": page("# SambaNova", sambanova(16), "That is 4576.3 samples per second."),
    "the log alone": {"BertLarge.out": sambanova(16)},
    "milliseconds": page("# Groq", groq(450, 18000), "The latency of the CPU is 2.22 ms."),
    "a batch size": page("# Cerebras", "I used a batch size of 1024.", cerebras(1024)),
    "sequences of another tool": page("# BERT on a GPU", "We measured 812 sequences per second."),
    "samples in a sequence": page(
        "# SambaNova",
        sambanova(16),
        "Each sequence has 128 tokens, so 4576.3 sequences per second are 585,766 tokens per second.",
    ),
}


#: the log's own name for it is wrong; nobody is accused, but whoever quotes it should know
OF_THE_LOG: dict[str, Pages] = {
    "with samples": {"BertLarge.out": sambanova(16)},
    "without samples": {"BertLarge.out": sambanova(8, 450.0, 8.31, samples_line=False)},
    "on a page": page("# SambaNova", "ntasks: 32", sambanova(32, 479.0, 8.22)),
    "quoted in its unit": page("# SambaNova", sambanova(16), "The training ran at 585764 tokens per second."),
    "after a threshold": {
        "a.out": sambanova(8, 450.0, 8.31, after="AssertionError: Expected throughput to be at least 1")
    },
}


@examples(RAISED)
def test_a_figure_in_another_unit_is_wrong(tmp_path: Path, pages: Pages) -> None:
    assert WRONG in severities(tmp_path, pages)


@examples(NOT_RAISED)
def test_a_figure_in_its_unit_is_left_alone(tmp_path: Path, pages: Pages) -> None:
    assert WRONG not in severities(tmp_path, pages)


@examples(OF_THE_LOG)
def test_a_name_that_the_log_gets_wrong_is_noted(tmp_path: Path, pages: Pages) -> None:
    assert severities(tmp_path, pages) == {NOTE}


def severities(folder: Path, pages: Pages) -> set[str]:
    return {one.severity for one in judged(folder, pages) if one.code == "mislabelled-unit"}
