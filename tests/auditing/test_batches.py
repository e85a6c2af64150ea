"""The batch of a device, the devices and the accumulation make the global batch: honest pages and their lies."""

from __future__ import annotations

from pathlib import Path

from judged import Pages, codes, examples, judged, left_alone

from assay.model.finding import DOUBTFUL, WRONG

HONEST: dict[str, Pages] = {
    "each of so many": "Each of 4 GPUs had a batch size of 16, a global batch of 64.",
    "per device": "With a per-device batch size of 8 on 4 GPUs the global batch size is 32.",
    "the batch size per GPU": "The batch size per GPU was 16 on 4 GPUs, and the global batch size 64.",
    "accumulated": "Micro batch 2, accumulation steps 16, 4 devices: global batch 128.",
    "in words": "Each of the two GPUs processed a batch of 32, so the effective batch size was 64.",
    "GPUs of a node": "Per-device batch size 16, 4 GPUs, 2 nodes, global batch size 128.",
    "GPUs of all nodes": "Per-device batch size 16, 4 GPUs, 2 nodes, global batch size 64.",
    "in three sentences": "Each GPU had a batch size of 16. We used 4 GPUs. The global batch size was 64.",
    "accumulation told elsewhere": "We use gradient accumulation.\n\nEach of 4 GPUs had a batch size of 16, a global batch of 128.",
    "not all GPUs hold their own copy": "With tensor parallelism each of 4 GPUs had a batch size of 16, a global batch of 16.",
    "about": "Each of 3 GPUs had a batch size of 16, a global batch of about 50.",
    "what was planned": "Each of 4 GPUs would have a batch size of 16, a global batch of 96.",
    "two configurations": "Each of 4 GPUs had a batch size of 16 or 32, a global batch of 64 or 128.",
}
WRONG_PRODUCTS: dict[str, Pages] = {
    "each of so many": "Each of 4 GPUs had a batch size of 16, a global batch of 96.",
    "per device": "With a per-device batch size of 8 on 4 GPUs the global batch size is 48.",
    "the batch size per GPU": "The batch size per GPU was 16 on 4 GPUs, and the global batch size 32.",
    "accumulated": "Micro batch 2, accumulation steps 16, 4 devices: global batch 256.",
    "in words": "Each of the two GPUs processed a batch of 32, so the effective batch size was 32.",
    "in three sentences": "Each GPU had a batch size of 16. We used 4 GPUs. The global batch size was 96.",
}


@examples(HONEST)
def test_a_batch_that_its_parts_make_up_is_left_alone(tmp_path: Path, pages: Pages) -> None:
    left_alone(tmp_path, f"# Training\n\n{pages}\n", "wrong-arithmetic")


@examples(WRONG_PRODUCTS)
def test_a_batch_that_its_parts_do_not_make_up_is_wrong(tmp_path: Path, pages: Pages) -> None:
    found = [one for one in judged(tmp_path, f"# Training\n\n{pages}\n") if one.code == "wrong-arithmetic"]
    assert [one.severity for one in found] == [WRONG]


def test_a_multiple_may_be_accumulated_and_is_a_doubt(tmp_path: Path) -> None:
    (found,) = judged(tmp_path, "# T\n\nEach of 4 GPUs had a batch size of 16, a global batch of 128.\n")
    assert (found.code, found.severity) == ("wrong-arithmetic", DOUBTFUL)
    assert "4 × 16 is 64" in found.message


def test_the_batch_of_a_device_is_not_held_against_that_of_the_run(tmp_path: Path) -> None:
    log = "```\nbatch_size: 64\nepoch 1 loss 0.5\nepoch 2 loss 0.4\n```"
    for said in ("Each of 4 GPUs had a batch size of 16, a global batch of 64.", "The batch size per GPU was 16."):
        assert codes(tmp_path, f"# Training\n\n{said}\n\n{log}\n") == set()


def test_a_rate_per_device_is_not_set_against_that_of_all(tmp_path: Path) -> None:
    page = "# T\n\nEach GPU ran at 300 samples/s, 1,200 samples/s in total, which is 10 % faster than last time.\n"
    assert "wrong-arithmetic" not in codes(tmp_path, page)
