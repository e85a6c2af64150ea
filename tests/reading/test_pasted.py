"""Logs as pages and terminals hand them on: set in narrower columns, quoted twice, under other prompts, in tables."""

import textwrap

import pytest
from reading import holds, one, summaries

LOG = [
    "2025-03-05 10:00:00,100 INFO:   Effective batch size is 96.",
    "2025-03-05 10:00:01,100 INFO:   Compiling the model. This may take a few minutes.",
    "2025-03-05 10:00:11,100 INFO:   Poll ingress status: Waiting for job running, current job status: Queueing, msg: job "
    "is queueing. Job queue status: 2 execute job(s) queued before current job. For more, please run 'csctl get jobs'.",
    "2025-03-05 10:05:11,100 INFO:   Poll ingress status: Waiting for job running, current job status: Scheduled, msg: job "
    "is scheduled.",
    "2025-03-05 10:06:11,100 INFO:   Compile was successful!",
    "2025-03-05 10:07:11,100 INFO:   Beginning appliance run",
    *(
        f"2025-03-05 10:{7 + n:02d}:21,100 INFO:   | Train Device=CSX, Step={n}0, Loss={8 - n / 10:.5f}, "
        "Rate=16.05 samples/sec, GlobalRate=16.02 samples/sec"
        for n in range(1, 7)
    ),
    "2025-03-05 10:13:25,100 INFO:   Training completed successfully!",
    "2025-03-05 10:13:25,200 INFO:   Processed 5760 training sample(s) in 359.550561797 seconds.",
]
TRUTH = {
    "status": "completed", "steps": 60, "loss": 7.4, "samples": 5760, "samples_per_s": 16.05,
    "samples_per_s_avg": 16.02, "params": {"batch_size": 96}, "phases": {"queue": 300, "train": 370},
}  # fmt: skip


def cut(lines: list[str], width: int, indent: str = "") -> list[str]:
    inner = width - len(indent)
    return [
        piece
        for line in lines
        for piece in [line[:width], *(indent + line[at : at + inner] for at in range(width, len(line), inner))]
    ]


def by_words(lines: list[str], width: int) -> list[str]:
    return [piece for line in lines for piece in textwrap.wrap(line, width, break_long_words=False)]


@pytest.mark.parametrize(
    "lines",
    [
        cut(LOG, 88),
        cut(LOG, 88, indent="    "),
        by_words(LOG, 88),
        by_words(LOG, 104),
        [f"> > {line}" for line in LOG],
        [f"> > {line}" for line in cut(LOG, 72)],
        [line.replace("   ", " \u00a0 ").replace("samples/sec", "samples/sec\u200b") for line in LOG],
    ],
    ids=["columns", "pushed in", "words", "more words", "quoted twice", "quoted and cut", "marks of no width"],
)
@pytest.mark.parametrize("name", ["page.md", "some.log"])
def test_a_record_is_whole_again_whatever_cut_it(lines: list[str], name: str) -> None:
    holds(one("\n".join(["", *lines, ""]), name), TRUTH)


@pytest.mark.parametrize(
    "prompt",
    [
        "root@node3:/workspace/mnist# ",
        "➜  mnist git:(main) ✗ ",
        "❯ ",
        "PS C:\\Users\\ann\\mnist> ",
        "C:\\mnist>",
        "(venv) ann@lab:~$ ",
    ],
)
def test_every_command_at_a_prompt_begins_a_run(prompt: str) -> None:
    session = "".join(
        f"{prompt}python train.py --batch-size {size}\nstep 10 loss 2.5\nstep 20 loss {size}.25\n" for size in (32, 64)
    )
    found = summaries(session, "session.txt")
    assert [(run["loss"], run["claims"]) for run in found] == [(32.25, {"batch_size": 32}), (64.25, {"batch_size": 64})]


def test_lines_of_a_list_without_marks_are_not_one_sentence() -> None:
    page = "On the IPU:\n" + "".join(
        f"batch size = {size}, learning rate = 0.05, epochs = 10 -> accuracy {accuracy}%\n"
        for size, accuracy in ((8, 98.11), (16, 97.91), (32, 97.45))
    )
    found = summaries(page, "results.txt")
    assert [(run["claims"]["batch_size"], run["accuracy"]) for run in found] == [
        (8, 0.9811),
        (16, 0.9791),
        (32, 0.9745),
    ]


@pytest.mark.parametrize(
    ("name", "tasks"), [("run1_ntasks16.out", 16), ("8tasks-1stlog.out", 8), ("hw7-tasks_4.log", 4), ("4_tasks.log", 4)]
)
def test_a_file_name_says_how_many_tasks(name: str, tasks: int) -> None:
    assert one("step 1 loss 2.5\nstep 2 loss 2.25\n", name)["claims"] == {"num_tasks": tasks}


def test_averages_of_profiles_in_a_table_are_runs() -> None:
    page = (
        "# Profile\nEvery run was watched with psrecord.\n\n"
        "| batch size | completion time (s) | average CPU (%) | max CPU (%) | average memory |\n|---|---|---|---|---|\n"
        "| 32 | 1200.5 | 410.2 | 800 | 3100.5 MB |\n| 64 | 900.1 | 380.0 | 800 | 3584.0 MB |\n"
    )
    first, second = summaries(page, "page.md")
    holds(first, {"system": "psrecord", "wall_s": 1200.5, "cpu_pct_mean": 410.2, "claims": {"batch_size": 32}})
    assert (first["rss_bytes_mean"], second["rss_bytes_mean"]) == (3100.5 * 2**20, 3.5 * 2**30)


RESULTS = [("Batch", 512, 1024, 2048), ("Final loss", 7.125, 7.109, 7.148), ("Samples/s", 2904.4, 4843.4, 6714.9)]


@pytest.mark.parametrize("ends", ["| {} |", "{}", "| {}"], ids=["closed", "open", "half open"])
@pytest.mark.parametrize("sideways", [False, True])
def test_a_table_is_one_whichever_way_it_is_drawn(ends: str, sideways: bool) -> None:
    head, *rows = RESULTS if sideways else zip(*RESULTS, strict=True)
    table = [" | ".join(map(str, row)) for row in [head, ["---"] * len(head), *rows]]
    page = "# On a CS-2\n\n" + "\n".join(ends.format(row) for row in table) + "\n\nThat is all.\n"
    found = [(run["claims"]["batch_size"], run["loss"], run["samples_per_s"]) for run in summaries(page, "page.md")]
    assert found == list(zip(*(row[1:] for row in RESULTS), strict=True))
