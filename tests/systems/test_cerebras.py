"""Cerebras logs, in the forms that three years of releases and of pasting have given them."""

import re

import pytest
from reading import holds, one, summaries


def log(*lines: str) -> str:
    """Lines a second apart."""
    return "".join(f"2024-05-01 10:{i // 60:02d}:{i % 60:02d},000 INFO:   {line}\n" for i, line in enumerate(lines))


def step(number: int, loss: float = 7.5, rate: float = 100.0, average: float = 100.0) -> str:
    return f"| Train Device=CSX, Step={number}, Loss={loss}, Rate={rate} samples/sec, GlobalRate={average} samples/sec"


WHOLE = log(
    "Effective batch size is 20.",
    "Saving checkpoint at step 0",
    "Saved checkpoint model_dir/checkpoint_0.mdl",
    "Compiling the model. This may take a few minutes.",
    "Initiating a new compile wsjob against the cluster server.",
    "Poll ingress status: Waiting for job running, current job status: Queueing, msg: job is queueing.",
    "Poll ingress status: Waiting for job running, current job status: Queueing, msg: job is queueing.",
    "Poll ingress status: Waiting for job service readiness.",
    "Ingress is ready: Job ingress ready, poll ingress success.",
    "Pre-optimization transforms...",
    "Compiling kernels",
    "Compile was successful!",
    "Programming Cerebras Wafer Scale Cluster for execution. This may take a few minutes.",
    "About to send initial weights",
    "Finished sending initial weights",
    "Waiting for device programming to complete",
    "Device programming is complete",
    "Appliance staging is complete",
    "Beginning appliance run",
    step(10, 9.5),
    step(20, 8.5, 101.0, 100.0),
    "Saving checkpoint at step 20",
    "Saved checkpoint model_dir/checkpoint_20.mdl",
    "Heartbeat thread stopped for wsjob-x.",
    "Training completed successfully!",
    "Processed 400 sample(s) in 4.0 seconds.",
)


def test_a_whole_run_has_all_its_phases_apart() -> None:
    summary = one(WHOLE)
    holds(
        summary,
        {
            "system": "cerebras", "status": "completed", "params": {"batch_size": 20}, "steps": 20, "loss": 8.5,
            "samples": 400, "samples_per_s": 101.0, "samples_per_s_avg": 100.0, "train_s": 4.0, "compile_cached": False,
        },
    )  # fmt: skip
    assert summary["phases"] == {
        "checkpoint": 2, "compile": 6, "queue": 2, "program": 5, "load": 1, "train": 2, "teardown": 2,
    }  # fmt: skip
    assert sum(summary["phase_shares"].values()) == pytest.approx(1)


def test_a_long_queue_is_one_phase() -> None:
    waiting = ["Poll ingress status: current job status: Queueing, msg: job is queueing."] * 120
    text = log(
        "Compiling the model.",
        *waiting,
        "Poll ingress status: Waiting for job ingress readiness.",
        "Beginning appliance run",
        step(1),
    )
    assert one(text)["phases"]["queue"] == 120


def test_the_seconds_are_training_only_where_they_agree_with_the_rate() -> None:
    covers_more = WHOLE.replace("in 4.0 seconds", "in 9.0 seconds")
    summary = one(covers_more)
    assert "train_s" not in summary
    assert summary["metrics"]["reported_s"] == 9.0
    assert summary["samples_per_s_own"] == 200.0  # 400 samples in the two seconds between its dates


def test_a_cached_compile_is_noted_by_its_line_or_by_its_missing_stages() -> None:
    by_line = log(
        'Found existing cached compile with hash: "cs_1"', "Compile was successful!", "Beginning appliance run", step(1)
    )
    assert one(by_line)["compile_cached"] is True
    without = "\n".join(line for line in WHOLE.splitlines() if "transforms" not in line and "kernels" not in line)
    assert one(without)["compile_cached"] is True


def test_a_model_that_was_only_lowered_is_done_and_nothing_of_it_was_cached() -> None:
    lowered = (
        "2026-11-15 15:12:41,891 INFO:   Skipping weight initialization as the backend was configured for compile/validation only.\n"
        "2026-11-15 15:12:42,009 INFO:   Compiling the model. This may take a few minutes.\n"
        "2026-11-15 15:12:42,010 INFO:   Compile validated locally\n"
        "2026-11-15 15:12:42,010 INFO:   Compile was successful!\n"
    )
    summary = one(lowered)
    holds(summary, {"system": "cerebras", "status": "completed"})
    assert "compile_cached" not in summary and set(summary["phases"]) == {"compile"}
    assert len(summaries(lowered + lowered)) == 2


def test_batch_size_is_samples_over_steps_where_no_line_says_it() -> None:
    text = log("Beginning appliance run", step(100), step(200), "Processed 13200 sample(s) in 132.0 seconds.")
    assert one(text)["params"] == {"batch_size": 66}


def test_the_end_line_may_stand_before_its_steps() -> None:
    text = "\n".join(
        [
            "Processed 2000 sample(s) in 20.0 seconds. <br/>",
            "Step=50, Loss=9.0, Rate=100.00 samples/sec, GlobalRate=100.00 samples/sec <br/>",
            "Step=100, Loss=8.0, Rate=100.00 samples/sec, GlobalRate=100.00 samples/sec <br/>",
            "Processed 1000 sample(s) in 20.0 seconds. <br/>",
            "Step=50, Loss=9.5, Rate=50.00 samples/sec, GlobalRate=50.00 samples/sec <br/>",
            "Step=100, Loss=8.5, Rate=50.00 samples/sec, GlobalRate=50.00 samples/sec <br/>",
        ]
    )
    first, second = summaries(text, "page.md")
    holds(first, {"samples": 2000, "loss": 8.0, "params": {"batch_size": 20}, "train_s": 20.0, "status": "completed"})
    holds(second, {"samples": 1000, "loss": 8.5, "params": {"batch_size": 10}, "train_s": 20.0, "status": "completed"})


def test_several_runs_in_one_file_are_apart_with_their_lines() -> None:
    lines = WHOLE.count("\n")
    found = summaries(WHOLE + WHOLE.replace("is 20.", "is 40.").replace("Processed 400", "Processed 800"))
    assert [summary["params"]["batch_size"] for summary in found] == [20, 40]
    assert [summary["lines"] for summary in found] == [[1, lines], [lines + 1, 2 * lines]]


def test_a_run_that_was_stopped_in_the_queue_is_not_the_next_one() -> None:
    stopped = log(
        "Effective batch size is 5.", "Compiling the model.", "Poll ingress status: current job status: Queueing"
    )
    aborted = (
        stopped + '^CTraceback (most recent call last):\n  File "run.py", line 1, in <module>\nKeyboardInterrupt\n'
    )
    first, second = summaries(aborted + WHOLE)
    holds(first, {"params": {"batch_size": 5}, "error": "interrupted"})
    assert first["status"] != "completed"
    holds(second, {"params": {"batch_size": 20}, "status": "completed"})


def test_a_total_after_a_fault_of_the_appliance_is_no_result() -> None:
    fault = "2024-05-01 10:00:20,500 ERROR:   Appliance error: error while receiving tensor\n"
    text = WHOLE.replace("2024-05-01 10:00:21", fault + "2024-05-01 10:00:21", 1)
    summary = one(text)
    holds(summary, {"status": "failed", "error": "appliance-fault"})
    assert summary["samples"] == 400
    more = one(text.replace("Processed 400 ", "Processed 900 "))  # than its steps account for: what it was asked for
    assert more["metrics"]["reported_samples"] == 900
    assert "samples" not in more and "samples_per_s_own" not in more


def test_a_stale_checkpoint_is_explained() -> None:
    text = (
        log("Effective batch size is 512.") + "RuntimeError: Initial global step 1000 already exceeds max step 1000.\n"
    )
    summary = one(text)
    holds(summary, {"status": "failed", "error": "stale-checkpoint", "params": {"batch_size": 512}})
    assert "fresh one" in summary["error"]["hint"]
    assert summary["error"]["line"] == 2


def test_an_unfinished_run_is_called_that() -> None:
    assert one(log("Effective batch size is 99.", "Beginning appliance run", step(100)))["status"] == "unfinished"


def test_an_evaluation_does_not_take_the_samples_of_the_training_before_it() -> None:
    text = log(
        "Beginning appliance run",
        "| Eval Device=CSX, GlobalStep=400, Batch=20, Loss=5.9, Rate=1163.27 samples/sec, GlobalRate=1173.27 samples/sec",
        "Avg Eval Loss: 5.928",
        "Evaluation metrics:",
        "  - eval/lm_perplexity = 375.5",
        "  - eval/accuracy = 0.17",
        "Evaluation completed successfully!",
        "Processed 48000 training sample(s) in 820.5 seconds.",
    )
    summary = one(text)
    holds(summary, {"status": "completed", "loss": 5.928, "accuracy": 0.17, "samples_per_s": 1163.27})
    assert "samples" not in summary
    assert summary["metrics"]["lm_perplexity"] == 375.5


@pytest.mark.parametrize(
    "line",
    [
        "2023-11-10 20:40:15,694 INFO:   | Train Device=xla:0, Step=100, Loss=9.18750, Rate=19.81 samples/sec, GlobalRate=19.80 samples/sec",
        "2025-10-13 15:20:04,385 INFO:   | Train Device=CSX, Step=100, Loss=9.18750, Rate=19.81 samples/sec, GlobalRate=19.80 samples/sec, LoopTimeRemaining=1:20:41, TimeRemaining>0:06:42",
        "    2025-10-13 15:20:04,385 INFO:   | Train Device=CSX, Step=100, Loss=9.18750, Rate=19.81 samples/sec, GlobalRate=19.80 samples/sec",
        "# | Train Device=CSX, Step=100, Loss=9.18750, Rate=19.81 samples/sec, GlobalRate=19.80 samples/sec",
        'it said: "INFO:   | Train Device=CSX, Step=100, Loss=9.18750, Rate=19.81 samples/sec, GlobalRate=19.80 samples/sec", then',
        "Step=100, Loss=9.18750, Rate=19.81 samples/sec, GlobalRate=19.80 samples/sec <br/>",
    ],
)  # fmt: skip
def test_a_step_is_read_in_every_form(line: str) -> None:
    holds(one(line + "\n"), {"steps": 100, "loss": 9.1875, "samples_per_s": 19.81, "samples_per_s_avg": 19.8})


def test_the_old_tensorflow_form() -> None:
    text = (
        "INFO:tensorflow:global step 500: loss = 6.04 (0.17 steps/sec)\n"
        "INFO:tensorflow:Training finished with 25600000 samples in 53.424 seconds, 479188.55 samples/second.\n"
        "INFO:tensorflow:Loss for final step: 0.5.\n"
    )
    holds(
        one(text),
        {"status": "completed", "samples": 25600000, "train_s": 53.424, "samples_per_s": 479188.55, "loss": 0.5},
    )


def test_lines_cut_at_the_width_of_a_terminal_are_put_together() -> None:
    wrapped = "\n".join(line[i : i + 80] for line in WHOLE.splitlines() for i in range(0, len(line), 80))
    assert one(wrapped)["loss"] == 8.5
    assert one(wrapped)["samples_per_s_avg"] == 100.0
    assert one(wrapped)["status"] == "completed"


def test_the_tensorflow_form_gives_its_batch_size_by_samples_and_steps() -> None:
    log = (
        "INFO:tensorflow:global step 100: loss = 8.5 (0.9 steps/sec)\nINFO:tensorflow:global step 300: loss = 7.25 (0.9 "
        "steps/sec)\nINFO:tensorflow:Training finished with 153600 samples in 326.1 seconds, 471.02 samples/second.\n"
        "INFO:tensorflow:Loss for final step: 7.25.\n"
    )
    holds(one(log), {"status": "completed", "steps": 300, "loss": 7.25, "params": {"batch_size": 512}})
    assert [run["steps"] for run in summaries(log + log.replace("step 300", "step 200"))] == [300, 200]


def test_an_evaluation_amid_a_training_does_not_end_it() -> None:
    log = """\
2025-06-01 10:00:00,000 INFO:   Beginning appliance run
2025-06-01 10:00:10,000 INFO:   | Train Device=CSX, Step=20, Loss=5.80000, Rate=64.0 samples/sec, GlobalRate=64.0 samples/sec
2025-06-01 10:00:12,000 INFO:   | Eval Device=CSX, GlobalStep=20, Batch=5, Loss=5.90000, Rate=99.0 samples/sec, GlobalRate=99.0 samples/sec
2025-06-01 10:00:13,000 INFO:     - eval/accuracy = 0.11
2025-06-01 10:00:13,000 INFO:   Evaluation completed successfully!
2025-06-01 10:00:23,000 INFO:   | Train Device=CSX, Step=40, Loss=5.60000, Rate=64.0 samples/sec, GlobalRate=64.0 samples/sec
2025-06-01 10:00:24,000 INFO:   Training completed successfully!
2025-06-01 10:00:24,000 INFO:   Processed 2560 training sample(s) in 41.0 seconds.
"""
    holds(one(log), {"status": "completed", "steps": 40, "loss": 5.6, "accuracy": 0.11, "samples": 2560})


def test_a_run_given_up_in_the_queue_waited_until_its_last_poll() -> None:
    poll = "INFO:   Poll ingress status: Waiting for job running, current job status: Queueing, msg: job is queueing."
    log = f"""\
2025-06-01 10:00:00,000 INFO:   Effective batch size is 2048.
2025-06-01 10:00:01,000 INFO:   Initiating a new compile wsjob against the cluster server.
2025-06-01 10:00:11,000 {poll}
2025-06-01 10:10:11,000 {poll}
^CTraceback (most recent call last):
  File "run.py", line 32, in <module>
    main()
KeyboardInterrupt
"""
    summary = one(log)
    holds(summary, {"status": "interrupted", "error": "interrupted", "phases": {"queue": 600}})


def test_a_logger_that_says_everything_twice_tells_of_one_run() -> None:
    twice, once = one("".join(f"{line}\n{line}\n" for line in WHOLE.splitlines())), one(WHOLE)
    holds(twice, {name: once[name] for name in ("status", "steps", "loss", "samples", "params", "phases")})
    line = next(line for line in WHOLE.splitlines() if "Step=" in line)
    assert len(summaries(f"## Batch size 1\n{line}\n## Batch size 2\n{line}\n", "page.md")) == 2


@pytest.mark.parametrize("form", [r"\2/\3/\1 \4.\5", r"\1/\2/\3 \4", r"[\1-\2-\3T\4.\5+0200]"])
def test_dates_are_read_in_the_forms_that_loggers_write(form: str) -> None:
    text = re.sub(r"(?m)^(\d{4})-(\d\d)-(\d\d) (\S+),(\d{3})", form, WHOLE)
    assert text != WHOLE
    shown = one(text)["phases"]
    assert shown.keys() == one(WHOLE)["phases"].keys()
    assert all(abs(shown[name] - seconds) <= 1.1 for name, seconds in one(WHOLE)["phases"].items())


def evaluated(batch: int, loss: float) -> str:
    rates = "Rate=59.43 samples/sec, GlobalRate=58.71 samples/sec"
    return f"| Eval Device=CSX, GlobalStep=20, Batch={batch}, Loss={loss}, {rates}, LoopTimeRemaining=0:00:08"


#: as a CS-3 of release 2.10 prints `cszoo fit` with an evaluation: compile, execute, compile, execute
FIT = log(
    "Effective batch size is 20.",
    "Compiling the model. This may take a few minutes.",
    "Initiating a new compile wsjob against the cluster server.",
    "Gradient accumulation trying micro batch size 4...",
    "Pre-optimization transforms...",
    "Compile estimated performance: 34.1 samples/sec",
    "Compile was successful!",
    "Programming Cerebras Wafer Scale Cluster for execution. This may take a few minutes.",
    "Device programming is complete",
    "Waiting for input workers to prime the data pipeline and begin streaming ...",
    *["Poll ingress status: still waiting"] * 4,
    "Input workers have begun streaming input data",
    "Appliance staging is complete",
    "Beginning appliance run",
    step(10, 9.5, 3690.0, 500.0),
    step(20, 8.5, 3690.0, 776.0),
    "Saving checkpoint at step 20",
    "Saved checkpoint model_dir/checkpoint_20.mdl",
    "Compiling the model. This may take a few minutes.",
    "Initiating a new compile wsjob against the cluster server.",
    "Pre-optimization transforms...",
    "Compile was successful!",
    "Programming Cerebras Wafer Scale Cluster for execution. This may take a few minutes.",
    "Appliance staging is complete",
    "Beginning appliance run",
    evaluated(10, 0.5),
    evaluated(20, 0.4),
    "Avg Eval Loss: 0.45",
    "  - eval/accuracy = 0.89",
    "Evaluation completed successfully!",
    "Processed 400 training sample(s) in 32.0 seconds.",
)


def test_a_fit_that_trains_and_evaluates_is_one_run_with_the_figures_of_each_apart() -> None:
    summary = one(FIT)
    holds(
        summary,
        {
            "status": "completed", "params": {"batch_size": 20}, "steps": 20, "samples": 400, "loss": 8.5,
            "val_loss": 0.45, "samples_per_s": 3690.0, "samples_per_s_avg": 776.0, "accuracy": 0.89,
        },
    )  # fmt: skip
    assert summary["metrics"]["val_samples_per_s"] == 58.71
    assert summary["metrics"]["compile_estimated_samples_per_s"] == 34.1
    assert summary["train_s"] is None if "train_s" in summary else True


def test_waiting_for_the_input_is_a_separate_phase() -> None:
    phases = one(FIT)["phases"]
    assert {name: phases[name] for name in ("input", "compile", "train", "eval", "checkpoint")} == {
        "input": 5, "compile": 5 + 3, "train": 2, "eval": 5, "checkpoint": 1,
    }  # fmt: skip
    assert phases["program"] == 2 + 1 + 1
    assert one(FIT)["phase_shares"]["input"] == pytest.approx(5 / 35, rel=0.1)


def test_an_evaluation_alone_is_not_called_training() -> None:
    text = log("Beginning appliance run", evaluated(10, 0.5), evaluated(20, 0.4), "Avg Eval Loss: 0.45",
               "Evaluation completed successfully!")  # fmt: skip
    assert set(one(text)["phases"]) == {"eval"}


def test_a_compile_after_steps_without_a_checkpoint_begins_another_run() -> None:
    text = log(step(10), step(20), "Compiling the model. This may take a few minutes.", "Compile was successful!",
               "Beginning appliance run", step(10))  # fmt: skip
    assert len(summaries(text)) == 2
