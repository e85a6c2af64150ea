"""Logs in the formats of today's training frameworks, older and newer versions, written for these tests."""

from __future__ import annotations

from typing import Any

GIB = 1 << 30
MIB = 1 << 20

TITAN = """\
[titan] 2025-03-04 10:11:12,101 - root - INFO - Starting job: Llama 3 8B training
[titan] 2025-03-04 10:11:20,404 - root - INFO - Model llama3 8B size: 8,030,261,248 total parameters
[titan] 2025-03-04 10:11:31,870 - root - INFO - Training starts at step 1, with local batch size 2, global batch size 16, sequence length 8192, total steps 40 (warmup 8)
[titan] 2025-03-04 10:11:55,310 - root - INFO - step:  1  loss: 12.2411  memory: 39.71GiB(50.10%)  tps: 611  tflops: 35.20  mfu: 3.56%
[titan] 2025-03-04 10:12:20,310 - root - INFO - step: 10  loss: 10.1010  memory: 47.30GiB(59.68%)  tps: 7,020  tflops: 406.55  mfu: 41.11%
[titan] 2025-03-04 10:12:31,100 - root - INFO - validate step: 10  loss: 10.5000  memory: 44.00GiB(55.51%)  tps: 20,511
[titan] 2025-03-04 10:13:40,310 - root - INFO - step: 40  loss:  7.6543  memory: 47.30GiB(59.68%)  tps: 7,102  tflops: 411.30  mfu: 41.59%
[titan] 2025-03-04 10:13:41,000 - root - INFO - Training completed
"""
TITAN_2024 = """\
2024-07-01 08:00:01,123 - root - INFO - step:  1  loss: 10.8774  memory: 33.30GiB(35.05%)  wps: 530  mfu: 3.11%
2024-07-01 08:00:21,123 - root - INFO - step: 10  loss:  9.1021  memory: 37.20GiB(39.15%)  wps: 2,871  mfu: 16.80%
"""
MEGATRON_2021 = """\
using world size: 16, data-parallel-size: 4, tensor-model-parallel size: 2, pipeline-model-parallel size: 2
  encoder_seq_length .............................. 2048
  lr .............................................. 0.00015
  seed ............................................ 1234
  world_size ...................................... 16
 iteration       10/     200 | consumed samples:          320 | elapsed time per iteration (ms): 2110.3 | learning rate: 0.000E+00 | global batch size:    32 | loss scale: 65536.0 | number of skipped iterations:  10 | number of nan iterations:   0 |
 iteration       20/     200 | consumed samples:          640 | elapsed time per iteration (ms): 1450.0 | learning rate: 3.750E-05 | global batch size:    32 | lm loss: 1.010588E+01 | loss scale: 32768.0 | grad norm: 12.1 | number of skipped iterations:   0 | number of nan iterations:   0 |
[Rank 1] (after 20 iterations) memory (MB) | allocated: 7694.25 | max allocated: 10045.5 | reserved: 14112.0 | max reserved: 14112.0
[Rank 0] (after 20 iterations) memory (MB) | allocated: 9694.25 | max allocated: 12045.5 | reserved: 14112.0 | max reserved: 14112.0
-----------------------------------------------------------------------------------------------
 validation loss at iteration 20 | lm loss value: 9.995942E+00 | lm loss PPL: 2.194128E+04 |
"""
MEGATRON_2024 = """\
[before the start of training step] datetime: 2024-09-10 11:00:00
 [2024-09-10 11:00:31] iteration       50/     100 | consumed samples:        12800 | elapsed time per iteration (ms): 6201.3 | throughput per GPU (TFLOP/s/GPU): 391.2 | learning rate: 3.000000E-06 | global batch size:   256 | lm loss: 9.912345E+00 | loss scale: 1.0 | grad norm: 2.201 | number of skipped iterations:   0 | number of nan iterations:   0 |
 [2024-09-10 11:05:31] iteration      100/     100 | consumed samples:        25600 | elapsed time per iteration (ms): 6150.0 | throughput per GPU (TFLOP/s/GPU): 394.4 | learning rate: 3.000000E-06 | global batch size:   256 | lm loss: 8.812345E+00 | loss scale: 1.0 | grad norm: 1.101 | number of skipped iterations:   0 | number of nan iterations:   0 |
[after training is done] datetime: 2024-09-10 11:05:32
 validation loss at the end of training for val data | lm loss value: 8.700000E+00 | lm loss PPL: 6.002912E+03 |
 validation loss at the end of training for test data | lm loss value: 8.900000E+00 | lm loss PPL: 7.331974E+03 |
"""
MEGATRON_DEEPSPEED = """\
[2024-03-07 15:27:02,646] [INFO] [timer.py:260:stop] epoch=0/micro_step=9/global_step=9, RunningAvgSamplesPerSec=58.7, CurrSamplesPerSec=61.3, MemAllocated=6.01GB, MaxMemAllocated=19.25GB
 iteration        9/    5000 | consumed samples:         6912 | consumed tokens:     28311552 | elapsed time per iteration (ms): 14287.5 | learning rate: 2.407E-04 | global batch size:   768 | lm loss: 8.905366E+00 | loss scale: 8192.0 | actual seqlen:  4096 | number of skipped iterations:   0 | number of nan iterations:   0 | samples per second: 53.753 | tokens per gpu per second (tgs): 1146.733 | TFLOPs: 69.85 |
[2024-03-07 15:27:15,063] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=4, lr=[0.000240653265864008, 0.000240653265864008], mom=[(0.9, 0.999), (0.9, 0.999)]
 iteration       10/    5000 | consumed samples:         7680 | consumed tokens:     31457280 | elapsed time per iteration (ms): 14541.4 | learning rate: 2.407E-04 | global batch size:   768 | lm loss: 8.797035E+00 | loss scale: 8192.0 | actual seqlen:  4096 | number of skipped iterations:   0 | number of nan iterations:   0 | samples per second: 52.815 | tokens per gpu per second (tgs): 1126.713 | TFLOPs: 68.63 |
"""
DEEPSPEED = """\
[2023-02-01 09:00:00,101] [INFO] [logging.py:68:log_dist] [Rank 0] step=10, skipped=2, lr=[3e-05], mom=[(0.9, 0.999)]
[2023-02-01 09:00:00,144] [INFO] [timer.py:198:stop] 0/10, RunningAvgSamplesPerSec=118.25, CurrSamplesPerSec=117.5, MemAllocated=1.25GB, MaxMemAllocated=9.5GB
[2023-02-01 09:00:21,101] [INFO] [logging.py:68:log_dist] [Rank 0] step=20, skipped=2, lr=[3e-05], mom=[(0.9, 0.999)]
[2023-02-01 09:00:21,144] [INFO] [timer.py:198:stop] 0/20, RunningAvgSamplesPerSec=118.75, CurrSamplesPerSec=119.5, MemAllocated=1.25GB, MaxMemAllocated=9.5GB
"""
NEMO = """\
Epoch 0: :   2%|▏         | 10/500 [00:30<24:30, v_num=4x1a, reduced_train_loss=10.50, global_step=9.000, consumed_samples=2560.0, train_step_timing in s=2.910]
Epoch 0: :   4%|▍         | 20/500 [00:59<23:41, v_num=4x1a, reduced_train_loss=9.250, global_step=19.00, consumed_samples=5120.0, train_step_timing in s=2.870]
"""
NEMO_2 = """\
Training epoch 0, iteration 0/99 | lr: 1.499e-07 | global_batch_size: 512 | global_step: 0 | reduced_train_loss: 11.03 | train_step_timing in s: 28.9
Training epoch 0, iteration 99/99 | lr: 1.499e-05 | global_batch_size: 512 | global_step: 99 | reduced_train_loss: 7.25 | train_step_timing in s: 5.5 | consumed_samples: 51200
"""
DLLOGGER = """\
DLLL {"timestamp": "1727486493.24", "datetime": "2024-09-28 01:21:33.24", "elapsedtime": "32.9", "type": "LOG", "step": "PARAMETER", "data": {"cfg/micro_batch_size": 2, "cfg/global_batch_size": 128, "cfg/encoder_seq_length": 4096, "cfg/hidden_dropout": 0.0}}
DLLL {"timestamp": "1727486904.61", "datetime": "2024-09-28 01:28:24.61", "elapsedtime": "444.3", "type": "LOG", "step": 0, "data": {"reduced_train_loss": 11.0628, "lr": 0.0, "global_step": 0.0, "consumed_samples": 128.0, "grad_norm": 59.2, "epoch": 0}}
DLLL {"timestamp": "1727486930.25", "datetime": "2024-09-28 01:28:50.25", "elapsedtime": "469.9", "type": "LOG", "step": 19, "data": {"reduced_train_loss": 8.5, "lr": 7.8e-07, "global_step": 19.0, "consumed_samples": 2560.0, "grad_norm": 43.0, "epoch": 0}}
"""
MAXTEXT = """\
Running Model: llama3-8b
Config param model_name: llama3-8b
Config param max_target_length: 4096
Config param per_device_batch_size: 4.0
Config param steps: 3
Config param learning_rate: 3e-05
Per train step, total TFLOPs will be 700.08, split as 94.54% learnable weight flops and 5.46% attention flops
completed step: 0, seconds: 41.5, TFLOP/s/device: 16.9, Tokens/s/device: 394.8, total_weights: 65536, loss: 12.250
completed step: 1, seconds: 0.25, TFLOP/s/device: 2800.3, Tokens/s/device: 65536.0, total_weights: 65536, loss: 12.250
completed step: 2, seconds: 3.5, TFLOP/s/device: 200.02, Tokens/s/device: 4681.14, total_weights: 65536, loss: 11.125
"""
COMPOSER = """\
composer_version: 0.17.2
num_gpus_per_node: 4
num_nodes: 2
rank_zero_seed: 23
time/remaining_estimate_unit: hours
******************************
[epoch=1][batch=20/100]:
         Train time/epoch: 0
         Train time/batch: 19
         Train time/sample: 4864
         Train time/token: 9961472
         Train memory/peak_active_mem: 18.5000
         Train loss/train/total: 9.1250
         Train metrics/train/LanguagePerplexity: 9181.5786
         Train metrics/train/TokenAccuracy: 0.0925
         Train throughput/batches_per_sec: 0.5000
         Train throughput/samples_per_sec: 128.0000
         Train throughput/tokens_per_sec: 262144.0000
         Train throughput/device/tokens_per_sec: 32768.0000
         Train throughput/device/mfu: 0.3125
         Train time/train: 0.0125
[eval=1/1] Eval on eval data:
         Eval metrics/eval/LanguageCrossEntropy: 9.0625
         Eval metrics/eval/LanguagePerplexity: 8625.5786
"""
NANOGPT = """\
tokens per iteration will be: 16,384
batch_size = 64
block_size = 256
max_iters = 500
learning_rate = 1e-3
number of parameters: 10.65M
step 0: train loss 4.2874, val loss 4.2823
iter 0: loss 4.2649, time 28610.22ms, mfu -100.00%
iter 490: loss 1.9201, time 31.15ms, mfu 11.85%
step 500: train loss 1.6210, val loss 1.8250
iter 500: loss 1.8101, time 3170.15ms, mfu 11.89%
"""
BUILD_GPT = """\
step     0 | loss: 10.955029 | lr 8.3916e-07 | norm: 15.33 | dt: 12410.11ms | tok/sec: 42246.21
step     1 | loss: 10.654712 | lr 1.6783e-06 | norm: 12.23 | dt: 331.11ms | tok/sec: 1583401.51
"""
EZPZ = """\
  0%|          | 0/20 [00:00<?, ?it/s][2024-04-02 01:59:41][INFO][trainer:769] - Startup time: 18.3313
 24%|██▍       | 4/20 [00:04<01:12,  1.32it/s][2024-04-02 01:59:46][INFO][trainer:837] - step=5 loss=3.6606 dt=108.1093 dtf=4.6110 dtb=100.7493 sps=73.9992 mtps=1.2124 mfu=-100.0000 train_loss=4.2922 val_loss=4.2905
 99%|█████████▉| 19/20 [00:13<00:00, 12.82it/s][2024-04-02 01:59:54][INFO][trainer:837] - step=20 loss=2.5075 dt=55.9236 dtf=4.5000 dtb=48.7769 sps=143.0523 mtps=2.5 mfu=0.5 train_loss=4.2922 val_loss=4.2905
100%|██████████| 20/20 [00:13<00:00,  7.48it/s]
"""
MLPERF_RESNET = """\
:::MLLOG {"namespace": "", "time_ms": 1592234600000, "event_type": "INTERVAL_START", "key": "init_start", "value": null, "metadata": {"file": "t.py", "lineno": 9}}
:::MLLOG {"namespace": "", "time_ms": 1592234600010, "event_type": "POINT_IN_TIME", "key": "submission_benchmark", "value": "resnet", "metadata": {"file": "t.py", "lineno": 10}}
:::MLLOG {"namespace": "", "time_ms": 1592234600020, "event_type": "POINT_IN_TIME", "key": "submission_platform", "value": "2xHGX-H100", "metadata": {"file": "t.py", "lineno": 10}}
:::MLLOG {"namespace": "", "time_ms": 1592234600100, "event_type": "POINT_IN_TIME", "key": "global_batch_size", "value": 3264, "metadata": {"file": "t.py", "lineno": 11}}
:::MLLOG {"namespace": "", "time_ms": 1592234600100, "event_type": "POINT_IN_TIME", "key": "seed", "value": 77, "metadata": {"file": "t.py", "lineno": 11}}
:::MLLOG {"namespace": "", "time_ms": 1592234600100, "event_type": "POINT_IN_TIME", "key": "opt_base_learning_rate", "value": 10.5, "metadata": {"file": "t.py", "lineno": 11}}
:::MLLOG {"namespace": "", "time_ms": 1592234610000, "event_type": "INTERVAL_START", "key": "run_start", "value": null, "metadata": {"file": "t.py", "lineno": 12}}
:::MLLOG {"namespace": "", "time_ms": 1592234700000, "event_type": "POINT_IN_TIME", "key": "eval_accuracy", "value": 0.41, "metadata": {"file": "t.py", "lineno": 13, "epoch_num": 4}}
:::MLLOG {"namespace": "", "time_ms": 1592234710000, "event_type": "POINT_IN_TIME", "key": "tracked_stats", "value": {"throughput": 51200.5}, "metadata": {"step": 4}}
:::MLLOG {"namespace": "", "time_ms": 1592234800000, "event_type": "POINT_IN_TIME", "key": "eval_accuracy", "value": 0.7612, "metadata": {"file": "t.py", "lineno": 13, "epoch_num": 36}}
:::MLLOG {"namespace": "", "time_ms": 1592234802500, "event_type": "INTERVAL_END", "key": "run_stop", "value": null, "metadata": {"file": "t.py", "lineno": 14, "status": "success", "epoch_num": 36}}
"""
MLPERF_LORA = """\
0: :::MLLOG {"namespace": "", "time_ms": 1700000000000, "event_type": "POINT_IN_TIME", "key": "submission_benchmark", "value": "llama2_70b_lora", "metadata": {}}
0: :::MLLOG {"namespace": "", "time_ms": 1700000000000, "event_type": "INTERVAL_START", "key": "run_start", "value": null, "metadata": {}}
0: :::MLLOG {"namespace": "", "time_ms": 1700000300000, "event_type": "POINT_IN_TIME", "key": "train_loss", "value": 1.31, "metadata": {"samples_count": 1536}}
0: :::MLLOG {"namespace": "", "time_ms": 1700000400000, "event_type": "POINT_IN_TIME", "key": "eval_accuracy", "value": 0.9412, "metadata": {"samples_count": 1536}}
0: :::MLLOG {"namespace": "", "time_ms": 1700000700000, "event_type": "POINT_IN_TIME", "key": "train_loss", "value": 1.22, "metadata": {"samples_count": 3072}}
0: :::MLLOG {"namespace": "", "time_ms": 1700000800000, "event_type": "POINT_IN_TIME", "key": "eval_accuracy", "value": 0.9239, "metadata": {"samples_count": 3072}}
0: :::MLLOG {"namespace": "", "time_ms": 1700000801000, "event_type": "INTERVAL_END", "key": "run_stop", "value": null, "metadata": {"samples_count": 3072, "status": "aborted"}}
"""
HF_BLOCK = """\
***** Running training *****
  Num examples = 5,000
  Num Epochs = 3
  Instantaneous batch size per device = 8
  Total train batch size (w. parallel, distributed & accumulation) = 32
  Gradient Accumulation steps = 2
  Total optimization steps = 471
{'loss': 1.4021, 'grad_norm': 2.31, 'learning_rate': 1.2e-05, 'epoch': 1.27}
{'loss': 1.2044, 'grad_norm': 2.11, 'learning_rate': 2.1e-06, 'epoch': 2.55}
{'train_runtime': 992.6, 'train_samples_per_second': 15.11, 'train_steps_per_second': 0.47, 'train_loss': 1.3588, 'epoch': 3.0}
***** train metrics *****
  epoch                    =        3.0
  total_flos               = 26248302GF
  train_loss               =     1.3588
  train_runtime            = 0:16:32.60
  train_samples            =       5000
  train_samples_per_second =      15.11
  train_steps_per_second   =       0.47
***** eval metrics *****
  epoch                   =        3.0
  eval_accuracy           =     0.7231
  eval_loss               =     1.0917
  eval_runtime            = 0:00:07.00
  eval_samples            =        405
  perplexity              =     2.9794
"""
TRAINER_STATE = """\
{
  "best_metric": 0.91,
  "best_model_checkpoint": "out/checkpoint-200",
  "epoch": 2.0,
  "eval_steps": 100,
  "global_step": 200,
  "is_hyper_param_search": false,
  "log_history": [
    {
      "epoch": 1.0,
      "grad_norm": 3.1,
      "learning_rate": 2e-05,
      "loss": 0.6931,
      "step": 100
    },
    {
      "epoch": 1.0,
      "eval_accuracy": 0.88,
      "eval_loss": 0.51,
      "eval_runtime": 3.2,
      "step": 100
    },
    {
      "epoch": 2.0,
      "learning_rate": 0.0,
      "loss": 0.4021,
      "step": 200
    },
    {
      "epoch": 2.0,
      "eval_accuracy": 0.91,
      "eval_loss": 0.45,
      "eval_runtime": 3.1,
      "step": 200
    },
    {
      "epoch": 2.0,
      "step": 200,
      "total_flos": 8.1e+16,
      "train_loss": 0.5476,
      "train_runtime": 64.5,
      "train_samples_per_second": 99.2,
      "train_steps_per_second": 3.1
    }
  ],
  "logging_steps": 100,
  "max_steps": 200,
  "num_train_epochs": 2,
  "train_batch_size": 16
}
"""
NOTEBOOK_OUTPUT = """\
[120/120 02:10, Epoch 3/3]
Step\tTraining Loss
60\t1.512300
120\t1.201400
TrainOutput(global_step=120, training_loss=1.35685, metrics={'train_runtime': 131.5, 'train_samples_per_second': 7.3, 'train_steps_per_second': 0.91, 'total_flos': 1.7e+16, 'train_loss': 1.35685, 'epoch': 3.0})
"""
GAUDI = """\
{'loss': 1.3, 'grad_norm': 0.4, 'learning_rate': 0.0001, 'epoch': 1.0, 'memory_allocated (GB)': 42.25, 'max_memory_allocated (GB)': 58.5, 'total_memory_available (GB)': 94.62}
{'loss': 1.1, 'grad_norm': 0.4, 'learning_rate': 0.0001, 'epoch': 2.0, 'memory_allocated (GB)': 42.25, 'max_memory_allocated (GB)': 58.5, 'total_memory_available (GB)': 94.62}
{'train_runtime': 640.5, 'train_samples_per_second': 31.5, 'train_steps_per_second': 1.9, 'train_loss': 1.25, 'epoch': 2.0, 'memory_allocated (GB)': 42.25, 'max_memory_allocated (GB)': 58.5}
"""
LIGHTNING = """\
Epoch 0: 100%|██████████| 469/469 [00:09<00:00, 48.11it/s, v_num=0, train_loss=0.4120, val_loss=0.3010, val_acc=0.9100]
Epoch 1: 100%|██████████| 469/469 [00:09<00:00, 48.91it/s, v_num=0, train_loss=0.2120, val_loss=0.2010, val_acc=0.9400]
`Trainer.fit` stopped: `max_epochs=2` reached.
"""
TIMM = """\
Train: 0 [   0/40 (  0%)]  Loss: 6.951 (6.951)  Time: 4.514s,   28.36/s  (4.514s,   28.36/s)  LR: 1.000e-06  Data: 1.204 (1.204)
Train: 0 [  39/40 (100%)]  Loss: 6.702 (6.811)  Time: 0.121s, 1057.85/s  (0.233s,  549.36/s)  LR: 1.000e-06  Data: 0.004 (0.034)
Test: [   0/10]  Time: 1.210 (1.210)  Loss:   6.5312 ( 6.5312)  Acc@1:   3.1250 (  3.1250)  Acc@5:   7.8125 (  7.8125)
Test: [  10/10]  Time: 0.110 (0.312)  Loss:   6.6112 ( 6.5012)  Acc@1:   1.5625 (  2.5000)  Acc@5:   6.2500 (  7.1000)
Train: 1 [   0/40 (  0%)]  Loss: 6.512 (6.512)  Time: 0.512s,  250.00/s  (0.512s,  250.00/s)  LR: 2.000e-04  Data: 0.304 (0.304)
Train: 1 [  39/40 (100%)]  Loss: 6.202 (6.311)  Time: 0.119s, 1075.63/s  (0.128s,  1000.00/s)  LR: 2.000e-04  Data: 0.004 (0.034)
Test: [  10/10]  Time: 0.108 (0.309)  Loss:   6.0112 ( 6.1012)  Acc@1:   4.6875 (  5.5000)  Acc@5:  14.0625 ( 15.2000)
*** Best metric: 5.5 (epoch 1)
"""
YOLO_V8 = """\
Ultralytics YOLOv8.2.0 Python-3.10.12 torch-2.3.0+cu121 CUDA:0 (Tesla T4, 15102MiB)
      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size
        1/2      2.25G      1.153      1.398      1.192         81        640: 100%|██████████| 8/8 [00:05<00:00,  1.50it/s]
                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100%|██████████| 4/4 [00:02<00:00]
                   all        128        929      0.668       0.54      0.624      0.461
        2/2       2.5G      1.101      1.201      1.122         71        640: 100%|██████████| 8/8 [00:03<00:00,  2.60it/s]
                   all        128        929      0.701       0.56      0.661      0.491
2 epochs completed in 0.005 hours.
"""
YOLO_V5 = """\
train: weights=yolov5s.pt, cfg=, data=coco128.yaml, epochs=2, batch_size=16, imgsz=640
     Epoch    GPU_mem   box_loss   obj_loss   cls_loss  Instances       Size
       0/1      3.25G    0.04502    0.06702    0.01702        200        640: 100%|██████████| 8/8 [00:06<00:00,  1.31it/s]
       1/1      4.75G    0.04402    0.06502    0.01602        180        640: 100%|██████████| 8/8 [00:03<00:00,  2.31it/s]
2 epochs completed in 0.010 hours.
"""
YOLO_CSV = """\
epoch,time,train/box_loss,train/cls_loss,train/dfl_loss,metrics/precision(B),metrics/recall(B),metrics/mAP50(B),metrics/mAP50-95(B),val/box_loss,val/cls_loss,val/dfl_loss,lr/pg0,lr/pg1,lr/pg2
1,12.1,1.15,3.2,1.3,0.41,0.33,0.35,0.21,1.1,2.1,1.2,0.0003,0.0003,0.0003
2,23.9,1.05,2.2,1.2,0.51,0.43,0.45,0.31,1.0,1.9,1.1,0.0006,0.0006,0.0006
3,35.2,0.95,1.9,1.1,0.61,0.53,0.55,0.41,0.9,1.7,1.0,0.0004,0.0004,0.0004
"""
DETECTRON = """\
[09/02 02:37:00 d2.engine.train_loop]: Starting training from iteration 0
[09/02 02:37:24 d2.utils.events]:  eta: 0:00:22  iter: 19  total_loss: 1.986  loss_cls: 0.595  loss_box_reg: 0.549  time: 1.1678  data_time: 0.0222  lr: 1.6068e-05  max_mem: 2725M
[09/02 02:37:48 d2.utils.events]:  eta: 0:00:00  iter: 39  total_loss: 1.872  loss_cls: 0.5049  loss_box_reg: 0.6145  time: 1.2048  last_time: 1.1  data_time: 0.0108  last_data_time: 0.01  lr: 3.2718e-05  max_mem: 2849M
[09/02 02:37:49 d2.engine.hooks]: Overall training speed: 38 iterations in 0:00:46 (1.2048 s / it)
[09/02 02:37:49 d2.engine.hooks]: Total training time: 0:00:47 (0:00:01 on hooks)
"""
TORCHTUNE = """\
Step 1 | loss:1.9012 lr:2e-05 tokens_per_second_per_gpu:1203.5 peak_memory_active:12.5 peak_memory_alloc:12.25 peak_memory_reserved:13.0
Step 2 | loss:1.7055 lr:2e-05 tokens_per_second_per_gpu:1311.25 peak_memory_active:12.5 peak_memory_alloc:12.25 peak_memory_reserved:13.0
"""
FLAX = """\
I0305 10:00:11.000000 140 train.py:146] epoch:  1, train_loss: 0.2409, train_accuracy: 92.69, test_loss: 0.0710, test_accuracy: 97.79
I0305 10:00:21.000000 140 train.py:146] epoch:  2, train_loss: 0.0594, train_accuracy: 98.13, test_loss: 0.0410, test_accuracy: 98.65
"""
PYG = """\
Epoch: 001, Loss: 1.9462, Train: 0.2571, Val: 0.1560, Test: 0.1740
Epoch: 200, Loss: 0.0412, Train: 1.0000, Val: 0.7940, Test: 0.8150
"""
OGB = """\
Run: 01, Epoch: 01, Loss: 2.1234, Train: 45.12%, Valid: 44.01% Test: 43.50%
Run: 01, Epoch: 02, Loss: 1.1234, Train: 71.12%, Valid: 70.01% Test: 69.25%
"""
DGL = """\
Epoch 00000 | Step 00000 | Loss 3.1411 | Train Acc 0.0160 | Speed (samples/sec) nan | GPU 296.2 MB
Epoch 00000 | Step 00020 | Loss 2.1411 | Train Acc 0.3160 | Speed (samples/sec) 40112.5 | GPU 401.2 MB
Epoch Time(s): 8.7072
Epoch 00001 | Step 00020 | Loss 1.1411 | Train Acc 0.6160 | Speed (samples/sec) 41112.5 | GPU 401.5 MB
Epoch Time(s): 7.2513
Eval Acc 0.9248
Test Acc: 0.9306
"""
MILABENCH = """\
{"event": "config", "data": {"name": "resnet50", "argv": {"--model": "resnet50", "--batch-size": 256}, "devices": ["0", "1"]}, "pipe": null}
{"event": "start", "data": {"command": ["torchrun", "--nproc_per_node=2", "main.py", "--batch-size", "256"], "time": 1683742260.5}, "pipe": null}
{"event": "data", "data": {"task": "train", "loss": 6.9}, "pipe": "data"}
{"event": "data", "data": {"gpudata": {"0": {"memory": [30000.0, 81920.0], "load": 0.9}, "1": {"memory": [31000.0, 81920.0], "load": 0.8}}, "task": "main"}, "pipe": "data"}
{"event": "data", "data": {"rate": 812.5, "units": "items/s", "task": "train"}, "pipe": "data"}
{"event": "data", "data": {"task": "train", "loss": 6.5}, "pipe": "data"}
{"event": "stop", "data": null, "pipe": "data"}
{"event": "end", "data": {"command": ["torchrun"], "time": 1683742300.5, "return_code": 1}, "pipe": null}
"""
CSZOO = """\
2026-07-27 18:25:41,002 INFO:   | Train Device=CSX, Step=90, Loss=0.29274, Rate=21.29 samples/sec, GlobalRate=8.54 samples/sec, LoopTimeRemaining=0:10:52, TimeRemaining>0:10:52
2026-07-27 18:26:09,905 INFO:   | Train Device=CSX, Step=100, Loss=0.26981, Rate=15.09 samples/sec, GlobalRate=8.69 samples/sec, LoopTimeRemaining=0:10:52, TimeRemaining>0:10:52
2026-07-27 18:41:53,674 INFO:   | Eval Device=CSX, GlobalStep=100, Batch=10, Loss=0.52876, Rate=59.43 samples/sec, GlobalRate=58.71 samples/sec, LoopTimeRemaining=0:00:08, TimeRemaining=0:00:08
2026-07-27 18:42:04,110 INFO:   Avg Eval Loss: 0.4819
2026-07-27 18:42:04,155 INFO:     - eval/accuracy = 0.8125
2026-07-27 18:42:04,157 INFO:   Evaluation completed successfully!
2026-07-27 18:42:04,178 INFO:   Processed 800 training sample(s) in 2789.2 seconds.
"""
PLAIN = """\
Epoch 1/3 - loss: 0.91 - acc: 0.61 - val_loss: 0.81 - val_acc: 0.71
Epoch 2/3 - loss: 0.51 - acc: 0.81 - val_loss: 0.61 - val_acc: 0.79
Epoch 3/3 - loss: 0.31 - acc: 0.91 - val_loss: 0.55 - val_acc: 0.83
Training time: 6.05 s
"""

#: what each is called, its text, and what a person would quote of it
FORMATS: list[tuple[str, str, dict[str, Any]]] = [
    (
        "torchtitan", TITAN,
        {"status": "completed", "steps": 40, "loss": 7.6543, "val_loss": 10.5, "tokens_per_s_per_device": 7102.0,
         "tflops_per_device": 411.3, "mfu": 0.4159, "gpu_mem_bytes_max": round(47.3 * GIB), "model": "llama3 8B",
         "params": {"batch_size": 16, "seq_len": 8192, "max_steps": 40}},
    ),
    ("torchtitan 2024", TITAN_2024, {"steps": 10, "loss": 9.1021, "tokens_per_s_per_device": 2871.0, "mfu": 0.168}),
    (
        "megatron 2021", MEGATRON_2021,
        {"status": "unfinished", "steps": 20, "samples": 640, "loss": 10.10588, "val_loss": 9.995942, "seed": 1234,
         "gpu_mem_bytes_max": 12045.5 * MIB,
         "params": {"batch_size": 32, "seq_len": 2048, "max_steps": 200, "num_procs": 16, "lr": 0.00015}},
    ),
    (
        "megatron 2024", MEGATRON_2024,
        {"status": "completed", "steps": 100, "samples": 25600, "loss": 8.812345, "val_loss": 8.7, "test_loss": 8.9,
         "tflops_per_device": 394.4, "params": {"batch_size": 256, "max_steps": 100}},
    ),
    (
        "megatron-deepspeed", MEGATRON_DEEPSPEED,
        {"steps": 10, "samples": 7680, "tokens": 31457280, "loss": 8.797035, "samples_per_s": 52.815,
         "tokens_per_s_per_device": 1126.713, "tflops_per_device": 68.63, "gpu_mem_bytes_max": 19.25 * GIB,
         "params": {"batch_size": 768, "seq_len": 4096, "max_steps": 5000}},
    ),
    (
        "deepspeed", DEEPSPEED,
        {"steps": 20, "samples_per_s": 119.5, "samples_per_s_avg": 118.75, "gpu_mem_bytes_max": 9.5 * GIB,
         "params": {"lr": 3e-05}},
    ),
    ("nemo", NEMO, {"status": "unfinished", "steps": 19, "loss": 9.25, "samples": 5120.0}),
    ("nemo 2", NEMO_2, {"steps": 99, "loss": 7.25, "samples": 51200.0, "params": {"batch_size": 512}}),
    ("dllogger", DLLOGGER, {"steps": 19, "samples": 2560.0, "loss": 8.5, "params": {"batch_size": 128, "seq_len": 4096}}),
    (
        "maxtext", MAXTEXT,
        {"status": "completed", "model": "llama3-8b", "steps": 2, "loss": 11.125, "tokens_per_s_per_device": 4681.14,
         "tflops_per_device": 200.02, "params": {"seq_len": 4096, "max_steps": 3, "lr": 3e-05, "batch_size": None}},
    ),
    (
        "composer", COMPOSER,
        {"steps": 19, "samples": 4864, "tokens": 9961472, "loss": 9.125, "val_loss": 9.0625, "samples_per_s": 128.0,
         "tokens_per_s": 262144.0, "tokens_per_s_per_device": 32768.0, "mfu": 0.3125, "train_s": 45.0, "seed": 23,
         "gpu_mem_bytes_max": 18.5 * GIB, "accuracy": None, "params": {"num_nodes": 2, "num_procs": 8}},
    ),
    (
        "nanogpt", NANOGPT,
        {"status": "completed", "steps": 500, "loss": 1.8101, "val_loss": 1.825, "mfu": 0.1189,
         "params": {"batch_size": 64, "seq_len": 256, "max_steps": 500, "lr": 1e-3}},
    ),
    ("build nanogpt", BUILD_GPT, {"steps": 1, "loss": 10.654712, "tokens_per_s": 1583401.51}),
    (
        "ezpz", EZPZ,
        {"steps": 20, "loss": 2.5075, "val_loss": 4.2905, "tokens_per_s": 2.5e6, "mfu": 0.005, "samples_per_s": None},
    ),
    (
        "mlperf resnet", MLPERF_RESNET,
        {"status": "completed", "model": "resnet", "device": "2xHGX-H100", "wall_s": 192.5, "accuracy": 0.7612,
         "accuracy_of": "val", "samples_per_s": 51200.5, "seed": 77, "epochs": 36.0,
         "params": {"batch_size": 3264, "lr": 10.5}},
    ),
    (
        "mlperf lora", MLPERF_LORA,
        {"status": "failed", "model": "llama2_70b_lora", "wall_s": 801.0, "loss": 1.22, "val_loss": 0.9239,
         "samples": 3072, "accuracy": None},
    ),
    (
        "hugging face blocks", HF_BLOCK,
        {"status": "completed", "steps": 471, "epochs": 3.0, "loss": 1.2044, "val_loss": 1.0917, "accuracy": 0.7231,
         "accuracy_of": "val", "train_s": 992.6, "samples_per_s": 15.11, "params": {"batch_size": 32, "epochs": 3}},
    ),
    (
        "trainer_state.json", TRAINER_STATE,
        {"status": "completed", "steps": 200, "epochs": 2.0, "loss": 0.4021, "val_loss": 0.45, "accuracy": 0.91,
         "train_s": 64.5, "samples_per_s": 99.2, "params": {"max_steps": 200}},
    ),
    (
        "notebook", NOTEBOOK_OUTPUT,
        {"status": "completed", "steps": 120, "epochs": 3.0, "loss": 1.2014, "train_s": 131.5, "samples_per_s": 7.3},
    ),
    (
        "gaudi", GAUDI,
        {"status": "completed", "loss": 1.1, "train_s": 640.5, "samples_per_s": 31.5, "gpu_mem_bytes_max": 58.5 * GIB},
    ),
    (
        "lightning", LIGHTNING,
        {"status": "completed", "epochs": 2, "loss": 0.212, "val_loss": 0.201, "accuracy": 0.94, "accuracy_of": "val"},
    ),
    (
        "timm", TIMM,
        {"epochs": 2, "loss": 6.202, "test_loss": 6.1012, "accuracy": 0.055, "accuracy_of": "test",
         "samples_per_s": 1075.63, "samples_per_s_avg": 1000.0},
    ),
    (
        "yolov8", YOLO_V8,
        {"status": "completed", "epochs": 2, "train_s": 18.0, "gpu_mem_bytes_max": 2.5 * GIB, "accuracy": None},
    ),
    (
        "yolov5", YOLO_V5,
        {"status": "completed", "epochs": 2, "train_s": 36.0, "gpu_mem_bytes_max": 4.75 * GIB,
         "params": {"epochs": 2, "batch_size": 16}},
    ),
    ("yolo csv", YOLO_CSV, {"epochs": 3, "accuracy": None, "loss": None}),
    (
        "detectron2", DETECTRON,
        {"status": "completed", "steps": 39, "loss": 1.872, "train_s": 47.0, "gpu_mem_bytes_max": 2849 * MIB},
    ),
    (
        "torchtune", TORCHTUNE,
        {"steps": 2, "loss": 1.7055, "tokens_per_s_per_device": 1311.25, "gpu_mem_bytes_max": 12.5 * GIB,
         "params": {"lr": 2e-05}},
    ),
    (
        "flax", FLAX,
        {"epochs": 2, "loss": 0.0594, "test_loss": 0.041, "accuracy": 0.9865, "accuracy_of": "test"},
    ),
    ("pyg", PYG, {"loss": 0.0412, "accuracy": 0.815, "accuracy_of": "test", "epochs": 200}),
    ("ogb", OGB, {"loss": 1.1234, "accuracy": 0.6925, "accuracy_of": "test", "epochs": 2}),
    (
        "dgl", DGL,
        {"epochs": 2, "loss": 1.1411, "accuracy": 0.9306, "accuracy_of": "test", "samples_per_s": 41112.5},
    ),
    (
        "milabench", MILABENCH,
        {"status": "completed", "exit_code": 1, "model": "resnet50", "loss": 6.5, "samples_per_s": 812.5,
         "wall_s": 40.0, "gpu_mem_bytes_max": 31000 * MIB, "params": {"batch_size": 256, "num_procs": 2}},
    ),
    (
        "cszoo fit", CSZOO,
        {"status": "completed", "steps": 100, "samples": 800, "loss": 0.26981, "val_loss": 0.4819,
         "samples_per_s": 15.09, "samples_per_s_avg": 8.69, "accuracy": 0.8125, "params": {"batch_size": 8}},
    ),
    (
        "plain script", PLAIN,
        {"status": "completed", "epochs": 3, "loss": 0.31, "val_loss": 0.55, "accuracy": 0.83, "accuracy_of": "val",
         "train_s": 6.05, "params": {"epochs": 3}},
    ),
]  # fmt: skip
