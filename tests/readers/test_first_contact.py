"""Lines that people's own scripts print, in the forms that tutorials made a habit: what each of them means."""

from __future__ import annotations

import pytest
from reading import holds, one

MNIST = (
    "".join(
        f"Train Epoch: {epoch} [{batch * 64}/60000 ({100 * batch // 938}%)]\tLoss: {2.3 / (epoch + batch / 938):.6f}\n"
        for epoch in (1, 2, 3)
        for batch in range(0, 938, 100)
    )
    + "\nTest set: Average loss: 0.0512, Accuracy: 9832/10000 (98%)\n"
)
TUTORIAL = (
    "".join(f"[{epoch}, {step:5d}] loss: {2.2 / epoch:.3f}\n" for epoch in (1, 2) for step in (2000, 4000, 6000))
    + "Finished Training\nAccuracy of the network on the 10000 test images: 54 %\n"
)
COUNTED_ANEW = "".join(
    f"Epoch [{epoch}/5], Step [{step}/600], Loss: 0.31\n" for epoch in range(1, 6) for step in (300, 600)
)
QUICKSTART = """\
loss: 2.301943  [   64/60000]
loss: 1.201943  [ 6464/60000]
Test Error:
 Accuracy: 64.5%, Avg loss: 1.083412
"""
VERBOSE_2 = """\
Epoch 1/2
1875/1875 - 3s - loss: 0.5041 - accuracy: 0.8387 - 3s/epoch - 2ms/step
Epoch 2/2
1875/1875 - 3s - loss: 0.2041 - accuracy: 0.9387 - 3s/epoch - 2ms/step
313/313 - 0s - loss: 0.1041 - accuracy: 0.9687 - 300ms/epoch - 1ms/step
"""
SEGMENTS = "".join(f"Epoch {e}: Train Loss: 0.5 | Acc: 0.8{e} | Val Loss: 0.6 | Acc: 0.7{e}\n" for e in (1, 2, 3))
FLAX = "".join(
    f"train epoch: {e}, loss: 0.3, accuracy: 9{e}.00\neval epoch: {e}, loss: 0.4, accuracy: 8{e}.00\n"
    for e in (1, 2, 3)
)
BARS = """\
Epoch 1: 100%|██| 10/10 [00:01<00:00, 9.1it/s, loss=0.9]
Validation: 100%|██| 5/5 [00:00<00:00, 20it/s, loss=0.7, acc=0.8]
Epoch 2: 100%|██| 10/10 [00:01<00:00, 9.1it/s, loss=0.5]
Validation: 100%|██| 5/5 [00:00<00:00, 20it/s, loss=0.4, acc=0.9]
"""
BEST = """\
epoch 1 loss 0.9 val_acc 0.80
epoch 2 loss 0.5 val_acc 0.92
epoch 3 loss 0.4 val_acc 0.90
Best val accuracy: 0.92 at epoch 2
"""
DDP = "".join(
    f"[GPU{gpu}] Epoch {e} | Batchsize: 32 | Steps: 2048 | Loss: 0.{e}{gpu}\n" for e in range(3) for gpu in (0, 1)
)
RANKS = """\
world size: 2
[rank 0] epoch 1 loss 0.50 1000.0 samples/s[rank 1] epoch 1 loss 0.60 900.5 samples/s
[rank 1] epoch 2 loss 0.40 901.5 samples/s
[rank 0] epoch 2 loss 0.30 1001.0 samples/s
[rank 0] training time: 2.5 s
[rank 1] training time: 2.7 s
"""
GLOBAL = "".join(f"[rank {rank}] epoch {e} loss 0.5 2000.0 samples/s\n" for e in (1, 2) for rank in (0, 1))
BOOSTING = "".join(f"[{n}]\ttraining's binary_logloss: 0.{n}\tvalid_1's binary_logloss: 0.4{n}\n" for n in (10, 20))
DOTTED = """\
Config:
  optim.lr: 0.02
  train.batch_size: 64
  eval.batch_size: 500
[00000/00050] loss=5.000000 lr=2.00e-02 9,554 samples/sec
[00049/00050] loss=0.100000 lr=2.00e-02 11,730 samples/sec
Done. 50 steps, 3200 samples in 0.33s (9771.2 samples/s)
Final eval: top1 = 71.25 top5 = 93.10 loss = 0.8812
"""
PERCENTILES = "Latency (ms): mean 1.2 p50 1.1 p90 2.0 p99 3.5\nThroughput: 812.3 req/s\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(MNIST, {"epochs": 3, "samples": 180_000, "accuracy": 0.9832, "test_loss": 0.0512}, id="mnist"),
        pytest.param(TUTORIAL, {"epochs": 2, "steps": 12_000, "accuracy": 0.54, "accuracy_of": "test"}, id="tutorial"),
        pytest.param(COUNTED_ANEW, {"epochs": 5, "steps": 3000, "loss": 0.31}, id="counted anew"),
        pytest.param(
            QUICKSTART,
            {"loss": 1.201943, "test_loss": 1.083412, "accuracy": 0.645, "accuracy_of": "test"},
            id="quickstart",
        ),
        pytest.param(
            VERBOSE_2,
            {"steps": 3750, "loss": 0.2041, "test_loss": 0.1041, "accuracy": 0.9687, "accuracy_of": "test"},
            id="keras, verbose 2",
        ),
        pytest.param(
            SEGMENTS, {"loss": 0.5, "val_loss": 0.6, "accuracy": 0.73, "accuracy_of": "val"}, id="the part named last"
        ),
        pytest.param(FLAX, {"loss": 0.3, "val_loss": 0.4, "accuracy": 0.83, "accuracy_of": "val"}, id="flax"),
        pytest.param(
            BARS,
            {"steps": 20, "loss": 0.5, "val_loss": 0.4, "accuracy": 0.9, "accuracy_of": "val"},
            id="a bar of a test",
        ),
        pytest.param(BEST, {"epochs": 3, "accuracy": 0.9}, id="the epoch of the best is not the last"),
        pytest.param(DDP, {"epochs": 3, "loss": 0.2, "params": {"batch_size": 32}}, id="ddp tutorial"),
        pytest.param(
            RANKS, {"loss": 0.3, "samples_per_s": 1902.5, "train_s": 2.5, "params": {"num_procs": 2}}, id="ranks"
        ),
        pytest.param(GLOBAL, {"samples_per_s": 2000.0}, id="a rate that all ranks print alike is the job's"),
        pytest.param(
            "INFO train: dataset=mnist batch=32 lr=0.1 epochs=3\n" + "epoch 1 loss 0.5\nepoch 2 loss 0.4\n",
            {"params": {"batch_size": 32, "lr": 0.1}},
            id="settings in a row",
        ),
        pytest.param(BOOSTING, {"steps": 20}, id="boosting"),
        pytest.param(
            DOTTED,
            {
                "steps": 50,
                "samples": 3200,
                "samples_per_s_avg": 9771.2,
                "loss": 0.1,
                "val_loss": 0.8812,
                "accuracy": 0.7125,
                "accuracy_of": "val",
                "params": {"batch_size": 64, "lr": 0.02},
            },
            id="a configuration with dots, totals, a final evaluation",
        ),
        pytest.param(
            PERCENTILES,
            {"latency_ms": 1.2, "latency_p50_ms": 1.1, "latency_p99_ms": 3.5, "requests_per_s": 812.3},
            id="percentiles",
        ),
        pytest.param(
            "latency (ms): mean=2.6 std=2.3 p50=2.1 p90=2.2 p95=12.1 p99=14.8 max=14.9\nThroughput: 8.5 req/s\n",
            {"metrics": {"latency_std_ms": 2.3, "latency_p95_ms": 12.1, "latency_max_ms": 14.9}, "latency_ms": 2.6},
            id="every percentile",
        ),
    ],
)
def test_what_tutorials_print(text: str, expected: dict[str, object]) -> None:
    holds(one(text, "train.log"), expected)


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("Training time: 6.05 s", 6.05),
        ("Training took 3m20s", 200.0),
        ("Done! Training took 0m 0.3s", 0.3),
        ("Finished training in 2 min 5 sec", 125.0),
        ("Training time (s): 6.05", 6.05),
        ("Total training time: 1:02:03", 3723.0),
        ("Trained in 1h 2m 3s", 3723.0),
        ("Fit time: 467 ms", 0.467),
        ("training finished in 1 hour, 5 minutes", 3900.0),
    ],
)
def test_how_long_a_training_took(line: str, seconds: float) -> None:
    assert one(f"epoch 1 loss 0.5\nepoch 2 loss 0.4\n{line}\n", "train.log")["train_s"] == seconds


@pytest.mark.parametrize("line", ["took 3m20s", "Elapsed time: 200 s", "Done in 3:20", "Total time: 3 min 20 s"])
def test_a_time_on_a_separate_line_is_that_of_the_script(line: str) -> None:
    assert one(f"epoch 1 loss 0.5\nepoch 2 loss 0.4\n{line}\n", "train.log")["wall_s"] == 200.0


def test_a_time_beside_figures_belongs_to_that_step_or_epoch() -> None:
    steps = one("iter 100: loss 2.31, time 12.40ms\niter 200: loss 2.11, time 12.30ms\n", "train.log")
    assert steps["metrics"]["step_ms"] == 12.3
    epochs = one("epoch 1 loss 0.5 time: 0.42s\nepoch 2 loss 0.4 time: 1.5 min\n", "train.log")
    assert epochs["metrics"]["epoch_s"] == 90.0
    assert "train_s" not in steps and "train_s" not in epochs
