"""True sentences about logs that stand beside them, as differently minded people write them: nobody is accused."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import judged


def _log(batch: int, loss: float, accuracy: float, seconds: float, rate: float, memory: float) -> str:
    epochs = "".join(
        f"Epoch {n}/10 | train loss {loss * (21 - n) / 11:.4f} | val acc {accuracy * (0.8 + n / 50) - 0.004:.4f}\n"
        for n in range(1, 11)
    )
    return (
        f"Namespace(batch_size={batch}, epochs=10, lr=0.001, seed=1)\n{epochs}Training took {seconds} s\n"
        f"test_acc = {accuracy:.4f}\nPeak memory: {memory} MiB\nThroughput: {rate} samples/s\n"
    )


SMALL = _log(64, 0.1477, 0.9125, 332.0, 1807.0, 1326.9)
LARGE = _log(1024, 0.2144, 0.8875, 83.0, 7228.0, 2653.8)
#: of both runs, at the end of a page
OF_BOTH = """
The batch size of 64 took 332 s and the batch size of 1024 took 83 s.
With batch size 64 the training took 332.0 seconds.
With a batch size of 1k the training took 83 seconds.
With a batch size of 2^10 we measured 7228 samples/s.
For BS=1024 the throughput is about 7.2k samples/s.
For bs = 64 the throughput is 1,807 samples/s.
The training with a batch of 64 took about five and a half minutes.
It took 5 min 32 s with batch size 64.
It took 5:32 with batch size 64.
Batch size 1024 needs 1 min 23 s.
The run with batch size 1024 was done in under two minutes.
The run with batch size 64 took more than five minutes.
A batch size of 1024 is 4 times as fast as a batch size of 64.
A batch size of 1024 is about four times faster than a batch size of 64.
The throughput went from 1807 to 7228 samples/s when I went from 64 to 1024.
Going from 64 to 1024, the throughput rose by 300 %.
Going from batch size 64 to 1024, the training time dropped by 75 %.
The training time fell from 332 s to 83 s.
The larger batch takes a quarter of the time.
The smaller batch takes 249 seconds longer than the larger one.
Batch 1024 finished 249 s earlier than batch 64.
Batch 1024 is the fastest.
Batch 64 is the slowest of the two.
The small batch is slower, but its accuracy is higher.
Batch size 64 reached 91.25 % test accuracy.
Batch size 64 reached a test accuracy of 0.9125.
Batch size 64 ended at 91,25 %.
The accuracy for batch size 64 is roughly 91 percent.
With 1024 the accuracy is only 88.75 %.
The accuracy with 1024 is 2.5 percentage points lower than with 64.
The accuracies are 91.25 % and 88.75 % for batch sizes 64 and 1024, respectively.
The test accuracy is between 88 and 92 % in both runs.
Both runs stay below 95 % accuracy.
Both runs get more than 88 % on the test set.
The final training loss is 0.1477 for batch size 64.
The final training loss is 0.2144 for batch size 1024.
The loss is 0.15 with batch size 64 and 0.21 with batch size 1024.
The loss of the large batch ends a bit higher.
The memory peaks at 1326.9 MiB with batch size 64.
The memory peaks at 2.59 GiB with batch size 1024.
The larger batch needs twice the memory.
The peak memory doubled from 1327 MiB to 2654 MiB.
Peak memory: 1.3 GiB for 64, 2.6 GiB for 1024.
All runs used a learning rate of 10^-3.
All runs used a learning rate of 1e-3.
All runs used lr = 0.001.
Both runs were trained for 10 epochs.
Both runs were trained for ten epochs.
I trained each model for 10 epochs with a learning rate of 0,001.
The learning rate was 0.001 in both cases.
The number of epochs (10) was the same for both.
I have not run it with a batch size of 256.
I had no time for a batch size of 4096.
It would be interesting to try a batch size of 512.
I did not try batch size 2048.
A batch size of 16384 did not fit into memory.
Next I want to try 100 epochs.
I would expect 95 % after 50 epochs.
With 20 epochs it could reach 93 %.
The assignment asks for a batch size of 32, but I used 64 and 1024.
The default batch size of the script is 128, which I changed.
By default the script trains for 14 epochs.
A friend ran it on an H100 in 46 minutes.
My classmate got 97.3 % with a batch size of 32.
The paper reports an accuracy of 99.2 %.
The README mentions 98 % after 20 epochs.
On my laptop it took 2 hours.
Last week it took 12 minutes with a batch size of 64.
In an earlier attempt I got 85 %.
Before I fixed a bug I saw 61.2 %.
State of the art is 99.8 %.
Each epoch took about 33 seconds with batch size 64.
One epoch of batch size 1024 takes 8.3 s.
Per epoch that is 33.2 s for batch size 64.
The difference in accuracy is small.
I see no reason to use 64 if time is short.
Together the two runs took 415 seconds.
In total both runs took just under seven minutes.
The whole thing took 6 min 55 s.
The two runs differ in their batch size only.
The batch of 1024 is 16 times as large as the batch of 64.
1024 is 16 times 64.
64 * 16 = 1024.
332 / 83 = 4.
7228 / 1807 = 4.0, so it is four times as fast.
(91.25 + 88.75) / 2 = 90 % on average.
On average the two runs took 207.5 s.
The mean accuracy of both runs is 90 %.
The first run took 332 s, the second one 83 s.
The second run is the faster one.
The first run has the better accuracy.
As the batch size grows, the throughput grows too.
The throughput increases with the batch size.
The training time decreases as the batch size increases.
The throughput does not grow linearly with the batch size.
The scaling is sublinear: 16 times the batch gives 4 times the throughput.
A larger batch does not always mean a better model.
The speedup is 4x.
The speed-up of 4 is far from the ideal 16.
I set the seed to 1 in both runs.
I ran each setting once.
I used one GPU for all runs.
The node has 4 GPUs with 40 GB each, of which I used one.
The dataset has 60,000 images.
The job waited 3 hours in the queue.
It took me an hour and a half to get the environment running.
The homework was due at 23:59.
I used PyTorch 2.1 and Python 3.10.
See Section 3.2 and Figure 2.
The accuracy improved over the epochs.
The loss went down in every epoch.
The validation accuracy is a little lower than the test accuracy.
After the first epoch the accuracy was already above 70 %.
The loss started at 0.2685 with batch size 64.
Half of 128 is the 64 that I used.
Batch 64: 332 s, 91.25 %. Batch 1024: 83 s, 88.75 %.
- bs 64: 1807 samples/s
- bs 1024: 7228 samples/s
bs=64 -> 332.0 s; bs=1024 -> 83.0 s
64 was better in accuracy, 1024 in speed.
If accuracy matters, take 64; if time matters, take 1024.
I would not call a difference of 2.5 points significant after a single run.
The larger batch made fewer updates, so the comparison of the losses is not quite fair.
Note that the times do not include loading the data.
The times are as the script prints them.
A throughput of 7,228 samples per second is what the log of the large batch shows.
Training took 332 s (batch 64) versus 83 s (batch 1024).
Training took 83 s instead of 332 s.
The training time shrank to 83 s, down from 332 s.
The training time is cut to a quarter by the larger batch.
The run with 64 needed four times as long.
The run with 64 took 4x longer.
It is roughly 4 times quicker with 1024.
Nearly 7,200 samples/s with 1024.
Some 1,800 samples/s with 64.
Over 7000 samples per second are reached with batch size 1024.
At most 2.6 GiB of memory were used.
Not more than 92 % were reached.
The accuracy did not reach 92 %.
No run failed.
None of the runs took longer than 6 minutes.
""".strip().splitlines()
#: of the one run above it
OF_ONE = """
This is the run with a batch size of 64.
Each of 4 GPUs had a batch size of 16, so the global batch is 64.
The batch of 64 is made of 4 x 16.
I left the batch size at 64.
The script ran 10 epochs in 332 s, so 33.2 s each.
The last epoch shows a training loss of 0.1477.
The test accuracy is 91.25 %, the best validation accuracy 90.9 %.
The loss dropped from 0.2685 to 0.1477 during training.
The loss went all the way down to 0.1477.
The time for all ten epochs is 5.53 minutes.
The error rate is 8.75 %.
So 8.75 % of the test images are wrong.
It runs at 1.8k samples/s.
It needs 1.3 GiB at its peak.
Training time: 332 s
I ran it twice, and this is the second log.
""".strip().splitlines()


def _accused(folder: Path, page: str) -> list[str]:
    return [f"{one.severity} {one.code}: {one.message}" for one in judged(folder, page) if one.severity != "note"]


@pytest.mark.parametrize("sentence", OF_BOTH)
def test_a_true_sentence_about_both_runs_is_not_accused(tmp_path: Path, sentence: str) -> None:
    logs = f"## Batch size 64\n\n```\n{SMALL}```\n\n## Batch size 1024\n\n```\n{LARGE}```\n"
    assert _accused(tmp_path, f"# MNIST\n\n{logs}\n## Discussion\n\n{sentence}\n") == []


@pytest.mark.parametrize("sentence", OF_ONE)
def test_a_true_sentence_about_one_run_is_not_accused(tmp_path: Path, sentence: str) -> None:
    assert _accused(tmp_path, f"# MNIST\n\n```\n{SMALL}```\n\n{sentence}\n") == []
