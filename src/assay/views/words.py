"""A summary's figures in words: one line a subject, used wherever a run is shown as text."""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.summary import Summary
from assay.quantities import spellings
from assay.summary.splits import PARTS, told_as
from assay.text import listing
from assay.units import show_bytes, show_joules, show_number, show_seconds, two_digits

_LOSSES = {"loss": "loss", "val_loss": "validation loss", "test_loss": "test loss"}
#: differences between ranks below this share are not mentioned
_WORTH_SAYING = 0.02
#: the same for CPU time, which the kernel counts coarsely and waiting also uses
_UNEVEN = 0.2
#: figures that a rank prints
_PRINTED = {"samples_per_s", "tokens_per_s", "waiting_s", "train_s", "loss"}
_SHARES = ("accuracy", "top1", "top5")
_A_LINE = 3  # figures
#: (a figure in words, the names under which a program may have reported it)
Parts = list[tuple[str, tuple[str, ...]]]
_LATENCIES = ("latency_ms", "latency_p50_ms", "latency_p90_ms", "latency_p99_ms")


def cpu_words(summary: Summary) -> str | None:
    if summary.cpu_s is None:
        return None
    together = f" ({len(summary.by_node)} nodes added up)" if summary.by_node else ""
    mean = summary.cpu_pct_mean
    parts = [f"{mean:.0f} % of a core on average{together}" if mean is not None else ""]
    if summary.cpu_pct_max is not None:
        peak = f"{summary.cpu_pct_max:.0f} % at most{_on_node(summary, 'cpu_pct_max')}"
        parts = [f"{mean:.0f} % of a core"] if mean is not None and peak == f"{mean:.0f} % at most" else [*parts, peak]
    parts.append(f"{show_seconds(summary.cpu_s)} of CPU time")
    return ", ".join(filter(None, parts))


def _on_node(summary: Summary, name: str) -> str:
    """` on one node (n2)`: peaks of several nodes need not have met, so they are not added."""
    known = [(float(row[name]), str(row["node"])) for row in summary.by_node if name in row]
    return f" on one node ({max(known)[1]})" if len(known) > 1 else ""


def memory_words(summary: Summary) -> str | None:
    """Peak memory; figures of other tools and schedulers are resident sizes and are marked RSS."""
    if summary.memory_bytes_max is not None:
        return f"peak {show_bytes(summary.memory_bytes_max)}{_on_node(summary, 'memory_bytes_max')}"
    rss = summary.rss_bytes_max
    return None if rss is None else f"peak {show_bytes(rss)} (RSS)"


def disk_words(summary: Summary) -> str | None:
    read, written = summary.read_bytes or 0, summary.write_bytes or 0
    return f"{show_bytes(read)} read, {show_bytes(written)} written" if read + written >= 1 << 20 else None


def waits_words(summary: Summary) -> str | None:
    """How much of the time the run waited; None if it was not measured, or below one per cent."""
    waits = (("a CPU", summary.cpu_wait_pct), ("memory", summary.memory_wait_pct), ("a disk", summary.io_wait_pct))
    shown = [f"for {what} {pct:.0f} % of the time" for what, pct in waits if pct is not None and pct >= 1]
    return ", ".join(shown) or None


def gpu_words(summary: Summary) -> str | None:
    parts = [
        f"{name} {value:.0f} %"
        for name, value in (
            ("SMs busy", summary.gpu_sm_pct_mean),
            ("tensor cores", summary.gpu_tensor_pct_mean),
            ("memory bandwidth", summary.gpu_dram_pct_mean),
        )
        if value is not None
    ]
    if summary.gpu_util_pct_mean is not None:
        parts.append(f"a kernel ran {summary.gpu_util_pct_mean:.0f} % of the time")
    if summary.gpu_mem_bytes_max is not None:
        parts.append(f"{show_bytes(summary.gpu_mem_bytes_max)} at most{_on_node(summary, 'gpu_mem_bytes_max')}")
    if summary.gpus_used is not None and summary.gpus_used > 1:
        parts.append(f"{summary.gpus_used} devices")
    if summary.throttled:
        parts.append("throttled: " + ", ".join(summary.throttled))
    return ", ".join(parts) or None


def energy_words(summary: Summary) -> str | None:
    source = summary.energy_source
    if summary.energy_j is not None:
        return f"{show_joules(summary.energy_j)} ({source})"
    if source is not None and source.startswith("unavailable"):
        source = "cannot be measured on this machine"
    return source if summary.cpu_s is not None else None


def phase_words(summary: Summary) -> str | None:
    shares = summary.phase_shares
    parts = []
    for name, value in summary.phases.items():
        share = f" ({_percent(shares[name])})" if name in shares else ""
        parts.append(f"{name} {show_seconds(value)}{share}")
    return " · ".join(parts) or None


def _percent(share: float) -> str:
    return "< 1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def result_words(summary: Summary) -> str | None:
    """Loss, accuracy, rate and latency, as far as they are known."""
    return " · ".join(text for text, _ in result_parts(summary)) or None


def result_parts(summary: Summary) -> Parts:
    """What to compare first, then the others that have a word of their own."""
    parts: dict[str, tuple[str, tuple[str, ...]]] = {}
    if summary.steps is not None:
        parts["steps"] = f"step {summary.steps:,}", spellings("steps")
    elif summary.epochs is not None:
        told = "1 epoch" if summary.epochs == 1 else f"{show_number(summary.epochs)} epochs"
        parts["epochs"] = told, ("epoch", "epochs")
    if summary.train_s is not None and "train" not in summary.phases:
        parts["train_s"] = f"training {show_seconds(summary.train_s)}", ("train_s",)
    for name, words in _LOSSES.items():
        if (loss := summary.reported(name)) is not None:
            parts[name] = f"{words} {show_number(loss)}", told_as(name, None)
        elif name in summary.not_finite:
            parts[name] = f"{words} {summary.not_finite[name].partition(' ')[0]}", ()
    if summary.accuracy is not None:
        names = told_as("accuracy", summary.accuracy_of)
        parts["accuracy"] = f"{accuracy_words(summary)} {100 * summary.accuracy:.4g} %", names
    rate = summary.throughput
    if rate is not None:
        average = rate != summary.samples_per_s or rate == summary.samples_per_s_avg
        names = () if average else spellings("samples_per_s")  # an average may be reckoned from others
        parts["samples_per_s"] = f"{show_number(rate)} samples/s{' on average' if average else ''}", names
    if summary.tokens_per_s is not None:
        parts["tokens_per_s"] = f"{show_number(summary.tokens_per_s)} tokens/s", spellings("tokens_per_s")
    for name, value in summary.figures(_LATENCIES).items():
        parts[name] = f"{name.removesuffix('_ms').replace('_', ' ')} {show_number(value)} ms", (name,)
    if summary.inferences_per_s is not None:
        told = f"{show_number(summary.inferences_per_s)} inferences/s"
        parts["inferences_per_s"] = told, ("inferences_per_s",)
    first = str(summary.objective.get("name", ""))
    if first in summary.metrics and first not in parts:
        parts[first] = f"{first} {show_number(summary.metrics[first])}", (first,)
    return [parts[name] for name in sorted(parts, key=lambda name: name != first)]


def nothing_read_words(summary: Summary) -> str | None:
    """How to report figures, for a run that has none."""
    if summary.status != "completed" or summary.metrics or summary.objective.get("name") != "wall_s":
        return None
    return "no figures were read; print them as `name: value`, or call assay.log(name=value)"


def not_finite_words(summary: Summary) -> str | None:
    """A loss that is no longer a number, with what to do about it."""
    lost = [f"the {_LOSSES.get(name, name)} became {where}" for name, where in summary.not_finite.items()]
    return f"{listing(lost)} and did not recover; lower the learning rate, or check the data" if lost else None


def pace_words(summary: Summary) -> str | None:
    """Where the warm-up ended, or that the rate was never steady; None if it was steady from the first report on."""
    pace = summary.pace
    if pace is None or (pace.steady and not pace.left_out_share):
        return None
    change = pace.change or 0.0
    if not pace.steady:
        by = f" by {100 * abs(change):.0f} % through the run" if pace.moves != "wanders" else " to the end"
        return f"never steady: it {pace.moves or 'changes'}{by}"
    rate = summary.samples_per_s_steady
    shown = f" at {show_number(rate)} samples/s" if rate is not None else ""
    since = f" from step {pace.from_step:,.0f} on" if pace.from_step is not None else ""
    by = f"{100 * abs(1 - 1 / (1 + change)):.0f} % {'slower' if change > 0 else 'faster'}"
    left = f"the first {show_seconds(pace.left_out_s or 0.0)} ({100 * (pace.left_out_share or 0.0):.0f} % of training)"
    return f"steady{since}{shown}; {left} were {by} and count as warm-up"


def accuracy_words(summary: Summary) -> str:
    """`test accuracy`: an accuracy always comes with its part of the data, if that is known."""
    part = PARTS.get(summary.accuracy_of or "")
    return f"{part} accuracy" if part else "accuracy"


def rank_words(summary: Summary) -> str | None:
    """Which process is the slowest, and how long the others waited for it."""
    rated = [(row["samples_per_s"], row["rank"]) for row in summary.ranks if "samples_per_s" in row]
    if len(summary.ranks) < 2 or not any(row.keys() & _PRINTED for row in summary.ranks):
        return _busy_words(summary)
    parts = [f"{len(summary.ranks)} ranks"]
    if not rated and (busy := _busy_words(summary)):
        parts = [busy]
    if len(rated) > 1:
        rates = [float(rate) for rate, _ in rated]
        slowest = min(rated)[1]
        slow, fast = show_number(min(rates)), show_number(max(rates))
        even = min(rates) > (1 - _WORTH_SAYING) * max(rates)
        parts.append(
            f"all keep the same pace, {fast} samples/s each"
            if even
            else f"rank {slowest} is the slowest with {slow} samples/s, the fastest has {fast}"
        )
    waits = [(float(row["waiting_s"]), row["rank"]) for row in summary.ranks if "waiting_s" in row]
    longest_s, waited = max(waits, default=(0.0, 0))
    if longest_s >= _WORTH_SAYING * (summary.train_s or summary.wall_s or 1.0):
        # only where several print a figure of the same step is it known who came first
        parts.append(f"rank {waited} waited at least {show_seconds(longest_s)} for the slowest")
    return " · ".join(parts)


def _busy_words(summary: Summary) -> str | None:
    """For ranks that print no figures, how busy each was."""
    known = [(float(row["cpu_s"]), int(row["rank"])) for row in summary.ranks if "cpu_s" in row] or [
        (one.cpu_s, one.rank) for one in summary.parts if one.rank is not None and one.cpu_s is not None
    ]
    if len(known) < 2:
        return None
    (least, _), (most, busiest) = min(known), max(known)
    if least > (1 - _UNEVEN) * most:
        return f"{len(known)} ranks · each used about {show_seconds(most)} of CPU time"
    used = f"rank {busiest} used the most CPU time, {show_seconds(most)}; the least is {show_seconds(least)}"
    return f"{len(known)} ranks · {used}"


#: how the figures of a server begin that was started for a measurement
SERVER = "server_"


def metric_words(summary: Summary) -> Iterator[str]:
    """Every other figure that the program reported, three per line, without those of its server."""
    shown = [f"{name} {value}" for name, value in other_metrics(summary) if not name.startswith(SERVER)]
    for at in range(0, len(shown), _A_LINE):
        yield " · ".join(shown[at : at + _A_LINE])


def other_metrics(summary: Summary) -> list[tuple[str, str]]:
    """(name, value) of what the program reported besides the result."""
    quoted = {name: summary.reported(name) for name in ("loss", "val_loss", "accuracy")}
    again = {other for name in quoted for other in told_as(name, summary.accuracy_of)}
    return [
        (_spelled(name), f"{100 * value:.4g} %" if name.endswith(_SHARES) else show_number(value))
        for name, value in summary.metrics.items()
        if not (name in again and value in quoted.values())
    ]


def _spelled(name: str) -> str:
    """`val_accuracy` is the validation accuracy; any other name stays as the program has it."""
    part, _, rest = name.partition("_")
    return f"{PARTS[part]} {rest}" if part in PARTS and rest in ("accuracy", "loss") else name


def engine_words(measured: Summary) -> str:
    """`onnxruntime, padded`: a way in which a program measured itself."""
    return ", ".join(word for word in (measured.engine, padding_words(measured)) if word)


def padding_words(measured: Summary) -> str:
    padded = measured.value("padded")
    return "" if padded is None else "padded" if padded else "unpadded"


def cost_words(summary: Summary) -> str | None:
    """The cost of measuring."""
    own_s, wall_s = summary.own_cpu_s, summary.wall_s
    if own_s is None or not wall_s:
        return None
    share = f" ({two_digits(100 * own_s / wall_s)} % of a core)" if wall_s >= 2 else ""
    return f"assay itself used {show_seconds(own_s)} of CPU time{share}"


def status_words(summary: Summary) -> str:
    status, wall = summary.status or "described", summary.wall_s
    if summary.how in ("simulated", "validated"):
        status = f"{summary.how}, {status}"
    text = status if wall is None else f"{status} {'for' if status == 'running' else 'after'} {show_seconds(wall)}"
    code = summary.exit_code
    return f"{text}, exit code {code}" if code else text
