"""Logs as the scripts print them that most people start from: what a person would quote of each comes out."""

from __future__ import annotations

from typing import Any

import pytest
from reading import holds, one, summaries

IMAGENET = """\
Epoch: [0][   11/5005]\tTime  0.312 ( 1.601)\tData  0.000 ( 0.893)\tLoss 7.0811e+00 (7.1203e+00)\tAcc@1   0.00 (  0.07)
Epoch: [0][ 5001/5005]\tTime  0.310 ( 0.331)\tData  0.000 ( 0.012)\tLoss 4.1011e+00 (5.3203e+00)\tAcc@1  18.75 (  9.07)
Test: [  1/196]\tTime  5.512 ( 5.512)\tLoss 3.1011e+00 (3.1011e+00)\tAcc@1  30.08 ( 30.08)\tAcc@5  60.16 ( 60.16)
Test: [196/196]\tTime  0.112 ( 0.512)\tLoss 3.7211e+00 (3.8911e+00)\tAcc@1  21.25 ( 20.08)\tAcc@5  46.16 ( 44.16)
 *   Acc@1 20.084 Acc@5 44.162
"""
TORCHVISION = """\
Namespace(data_path='/data', model='resnet18', batch_size=32, epochs=1, lr=0.1, weight_decay=0.0001)
Start training
Epoch: [0]  [   0/4000]  eta: 1:20:41  lr: 0.1  img/s: 26.52  loss: 6.9871 (6.9871)  acc1: 0.0000 (0.0000)  time: 1.2066
Epoch: [0]  [3990/4000]  eta: 0:00:01  lr: 0.1  img/s: 426.52  loss: 4.9871 (5.9871)  acc1: 12.5000 (6.1000)  time: 0.07
Test:   [   0/1563]  eta: 0:10:00  loss: 4.1000 (4.1000)  acc1: 12.5000 (12.5000)  time: 0.3840
Test:  Acc@1 15.120 Acc@5 35.890
Training time 0:11:12
"""
WORD_MODEL = """\
| epoch   1 |   200/ 2983 batches | lr 20.00 | ms/batch 11.81 | loss  7.61 | ppl  2027.54
| end of epoch   1 | time: 30.11s | valid loss  5.98 | valid ppl   395.43
| epoch   2 |   400/ 2983 batches | lr 20.00 | ms/batch  9.97 | loss  5.96 | ppl   387.12
| End of training | test loss  5.44 | test ppl   230.44
"""
FAIRSEQ = """\
2023-05-11 10:02:19 | INFO | train_inner | epoch 001:    100 / 1102 loss=13.071, ppl=7659.73, num_updates=100, wall=25
2023-05-11 10:05:41 | INFO | train | epoch 001 | loss 9.842 | ppl 556.43 | wps 19521.1 | num_updates 1102 | wall 220
2023-05-11 10:05:42 | INFO | fairseq_cli.train | done training in 219.8 seconds
"""
MEGATRON = """\
 iteration       10/    1000 | consumed samples:          640 | global batch size:    64 | lm loss: 1.052E+01 |
 iteration     1000/    1000 | consumed samples:        64000 | global batch size:    64 | lm loss: 3.214E+00 |
 validation loss at iteration 1000 | lm loss value: 3.301211E+00 | lm loss PPL: 2.714300E+01 |
[after training is done] datetime: 2024-02-02 11:07:10
"""
DEEPSPEED = """\
[2024-01-05 09:10:12,001] [INFO] [config.py:979:print]   train_batch_size ............. 32
steps: 10 loss: 4.4210 iter time (s): 0.761 samples/sec: 42.031
steps: 20 loss: 3.9210 iter time (s): 0.763 samples/sec: 41.931
"""
NANOGPT = """\
batch_size = 64
learning_rate = 1e-3 # with baby networks can afford to go a bit higher
iter 0: loss 4.2649, time 28610.22ms, mfu -100.00%
step 5000: train loss 0.6210, val loss 1.6950
iter 5000: loss 0.8201, time 3170.15ms, mfu 11.89%
"""
HUGGING_FACE = """\
Map: 100%|██████████| 3668/3668 [00:01<00:00, 2512.12 examples/s]
  Num Epochs = 3
  Total optimization steps = 6,315
 16%|█▌        | 1000/6315 [01:22<07:20, 12.05it/s]{'loss': 0.2412, 'learning_rate': 1.68e-05, 'epoch': 0.48}
{'eval_loss': 0.2101, 'eval_accuracy': 0.9220, 'eval_runtime': 1.21, 'epoch': 3.0}
{'train_runtime': 521.4, 'train_samples_per_second': 387.5, 'train_loss': 0.1511, 'epoch': 3.0}
"""
RICH_TABLE = """\
Epoch 0/0  ━━━━━━━━━━━━━━━━ 938/938 0:00:09 • 0:00:00 98.12it/s v_num: 3.000 train_loss: 0.212 val_acc: 0.942
`Trainer.fit` stopped: `max_epochs=1` reached.
┃        Test metric        ┃       DataLoader 0        ┃
│         test_acc          │    0.9430999755859375     │
│         test_loss         │    0.17914512753486633    │
"""
BOOSTING = "[0]\ttrain-logloss:0.61211\teval-logloss:0.62121\n[99]\ttrain-logloss:0.01211\teval-logloss:0.09121\n"
MLPERF = """\
:::MLLOG {"namespace": "", "time_ms": 1592234600100, "key": "global_batch_size", "value": 3264, "metadata": {}}
:::MLLOG {"namespace": "", "time_ms": 1592234701000, "key": "eval_accuracy", "value": 0.41, "metadata": {"epoch_num": 4}}
:::MLLOG {"namespace": "", "time_ms": 1592234801000, "key": "eval_accuracy", "value": 0.759, "metadata": {"epoch_num": 8}}
:::MLLOG {"namespace": "", "time_ms": 1592234802000, "key": "run_stop", "value": null, "metadata": {"status": "success"}}
"""
NVIDIA = """\
DLLL {"timestamp": "1604413800.1", "type": "LOG", "step": "PARAMETER", "data": {"batch_size": 256, "epochs": 50}}
DLLL {"timestamp": "1604413860.1", "type": "LOG", "step": [0, 10], "data": {"train.loss": 7.01211}}
DLLL {"timestamp": "1604413920.1", "type": "LOG", "step": [0, 20], "data": {"train.loss": 6.81211}}
"""
HOROVOD = """\
[1,0]<stdout>:Batch size: 32
[1,0]<stdout>:Iter #0: 281.2 img/sec per GPU
[1,0]<stdout>:Iter #9: 283.2 img/sec per GPU
[1,0]<stdout>:Total img/sec on 4 GPU(s): 1128.8 +-6.4
"""
TORCHRUN = """\
[default0]:Epoch 1/2 | loss 2.1121 | acc 0.2112 | 1201.1 samples/s
[default1]:Epoch 1/2 | loss 2.1321 | acc 0.2012 | 1200.1 samples/s
[default0]:Epoch 2/2 | loss 0.5121 | acc 0.8112 | 1213.1 samples/s
[default1]:Epoch 2/2 | loss 0.5321 | acc 0.8012 | 1212.1 samples/s
"""
NESTED = "".join(
    f'{{"epoch": {n}, "train": {{"loss": {1 / n}}}, "val": {{"loss": 1.2, "acc": {0.4 + n / 20}}}}}\n'
    for n in (1, 2, 4)
)
KERAS = """\
Epoch 1/2
1875/1875 ━━━━━━━━━━━━━━━━━━━━ 5s 2ms/step - accuracy: 0.8741 - loss: 0.4341
Epoch 2/2
1875/1875 ━━━━━━━━━━━━━━━━━━━━ 4s 2ms/step - accuracy: 0.9581 - loss: 0.1411
Test accuracy: 0.9711
"""

BEHIND = """\
I1105 10:00:11.1 1234 controller.py:458] train | step:    100 | output: {'learning_rate': 0.01, 'loss': 6.91}
I1105 10:00:21.1 1234 controller.py:458] train | step:    200 | output: {'learning_rate': 0.02, 'loss': 6.21}
"""
FASTAI = """\
epoch     train_loss  valid_loss  accuracy  time
0         0.512341    0.212341    0.931212  00:21
1         0.312341    0.182341    0.941212  00:20
"""
CSV = "epoch,step,train_loss,val_acc\n0,49,0.5123,\n0,99,0.4123,\n0,99,,0.9312\n1,149,0.3123,\n"
NOTEBOOK = "Step\tTraining Loss\tValidation Loss\n500\t0.412300\t0.391200\n1000\t0.312300\t0.341200\n"


SKLEARN = """\
Accuracy: 0.9533333333333334
              precision    recall  f1-score   support

           0       1.00      1.00      1.00        37
           1       0.91      0.93      0.92        43

    accuracy                           0.95       450
   macro avg       0.95      0.95      0.95       450
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(SKLEARN, {"accuracy": 0.9533333333333334}, id="a classification report rounds the accuracy"),
        pytest.param(IMAGENET, {"loss": 4.1011, "accuracy": 0.20084}, id="pytorch imagenet"),
        pytest.param(
            TORCHVISION,
            {"loss": 4.9871, "accuracy": 0.1512, "samples_per_s": 426.52, "status": "completed", "params": {"lr": 0.1}},
            id="torchvision",
        ),
        pytest.param(WORD_MODEL, {"loss": 5.96, "status": "completed"}, id="word model"),
        pytest.param(FAIRSEQ, {"loss": 9.842, "steps": 1102, "status": "completed"}, id="fairseq"),
        pytest.param(
            MEGATRON, {"loss": 3.214, "steps": 1000, "status": "completed", "params": {"batch_size": 64}}, id="megatron"
        ),
        pytest.param(
            DEEPSPEED,
            {"loss": 3.921, "steps": 20, "samples_per_s": 41.931, "params": {"batch_size": 32}},
            id="deepspeed",
        ),
        pytest.param(NANOGPT, {"loss": 0.8201, "steps": 5000, "params": {"batch_size": 64, "lr": 1e-3}}, id="nanogpt"),
        pytest.param(
            HUGGING_FACE,
            {"accuracy": 0.922, "loss": 0.2412, "steps": 6315, "samples_per_s": 387.5, "status": "completed"},
            id="hugging face",
        ),
        pytest.param(RICH_TABLE, {"accuracy": 0.9430999755859375, "loss": 0.212, "status": "completed"}, id="rich"),
        pytest.param(BEHIND, {"loss": 6.21, "steps": 200}, id="object behind a head"),
        pytest.param("step 1 loss 2.5 {a}\nstep 2 loss 1.5 {b}\n", {"loss": 1.5, "steps": 2}, id="braces"),
        pytest.param(FASTAI, {"loss": 0.312341, "accuracy": 0.941212}, id="fastai"),
        pytest.param(CSV, {"loss": 0.3123, "accuracy": 0.9312, "steps": 149}, id="csv"),
        pytest.param(NOTEBOOK, {"loss": 0.3123, "steps": 1000}, id="notebook"),
        pytest.param(BOOSTING, {"steps": 99}, id="boosting"),
        pytest.param(MLPERF, {"accuracy": 0.759, "status": "completed", "params": {"batch_size": 3264}}, id="mlperf"),
        pytest.param(NVIDIA, {"loss": 6.81211, "steps": 20, "params": {"batch_size": 256}}, id="nvidia"),
        pytest.param(HOROVOD, {"samples_per_s": 1128.8, "params": {"batch_size": 32}}, id="horovod"),
        pytest.param(
            TORCHRUN,
            {"loss": 0.5121, "accuracy": 0.8112, "samples_per_s": 2425.2, "status": "completed"},
            id="torchrun",
        ),
        pytest.param(NESTED, {"loss": 0.25, "accuracy": 0.6}, id="nested json"),
        pytest.param(
            KERAS,
            {"loss": 0.1411, "accuracy": 0.9711, "accuracy_of": "test", "epochs": 2, "status": "completed"},
            id="keras 3",
        ),
    ],
)
def test_what_a_person_would_quote_comes_out(text: str, expected: dict[str, Any]) -> None:
    summary = one(text, "train.log")
    holds(summary, expected)
    assert summary["system"] == "generic"


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("lr: 0.1  img/s: 26.52  loss: 6.9\nlr: 0.1  img/s: 27.52  loss: 5.9\n", {"samples_per_s": 0.1}),
        ("Steps: 50%|███   | 500/1000 [01:00<01:00, 8.3it/s, loss=0.12]\nloss 0.1\n", {"steps": 50}),
        ("iter 3 eta: 0:04:12 loss: 2.1\niter 4 eta: 0:04:02 loss: 2.0\n", {"metrics": {"eta": 0.0}}),
    ],
)
def test_a_number_that_only_stands_beside_a_word_is_not_its_figure(text: str, absent: dict[str, Any]) -> None:
    summary = one(text, "train.log")
    for name, value in absent.items():
        assert summary.get(name) != value


def test_bars_of_preparing_data_and_the_words_of_make_are_no_run() -> None:
    text = (
        "Map: 100%|██████████| 3668/3668 [00:01<00:00, 2512.12 examples/s]\n"
        "Tokenizing dataset: 100%|██████████| 100/100 [00:01<00:00, 92.12 examples/s]\n"
        "make: *** [all] Error 2\nmake: *** [lib] Error 1\n"
    )
    assert summaries(text, "setup.log") == []


def test_a_word_of_an_epochs_end_is_taken_back_by_more_training() -> None:
    text = "epoch 1 loss 2.0\nFinished training of epoch 1\nepoch 2 loss 1.5\n"
    assert one(text, "train.log")["status"] == "unfinished"
    assert one(text + "Finished Training\nAccuracy: 91 %\n", "train.log")["status"] == "completed"


def test_a_training_loss_that_became_no_number_is_not_quoted() -> None:
    assert "loss" not in one("epoch 1 train_loss: 2.0\nepoch 2 train_loss: nan\n", "train.log")
