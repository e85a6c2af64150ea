"""Graphcore logs: bars that give away what ran."""

import pytest
from reading import holds, one, summaries

from assay.systems.graphcore.course import batch_of

BLOCKS = "██████████"


def mnist(epochs: int = 10, steps: int = 150, compiled: str = "00:22", accuracy: float = 98.05) -> str:
    return (
        "srun: job 20702 queued and waiting for resources\n"
        "srun: job 20702 has been allocated resources\n"
        f"Epochs:   0%|          | 0/{epochs} [00:00<?,[09:03:32.515] [poptorch:cpp] [warning] Type coerced for tensor id 10\n"
        f"  0%|          | 0/{steps} [00:00<?, ?it/s]\n"
        f"Graph compilation: 100%|{BLOCKS}| 100/100 [{compiled}<00:00]\n"
        f"Loss: 1.5163 | Accuracy: 94.25% : 100%|{BLOCKS}| {steps}/{steps} [00:08<00:00,\n"
        f"Epochs: 100%|{BLOCKS}| {epochs}/{epochs} [01:49<00:00, 10.99s/it]\n"
        "  0%|          | 0/125 [00:00<?, ?it/s]\n"
        f"Graph compilation: 100%|{BLOCKS}| 100/100 [00:14<00:00]\n"
        " 97%|██████TrainingModelWithLoss(0:00, 13.97it/s]<00:00]\n"
        "  (model): Network(\n"
        f"Accuracy on test set: {accuracy:.2f}%\n"
    )


def test_the_tutorial_is_read_from_its_bars() -> None:
    summary = one(mnist())
    holds(
        summary,
        {"system": "graphcore", "status": "completed", "accuracy": 0.9805, "params": {"epochs": 10, "batch_size": 8}},
    )
    assert summary["phases"] == {"compile": 36, "train": 109}
    assert summary["compile_cached"] is False
    assert summary["loss"] == 1.5163


@pytest.mark.parametrize(
    ("steps", "size"), [(150, 8), (75, 16), (300, 4), (600, 2), (100, 12), (37, 32), (18, None), (9, None)]
)
def test_the_steps_of_an_epoch_give_the_batch_away_where_only_one_fits(steps: int, size: int | None) -> None:
    assert batch_of(steps) == size


def test_a_graph_compiled_in_no_time_was_cached() -> None:
    cached = mnist(compiled="00:00").replace("[00:14<00:00]", "[00:00<00:00]")
    assert one(cached)["compile_cached"] is True


def test_each_run_of_a_session_is_apart() -> None:
    prompt = "(env) me@gc-poplar-02:~/mnist$ /opt/slurm/bin/srun --ipus=1 python mnist_poptorch.py --epochs 20\n"
    found = summaries(prompt + mnist(20) + prompt.replace("20\n", "5\n") + mnist(5, accuracy=97.5))
    assert [(s["params"]["epochs"], s["claims"]["epochs"], s["accuracy"]) for s in found] == [
        (20, 20, 0.9805),
        (5, 5, 0.975),
    ]


def test_frames_drawn_over_each_other_are_frames() -> None:
    frames = "".join(
        f"\rLoss: {2 - i / 100:.4f} | Accuracy: 50.00% :  {i}%|#  | {i}/150 [00:01<04:16,  1.72s/it]\x1b[A"
        for i in range(100)
    )
    assert (
        one(
            mnist().replace(
                "Loss: 1.5163 | Accuracy: 94.25% : 100%", frames + "\rLoss: 1.5163 | Accuracy: 94.25% : 100%"
            )
        )["loss"]
        == 1.5163
    )


def test_the_rest_of_a_bar_after_the_last_word_is_no_new_run() -> None:
    assert (
        len(
            summaries(
                mnist() + "██▍| 118/125 [00:18<00:00, 18.46it/s]\r100%|██████| 125/125 [00:18<00:00, 23.36it/s]\r   \r"
            )
        )
        == 1
    )


def test_an_ipu_that_cannot_be_had_is_explained() -> None:
    text = (
        "[09:01:59.258] [poptorch::python] [critical] poptorch.poptorch_core.Error: 'poptorch_cpp_error': Failed to acquire 1 IPU(s)\n"
        "No IPU detected in the system.\n"
        "Traceback (most recent call last):\n"
        '  File "mnist_poptorch.py", line 279, in <module>\n'
        "    preds, losses = training_model(data, labels)\n"
        "poptorch.poptorch_core.Error: In x.cpp:725: 'poptorch_cpp_error': Failed to acquire 1 IPU(s)\n"
    )
    holds(one(text), {"system": "graphcore", "status": "failed", "error": "no-device"})
    assert "srun --ipus=1" in one(text)["error"]["hint"]


def test_a_job_that_never_began_is_unfinished() -> None:
    text = (
        "me@gc-login-01:~$ srun --ipus=1 python mnist_poptorch.py\nsrun: job 21018 queued and waiting for resources\n"
    )
    holds(one(text), {"system": "graphcore", "status": "unfinished"})


def test_the_bert_example() -> None:
    text = (
        "Data loaded in 9.85 secs\nCompiled/Loaded model in 97.88 secs\n"
        "Step: 149 / 149 - LR: 1.00e-03 - total loss: 7.389 - mlm_loss: 7.008 - nsp_loss: 0.380:  99%|█▉| 149/150 "
        "[00:03<00:00, 45.20it/s, throughput: 749.6 samples/sec]\n"
        "global_batch_size: 16\ndevice_iterations: 1\ntraining_steps: 150\nTraining time: 3.297 secs\n"
    )
    summary = one(text)
    holds(
        summary,
        {
            "steps": 150,
            "loss": 7.389,
            "samples_per_s": 749.6,
            "train_s": 3.297,
            "params": {"batch_size": 16, "lr": 0.001},
        },
    )
    holds(summary, {"status": "completed", "phases": {"compile": 97.88, "load": 9.85}})


def test_steps_that_count_from_zero() -> None:
    lines = [
        f"step {i} of epoch 0, loss: {10.9 - i}, acc: 2e-05, lr: 7.5e-05, throughput: {1000.5 + i} samples/sec"
        for i in range(4)
    ]
    holds(one("Layer 0  --> IPU 1\n" + "\n".join(lines)), {"steps": 4, "loss": 7.9, "samples_per_s": 1003.5})


def test_poprun_prefixes_and_benchmarks() -> None:
    text = (
        "[INFO] 2022-12-16 17:07:32: Total runtime: 3956.8 seconds\n"
        "[INFO] 2022-12-16 17:07:32:    throughput = '7527.6'\n"
        "[INFO] 2022-12-16 17:07:32:    accuracy = '57.41'\n"
        "[INFO] 2022-12-16 17:07:32:    loss = '2.8153'\n"
        "[INFO] 2022-12-16 17:07:33:    Total compile time: 429.59 seconds\n"
    )
    holds(
        one(text),
        {"samples_per_s": 7527.6, "accuracy": 0.5741, "loss": 2.8153, "wall_s": 3956.8, "phases": {"compile": 429.59}},
    )
    prefixed = (
        "[1,0]<stdout>:[INFO] throughput: 7599.7 samples/sec\n[1,0]<stdout>:[INFO] throughput: 7601.5 samples/sec\n"
    )
    holds(one("[1,0]<stdout>: poptorch starts\n" + prefixed), {"samples_per_s": 7601.5})


def test_keras_on_ipus_is_known_by_the_runtime_around_it() -> None:
    bars = "".join(
        f"Epoch {n}/3\n938/938 [==============================] - 1s 1ms/step - loss: {1 / n:.4f}\n" for n in (1, 2, 3)
    )
    poplar = (
        "2024-03-01 10:00:00.000000: I tensorflow/compiler/plugin/poplar/driver/poplar_platform.cc:43] "
        "Poplar version: 3.3.0 (7857eb2d91) Poplar package: 5bf0ba5\n"
    )
    expected = {"loss": 0.3333, "params": {"epochs": 3}}
    holds(one(bars), {**expected, "system": "generic", "lines": [1, 6]})
    holds(one(poplar + bars), {**expected, "system": "graphcore", "lines": [1, 7]})
