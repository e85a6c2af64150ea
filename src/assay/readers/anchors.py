"""Words of which one is in every line that a training script prints of its progress; others are never looked at."""

from __future__ import annotations

from assay.readers.settings import SETTING_NAMES
from assay.readers.training import WORDS

#: an anchor that is shorter than this is in every line
_SHORTEST = 4
ANCHORS = (
    "loss", "accuracy", "acc:", "acc=", "acc ", "acc'", 'acc"', "epoch", "step", "iter", "it/s", "s/it", "samples/s",
    "images/s", "image/s", "img/s", "imgs/s", "seq/s", "seqs/s", "sequences/s", "examples/s", "tokens/s", "_per_s",
    "perplexity", "ppl", "throughput", "f1", "bleu", "rouge", "batch_size", "batch size", "namespace(", "args:",
    "config:", "learning", "lr=", "lr:", "lr ", "lr'", 'lr"', "auc", "error", "reward", "mse", "mae", "iou", "dice",
    "psnr", "mcc", "wer", "top1", "top5", "top-1", "top-5", "top 1", "top 5", "map", "spearman", "seed", "dropout",
    "seq_len", "weight_decay", "warmup", "world_size", "num_", "nproc", "nodes", "ntasks", "max_", "msl", "bs:", "bs=",
    "acc@", "acc1", "acc_", "batch-size", "tok/s", "tokens_", "img/", "mllog", "dlll", "finished training",
    "done training", "is done", "training done", "training complete", "training finished", "training over",
    "of training", "training time", "done!", "done.", " metrics *", " results *", '": ', "nb_", "p50", "p99", "latency",
    "fit time", "fitted in", " time", "time:", "time ", "done in", "finished in", "trained in", "elapsed",
    "world size", "score", "req/s", "reqs/s", "requests/s", "queries/s", "inferences/s", "valid_",
    *(spelling for spelling in SETTING_NAMES if len(spelling) >= _SHORTEST),
    *(word.lower() for word in WORDS if len(word) >= _SHORTEST),
)  # fmt: skip
