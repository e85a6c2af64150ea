"""The one table of all that can be set or measured: what it is called, how it is spelled, and which way is better.

Readers, prose, tables, file names, command lines, run names, chart titles and exports all look here: a new spelling is
one more word in one line. A spelling is written in lower case with underscores; `Batch size`, `batch-size` and
`--batch_size` are all `batch_size`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

#: what a figure is of: a speed does not depend on how long a run was; an outcome and a total do
RATE, OUTCOME, TOTAL, MACHINE, COUNT = "rate", "outcome", "total", "machine", "count"
#: what one value covers: the whole job, one device, one process
GLOBAL, DEVICE, PROCESS = "global", "device", "process"
#: how a value is written: see `units.py`
SECONDS, BYTES, JOULES, SHARE, PERCENT, PLAIN = "s", "bytes", "J", "share", "%", ""


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """One thing that is set or measured. `better` is 1 where more is better, -1 where less is, 0 where neither."""

    name: str
    noun: str
    heading: str = ""  # of a column
    short: str = ""  # in the name of a run: bs128
    spellings: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()  # beside --spelling
    unit: str = PLAIN
    kind: str = OUTCOME
    whole: bool = False
    settable: bool = False
    better: int = 0
    scope: str = GLOBAL

    @property
    def points(self) -> bool:
        """A share of 1, whose differences are given in percentage points."""
        return self.unit == SHARE

    @property
    def scale(self) -> float:
        """What a value is multiplied with to be shown."""
        return 100.0 if self.points else 1.0


def _setting(name: str, noun: str, spellings: str = "", **more: object) -> Quantity:
    return Quantity(name=name, noun=noun, spellings=tuple(spellings.split()), settable=True, **more)  # type: ignore[arg-type]


def _rate(name: str, noun: str, heading: str, spellings: str = "", **more: object) -> Quantity:
    return _figure(name, noun, heading, spellings, kind=RATE, **{"better": 1, **more})


def _latency(name: str, noun: str, heading: str, spellings: str = "") -> Quantity:
    return _figure(name, noun, heading, spellings, kind=RATE, better=-1)


def _latencies(name: str, noun: str) -> tuple[Quantity, ...]:
    """Mean and percentiles of one latency of serving."""
    statistics = (("mean", "mean"), ("p50", "median"), ("p90", "p90"), ("p99", "p99"))
    return tuple(_latency(f"{name}_{key}_ms", f"{word} {noun}", f"{name.upper()} {key} ms") for key, word in statistics)


def _figure(name: str, noun: str, heading: str = "", spellings: str = "", **more: object) -> Quantity:
    words = tuple(spellings.split())
    return Quantity(name=name, noun=noun, heading=heading or noun, spellings=words, **more)  # type: ignore[arg-type]


_SETTINGS = (
    _setting(
        "batch_size", "batch size",
        "batchsize bs train_batch_size global_batch_size global_batch mini_batch_size minibatch_size "
        "training_batch_size per_device_train_batch_size instantaneous_batch_size_per_device batch_size_per_rank "
        "batch_size_per_gpu batch_size_per_device per_gpu_batch_size local_batch_size",
        short="bs", flags=("-b",), whole=True,
    ),
    _setting("test_batch_size", "test batch size", "eval_batch_size testing_batch_size val_batch_size", whole=True),
    _setting("lr", "learning rate", "learning_rate base_lr initial_lr opt_base_learning_rate", short="lr"),
    _setting(
        "epochs", "epochs",
        "num_epochs n_epochs num_train_epochs number_of_epochs max_epochs training_epochs train_epochs",
        short="ep", whole=True,
    ),
    _setting(
        "max_steps", "steps",
        "num_steps train_steps total_optimization_steps max_iters steps_this_run train_iters total_steps "
        "num_train_steps total_train_steps max_train_steps",
        whole=True,
    ),
    _setting("num_tasks", "tasks", "ntasks", short="tasks", flags=("-n", "-np"), whole=True),
    _setting(
        "seq_len", "sequence length",
        "seq_length sequence_length max_seq_length max_seq_len max_sequence_length msl encoder_seq_length block_size "
        "max_target_length context_length",
        short="seq", whole=True,
    ),
    _setting("num_nodes", "nodes", "nodes nnodes", flags=("-N",), whole=True),
    _setting("num_procs", "processes", "nproc nproc_per_node world_size num_gpus", whole=True),
    _setting("grad_accum", "gradient accumulation", "gradient_accumulation_steps accumulate_grad_batches", whole=True),
    _setting("seed", "seed", "random_seed manual_seed", whole=True),
    _setting("weight_decay", "weight decay", "wd"),
    _setting("dropout", "dropout", "dropout_rate"),
    _setting("warmup_steps", "warm-up steps", "num_warmup_steps", whole=True),
    _setting("concurrency", "concurrency", "max_concurrency num_concurrent_requests", short="c", whole=True),
    _setting("request_rate", "request rate", short="rate"),
    _setting("num_prompts", "prompts", whole=True),
    _setting("input_len", "input length", "random_input_len synthetic_input_tokens_mean", short="in", whole=True),
    _setting("output_len", "output length", "random_output_len output_tokens_mean", short="out", whole=True),
    _setting("ngl", "layers on the GPU", "n_gpu_layers", short="ngl", whole=True),
)  # fmt: skip
_RATES = (
    _rate(
        "samples_per_s", "throughput", "samples/s",
        "train_samples_per_second samples_per_second samples_per_sec samples_sec samples_s images_per_second "
        "images_per_sec images_sec images_s image_s imgs_s imgs_sec img_s img_sec examples_per_second "
        "images_per_s imgs_per_s examples_per_s sequences_per_s examples_per_sec examples_s seq_s seqs_s sequences_s currsamplespersec",
    ),
    _rate("samples_per_s_avg", "average throughput", "samples/s (average)", "runningavgsamplespersec"),
    _rate("samples_per_s_own", "average throughput", "samples/s (average)"),
    _rate("samples_per_s_steady", "steady throughput", "samples/s (steady)"),
    _rate(
        "tokens_per_s", "token rate", "tokens/s",
        "train_tokens_per_second tokens_per_second tokens_per_sec tokens_sec tokens_s tok_s tok_sec toks_s",
    ),
    _rate(
        "tokens_per_s_per_device", "token rate of a device", "tokens/s/device",
        "tokens_per_s_per_gpu tokens_per_second_per_gpu tokens_per_sec_per_gpu tokens_per_second_per_device "
        "tokens_per_gpu_per_second tokens_s_device tokens_s_gpu tokens_per_s_each tgs tok_s_gpu",
        scope=DEVICE,
    ),
    _rate(
        "tflops_per_device", "teraflops of a device", "TFLOP/s/device",
        "tflops tflop_s_device tflop_s_gpu tflops_per_gpu tflops_gpu model_tflops_per_gpu "
        "throughput_per_gpu model_tflops tflops_per_sec_per_gpu",
        scope=DEVICE,
    ),
    _rate("mfu", "model FLOPs utilisation", "MFU %", unit=SHARE),
    _rate("requests_per_s", "request rate reached", "requests/s"),
    _rate("prompt_tokens_per_s", "prompt token rate", "prompt tokens/s"),
    _rate("output_tokens_per_s", "output token rate", "output tokens/s"),
    _rate("total_tokens_per_s", "total token rate", "total tokens/s"),
    *_latencies("ttft", "time to first token"),
    *_latencies("tpot", "time per output token"),
    *_latencies("itl", "inter-token latency"),
    *_latencies("e2e", "request latency"),
    _rate("inferences_per_s", "inference rate", "inferences/s", "ips"),
    _rate("on_chip_inferences_per_s", "on-chip inference rate", "on-chip inf/s"),
    _figure("step_ms", "step time", "step ms", kind=RATE),
    _latency("latency_ms", "latency", "latency ms"),
    _latency("latency_p50_ms", "median latency", "p50 ms"),
    _latency("latency_p90_ms", "p90 latency", "p90 ms"),
    _latency("latency_p99_ms", "p99 latency", "p99 ms"),
    _latency("on_chip_latency_ms", "on-chip latency", "on-chip ms"),
    _figure("utilisation", "utilisation", "utilisation %", "utilization", kind=RATE, better=1, unit=SHARE),
)  # fmt: skip
_OUTCOMES = (
    _figure("loss", "loss", "", "reduced_train_loss", better=-1),
    _figure("val_loss", "validation loss", better=-1),
    _figure("test_loss", "test loss", better=-1),
    _figure(
        "accuracy",
        "accuracy",
        "accuracy %",
        "acc score_correct percent_correct acc_1 acc1 accuracy_1 prec_1 prec1",
        better=1,
        unit=SHARE,
    ),
)
_TOTALS = (
    _figure("train_s", "training time", "train", "train_runtime", kind=TOTAL, better=-1, unit=SECONDS),
    _figure("wall_s", "time", "", "completion_time", kind=TOTAL, better=-1, unit=SECONDS),
    _figure("energy_j", "energy", kind=TOTAL, better=-1, unit=JOULES),
    _figure("j_per_sample", "energy per sample", "J/sample", kind=RATE, better=-1),
    _figure("cpu_s", "CPU time", kind=TOTAL, better=-1, unit=SECONDS),
    _figure("queue_s", "queue", kind=TOTAL, better=-1, unit=SECONDS),
)
_MACHINE = (
    _figure("memory_bytes_max", "peak memory", "peak memory", kind=MACHINE, better=-1, unit=BYTES),
    _figure("pss_bytes_max", "memory", "memory (PSS)", kind=MACHINE, better=-1, unit=BYTES),
    _figure("rss_bytes_max", "memory", "memory (RSS)", kind=MACHINE, better=-1, unit=BYTES),
    _figure("gpu_mem_bytes_max", "GPU memory", kind=MACHINE, better=-1, unit=BYTES),
    _figure("cpu_pct_mean", "CPU use", "cpu %", kind=MACHINE, unit=PERCENT),
    _figure("gpu_util_pct_mean", "GPU use", "gpu %", kind=MACHINE, unit=PERCENT),
    _figure("gpu_sm_pct_mean", "SM activity", "SM %", kind=MACHINE, unit=PERCENT),
    _figure("gpu_tensor_pct_mean", "tensor core activity", "tensor %", kind=MACHINE, unit=PERCENT),
    _figure("gpu_dram_pct_mean", "GPU memory bandwidth", "DRAM %", kind=MACHINE, unit=PERCENT),
    _figure("cpu_pct_max", "peak CPU use", "cpu % at most", kind=MACHINE, unit=PERCENT),
    _figure("pss_bytes_mean", "mean memory", kind=MACHINE, better=-1, unit=BYTES),
    _figure("rss_bytes_mean", "mean memory", "mean memory (RSS)", kind=MACHINE, better=-1, unit=BYTES),
    _figure("cpu_eff", "CPU efficiency", "cpu % of allocated", kind=MACHINE, better=1, unit=SHARE),
    _figure("mem_eff", "memory efficiency", "memory % of allocated", kind=MACHINE, better=1, unit=SHARE),
    _figure("time_eff", "share of the time limit", "time % of the limit", kind=MACHINE, unit=SHARE),
    _figure("write_bytes", "bytes written", "written", kind=MACHINE, unit=BYTES),
)
_COUNTS = (
    _figure("steps", "steps", "", "step global_step iter iteration iterations num_updates", kind=COUNT, whole=True),
    _figure("samples", "samples", "", "consumed_samples consumed_train_samples samples_seen", kind=COUNT),
    _figure("tokens", "tokens", "", "consumed_tokens consumed_train_tokens tokens_seen total_tokens_seen", kind=COUNT),
    _figure("requests", "requests", kind=COUNT, whole=True),
    _figure("requests_failed", "failed requests", kind=COUNT, whole=True),
    _figure("input_tokens", "prompt tokens", kind=COUNT, whole=True),
    _figure("output_tokens", "generated tokens", kind=COUNT, whole=True),
)
#: in the order of a table's columns
QUANTITIES: tuple[Quantity, ...] = (*_SETTINGS, *_RATES, *_OUTCOMES, *_TOTALS, *_MACHINE, *_COUNTS)
BY_NAME: dict[str, Quantity] = {one.name: one for one in QUANTITIES}
_BY_SPELLING: dict[str, Quantity] = {
    spelling: one for one in QUANTITIES for spelling in (one.name, *one.spellings)
}  # fmt: skip
_BETWEEN = re.compile(r"[\s_/.@-]+")


@lru_cache(maxsize=4096)
def normal(text: str) -> str:
    """`Batch size`, `batch-size`, `--batch_size`: `batch_size`."""
    return _BETWEEN.sub("_", text.strip().lower()).strip("_")


def named(text: str) -> Quantity | None:
    """The quantity that this is a spelling of; None for a name that is not in the table."""
    return _BY_SPELLING.get(text) or _BY_SPELLING.get(normal(text))


#: for each spelling of something measured, its name and the plainer spellings
_MEASURED: dict[str, tuple[str, frozenset[str]]] = {
    spelling: (one.name, frozenset((one.name, *one.spellings[:at])))
    for one in QUANTITIES
    if not one.settable
    for at, spelling in enumerate(one.spellings)
}


def constant_name(name: str) -> str:
    """`lr` for a constant `LR` of a script, `HIDDEN` for one that the table does not have; other names stay."""
    known = named(name) if name.isupper() else None
    return known.name if known is not None and known.settable else name


def common_name(name: str, told: Iterable[str]) -> str | None:
    """`accuracy` for `acc`; None if the line also has a plainer spelling, such as `step` next to `iter`."""
    known = _MEASURED.get(name)
    if known is None:
        return name
    return known[0] if known[1].isdisjoint(told) else None


def spellings(name: str) -> tuple[str, ...]:
    """All that a quantity of the table may be called, the plainest first."""
    return (name, *BY_NAME[name].spellings)


def of_kind(*kinds: str) -> tuple[Quantity, ...]:
    return tuple(one for one in QUANTITIES if one.kind in kinds and not one.settable)


def settings() -> tuple[Quantity, ...]:
    """All that can be set, in the order in which a run's name has them."""
    return _SETTINGS


def short_name(name: str) -> str:
    """`batch_size` in the name of a run is `bs`."""
    known = named(name)
    return known.short or name if known else name
