"""What any script prints, and every way a run is known to fail."""

import pytest
from reading import holds, one, summaries

from assay import systems


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Epoch [3], val_loss: 0.51, val_acc: 0.86", "Epoch [4], val_loss: 0.41, val_acc: 0.88"], {"val_loss": 0.41, "accuracy": 0.88, "accuracy_of": "val", "epochs": 4, "metrics": {"val_accuracy": 0.88}}),
        ([" 33%|█| 100/300 [00:10<00:20, 10.0it/s]{'loss': 2.1, 'epoch': 1.0}", "100%|█| 300/300 [00:30<00:00, 10.0it/s]{'loss': 1.1, 'epoch': 3.0}"], {"loss": 1.1}),
        (["{'train_runtime': 30.5, 'train_samples_per_second': 314.7, 'train_loss': 1.4, 'epoch': 3.0}"], {"train_s": 30.5, "samples_per_s": 314.7, "status": "completed"}),
        (["Epoch 1/20 - loss: 2.1 - acc: 0.31", "Epoch 2/20 - loss: 1.9 - acc: 0.41"], {"loss": 1.9, "accuracy": 0.41, "params": {"epochs": 20}}),
        (["Epoche 1: loss=0,8123 acc=0,71", "Epoche 2: loss=0,5123 acc=0,81"], {"loss": 0.5123, "accuracy": 0.81}),
        (["step 1,000 loss 1,024.5", "step 2,000 loss 1,020"], {"steps": 2000, "loss": 1020.0}),
        (["step=1 loss=2.5 lr=0.1", "step=2 loss=2.25 lr=0.1"], {"steps": 2, "loss": 2.25}),
        (["loss: 2.5, accuracy: 50.0%", "loss: 1.25, accuracy: 75.0%"], {"loss": 1.25, "accuracy": 0.75}),
        (['{"step": 1, "loss": 2.5}', '{"step": 7, "loss": 0.5, "accuracy": 0.9}'], {"steps": 7, "loss": 0.5, "accuracy": 0.9}),
        (["{'loss': 2.5, 'learning_rate': 4.6e-05, 'epoch': 0.24}", "{'train_runtime': 12.5, 'train_samples_per_second': 99.5, 'train_loss': 1.5, 'epoch': 1.0}"], {"loss": 2.5, "train_s": 12.5, "samples_per_s": 99.5}),
        (["Epoch 1/2", "1875/1875 [==============================] - 3s 2ms/step - loss: 0.5041 - accuracy: 0.8387", "Epoch 2/2", "1875/1875 [==============================] - 3s 2ms/step - loss: 0.2041 - accuracy: 0.9387 - val_loss: 0.1 - val_accuracy: 0.95"], {"loss": 0.2041, "val_loss": 0.1, "accuracy": 0.95, "accuracy_of": "val", "params": {"epochs": 2}}),
        (["Epoch 1/2", "\x1b[1m1875/1875\x1b[0m \x1b[32m━━━━━━━━━━━━━━━━━━━━\x1b[0m\x1b[37m\x1b[0m \x1b[1m3s\x1b[0m 2ms/step - accuracy: 0.9387 - loss: 0.2041", "Epoch 2/2", "\x1b[1m1875/1875\x1b[0m ━━━━━━━━━━━━━━━━━━━━ 3s 2ms/step - accuracy: 0.95 - loss: 0.15"], {"loss": 0.15, "accuracy": 0.95}),
        (["Epoch 0: 100%|███| 469/469 [00:09<00:00, 48.1it/s, v_num=0, train_loss=0.5]", "Epoch 1: 100%|███| 469/469 [00:09<00:00, 48.1it/s, v_num=0, train_loss=0.0412]"], {"metrics": {"train_loss": 0.0412}}),
        (["Train Epoch: 1 [0/60000 (0%)]\tLoss: 2.305400", "Train Epoch: 1 [640/60000 (1%)]\tLoss: 1.5", "Test set: Average loss: 0.0512, Accuracy: 9822/10000 (98%)"], {"accuracy": 0.9822}),
        (["iter 100: loss 3.5, time 25.1ms, 1250.5 tokens/s", "iter 200: loss 3.25, time 25.1ms, 1251.5 tokens/s"], {"steps": 200, "loss": 3.25, "tokens_per_s": 1251.5}),
        (["training:  10%|█| 10/100 [00:03<00:20, 4.2it/s, loss=0.75]", "training: 100%|█| 100/100 [00:23<00:00, 4.2it/s, loss=0.25]"], {"steps": 100, "loss": 0.25}),
        (["Namespace(batch_size=64, lr=0.01, epochs=3)", "epoch 1 loss 2.0", "epoch 2 loss 1.0"], {"loss": 1.0, "params": {"batch_size": 64, "lr": 0.01, "epochs": 3}}),
        (["Batch size: 32", "Learning rate: 0.001", "epoch 1 loss 2.0", "epoch 2 loss nan"], {"params": {"batch_size": 32, "lr": 0.001}}),
    ],
)  # fmt: skip
def test_what_most_scripts_print(lines: list[str], expected: dict[str, object]) -> None:
    summary = one("\n".join(lines) + "\n", "train.log")
    assert summary["system"] == "generic"
    metrics = expected.pop("metrics", {})
    holds(summary, expected)
    for name, value in metrics.items():  # type: ignore[union-attr, attr-defined]
        assert summary["metrics"][name] == value


def test_a_loss_that_became_no_number_is_not_the_last_that_was_one() -> None:
    assert "loss" not in one("Batch size: 32\nepoch 1 loss 2.0\nepoch 2 loss nan\n", "train.log")
    assert one("Batch size: 32\nepoch 1 loss nan\nepoch 2 loss 2.0\n", "train.log")["loss"] == 2.0


@pytest.mark.parametrize(
    "text",
    [
        "The error rate of this approach is 5 times higher.\nWe lost 3 of 5 epochs of our lives.\n",
        "total 48\ndrwxr-xr-x 2 root root 4096 Nov 1 10:00 bench\n-rw-r--r-- 1 root root 12 Nov 1 10:00 loss.txt\n",
        "PATH=/usr/bin\nSTEP=3\nEPOCHS=7\nHOME=/root\n",
        "Collecting torch==2.0.1\nDownloading torch-2.0.1.whl (619.9 MB)\nSuccessfully installed torch-2.0.1\n",
        "def loss(x):\n    return 1.0\nstep = 5\nepoch = 3\n",
        "accuracy: 97 %\n",
    ],
)
def test_numbers_beside_words_are_no_run(text: str) -> None:
    assert summaries(text, "notes.txt") == []


def test_lines_of_one_shape_are_read_alike() -> None:
    lines = "".join(f"epoch {i} step {i * 10} loss {1 / i:.4f} acc {50 + i}%\n" for i in range(1, 50))
    holds(one(lines), {"steps": 490, "loss": 0.0204, "accuracy": 0.99})


FAILURES = [
    ("RuntimeError: Initial global step 1000 already exceeds max step 1000", "stale-checkpoint", "fresh"),
    ("AssertionError: Vocab file not found /home/$(whoami)/vocab.txt.", "missing-file", "write the path out"),
    ("ERROR:   Appliance error: error while receiving tensor", "appliance-fault", "run again"),
    ("ModuleNotFoundError: No module named 'cerebras.appliance.storage'", "missing-module", "matching"),
    ("ModuleNotFoundError: No module named 'transformers.modeling_layers'", "missing-module", "peft"),
    ("ModuleNotFoundError: No module named 'torch'", "missing-module", "install"),
    ("poptorch_core.Error: Failed to acquire 1 IPU(s)", "no-device", "srun --ipus"),
    ("slurmstepd: error: execve(): POPLAR_ENGINE_OPTIONS={}: No such file or directory", "env-after-srun", "before srun"),
    ("IPUoF server 10.1.3.101 unreachable", "fabric-fault", "run again"),
    ("srun: error: Unable to allocate resources: Requested node configuration is not available", "impossible-request", "--nodes"),
    ("run.py: error: ambiguous option: --cache could match --cache_dir, --cache_size", "bad-flag", "--cache_dir"),
    ("run.py: error: unrecognized arguments: --bogus", "bad-flag", "--help"),
    ("AssertionError: Expected throughput to be at least 560000.0", "threshold", "complete"),
    ("ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: 'METADATA'", "permission", "environment"),
    ("CondaError: Run 'conda init' before 'conda activate'", "unknown", "as the message says"),
    ("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", "out-of-memory", "smaller batch"),
    ("slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2024-04-08T09:12:00 DUE TO TIME LIMIT ***", "time-limit", "more time"),
    ("slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2024-04-08T09:12:00 ***", "cancelled", "start it again"),
    ("=>> PBS: job killed: walltime 3610 exceeded limit 3600", "time-limit", "more time"),
    ("FileNotFoundError: [Errno 2] No such file or directory: 'data.bin'", "missing-file", "path"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "code", "hint"), FAILURES)
def test_every_known_failure_has_a_code_and_a_remedy(line: str, code: str, hint: str) -> None:
    known = systems.kit().failures.diagnose(line)
    assert known is not None
    assert known.code == code
    assert hint in known.hint


@pytest.mark.parametrize(("line", "code", "hint"), FAILURES)
def test_every_known_failure_is_found_in_a_log(line: str, code: str, hint: str) -> None:
    before = "me@gc-login-01:~$ srun --ipus=1 python mnist_poptorch.py\n"
    summary = one(before + line + "\n")
    assert summary["error"]["code"] == code
    assert summary["error"]["line"] == 2
    assert summary["status"] == "failed"


def test_an_unknown_traceback_is_a_crash_with_its_line() -> None:
    text = 'epoch 1 loss 2.0\nepoch 2 loss 1.0\nTraceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nmylib.OddError: no good\n'
    summary = one(text)
    assert summary["error"] == {"code": "crashed", "message": "mylib.OddError: no good", "line": 6}
    assert summary["status"] == "failed"
    assert summary["loss"] == 1.0


def test_a_warning_is_no_failure() -> None:
    text = "UserWarning: this is deprecated\nepoch 1 loss 2.0\nWARNING: error bars are off\nepoch 2 loss 1.0\n"
    assert "error" not in one(text)


def test_a_download_that_was_tried_again_is_no_failure() -> None:
    assert summaries("Failed to download (trying next):\nHTTP Error 403: Forbidden\n") == []


@pytest.mark.parametrize(
    "last", ["mylib.trainer.StopTraining: patience is over", "StopIteration", "BudgetExpired: 3 h"]
)
def test_a_traceback_ends_in_an_exception_of_any_name(last: str) -> None:
    log = f'step 1 loss 2.0\nstep 2 loss 1.9\nTraceback (most recent call last):\n  File "t.py", line 3, in fit\n    go()\n{last}\n'
    summary = one(log)
    assert (summary["status"], summary["error"]["code"], summary["error"]["line"]) == ("failed", "crashed", 6)
    assert summary["error"]["message"] == last


@pytest.mark.parametrize(
    "last",
    [
        "Duration: 12",
        "Accuracy on test set: 97.25%",
        "Test Accuracy: 97.25  Loss: 0.0841",
        "Processed 5000 samples in 12.5 seconds",
        "Training completed successfully!",
        "Training time: 12.5 secs",
        "[INFO] throughput: 812.5 samples/sec",
        "Effective batch size is 256",
    ],
)
@pytest.mark.parametrize("first", [True, False], ids=["before it", "after it"])
def test_a_word_that_anyone_prints_makes_no_run_of_a_system(last: str, first: bool) -> None:
    lines = ["step 10 loss 2.5", "step 20 loss 2.25", "step 30 loss 2.125"]
    summary = one("\n".join([last, *lines] if first else [*lines, last]) + "\n")
    holds(summary, {"system": "generic", "steps": 30})
    assert summary["loss"] in (2.125, 0.0841)


def test_the_steps_of_a_tutorial_are_no_system_s_until_its_runtime_speaks() -> None:
    steps = "".join(f"Epoch [{e}/2], Step [{s}/600], Loss: {1 / (s * e):.4f}\n" for e in (1, 2) for s in (300, 600))
    holds(one(steps), {"system": "generic", "status": "completed", "loss": 0.0008, "params": {"epochs": 2}})
    holds(one(f"[Info][SAMBA]# Placing log files in x\n{steps}"), {"system": "sambanova", "steps": 1200})
    holds(one(f"On SambaNova's SN30:\n\n```\n{steps}```\n", "page.md"), {"system": "sambanova", "steps": 1200})


@pytest.mark.parametrize(
    "lone", ["Training completed successfully!", "Duration: 12", "| Source | Count |\n| cpu | 12 |"]
)
def test_a_word_alone_is_no_run(lone: str) -> None:
    assert summaries(f"{lone}\n") == []


def test_a_script_that_trains_twice_is_two_runs() -> None:
    once = "".join(f"Epoch {n}/3 - loss: {4 - n}.5\n" for n in (1, 2, 3))
    first, second = summaries(f"Namespace(batch_size=32)\n{once}Namespace(batch_size=64)\n{once}")
    assert (first["params"], second["params"]) == ({"batch_size": 32, "epochs": 3}, {"batch_size": 64, "epochs": 3})
    assert (first["lines"], second["lines"]) == ([1, 4], [5, 8])
    assert len(summaries(once + once)) == 2


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Epoch 1/2 - loss: 2.5\nEpoch 2/2 - loss: 1.5\n", "completed"),
        ("Epoch 1/3 - loss: 2.5\nEpoch 2/3 - loss: 1.5\n", "unfinished"),
        ("Epoch 1/2\n9/9 [====] - 3s - loss: 0.5\nEpoch 2/2\n9/9 [====] - 3s - loss: 0.2\n", "completed"),
        ("Epoch 1/2\n9/9 [====] - 3s - loss: 0.5\nEpoch 2/2\n4/9 [=>..] - 1s - loss: 0.3\n", "unfinished"),
        ("epoch 1/2 step 1 loss 2\nepoch 1/2 step 2 loss 2\nepoch 2/2 step 1 loss 2\n", "unfinished"),
    ],
)
def test_a_training_is_complete_with_its_last_epoch(text: str, status: str) -> None:
    assert one(text)["status"] == status


def test_the_last_words_of_common_tutorials() -> None:
    log = "[1,  2000] loss: 2.194\n[2,  2000] loss: 1.302\nAccuracy of the network on the 10000 test images: 54 %\n"
    holds(one(log, "cifar.txt"), {"system": "generic", "loss": 1.302, "accuracy": 0.54})
    log = (
        "***** Running training *****\n  Num Epochs = 3\n  Instantaneous batch size per device = 32\n"
        "{'loss': '0.31', 'epoch': '2.0'}\n  train_loss               =     0.4012\n"
        "  train_samples_per_second =    107.344\n"
    )
    holds(one(log), {"samples_per_s": 107.344, "params": {"epochs": 3, "batch_size": 32}})
