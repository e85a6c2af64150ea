"""What a printed name means: its key, the part of the data, the statistic, the unit, and which way is better.

`Mean TTFT (ms)` is `ttft_mean_ms`, `Val Acc` is `val_accuracy`, and `val_bpb` stays `val_bpb`: a name that the table of
quantities does not know is kept, in lower case with `_` between its words and its unit behind them.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import NamedTuple

from assay.core.numbers import NO_UNIT, RATIO, SHARE, SIZE, TIME, Number, Unit, unit_of
from assay.quantities import BY_NAME, COUNT, RATE, Quantity, named

TRAIN, VAL, TEST = "train", "val", "test"
_PARTS = {
    **dict.fromkeys(("train", "training", "tr"), TRAIN),
    **dict.fromkeys(("val", "valid", "validation", "validating", "dev", "eval", "evaluation", "evaluating"), VAL),
    **dict.fromkeys(("test", "testing"), TEST),
}
#: qualifiers that do not make a known quantity another one
_PLAIN = frozenset(
    (
        "average",
        "avg",
        "mean",
        "current",
        "running",
        "overall",
        "total",
        "final",
        "last",
        "the",
        "a",
        "batch",
        "global",
        "at",
        "end",
    )
)
_ARTICLES = frozenset(("the", "a", "an", "is", "was", "are", "were", "your", "our", "its"))
_EDGES = frozenset(("of", "in", "at", "on", "for", "to", "and", "with", "by", "set", "as", "from", "than", "over"))
_STATISTICS = {
    **dict.fromkeys(("mean", "avg", "average"), "mean"),
    **dict.fromkeys(("median", "p50", "50%", "50th"), "p50"),
    **dict.fromkeys(("p90", "90%", "90th"), "p90"),
    **dict.fromkeys(("p99", "99%", "99th"), "p99"),
}
#: names that only say that something is counted per second: its unit says what
_JUST_RATE = frozenset(("throughput", "rate", "speed", "performance", "bandwidth", "perf"))
_TRAINING_TIME = frozenset(
    ("training", "time", "wall", "clock", "total", "duration", "of", "for", "elapsed", "seconds")
)
#: latencies, by all that they are called, whose mean and percentiles have names of their own
_FAMILIES = {
    **dict.fromkeys(("ttft", "time_to_first_token", "first_token_latency", "time_to_first"), "ttft"),
    **dict.fromkeys(("tpot", "time_per_output_token"), "tpot"),
    **dict.fromkeys(("itl", "inter_token_latency", "inter_token"), "itl"),
    **dict.fromkeys(("e2e", "e2el", "e2e_latency", "request_latency", "end_to_end_latency"), "e2e"),
    **dict.fromkeys(("latency",), "latency"),
}
_UNIT_BEHIND = re.compile(r"^(.{0,160}?)[\s_]{0,4}[(\[]([^()\[\]]{1,24})[)\]]\s{0,4}$")
_COMMA_UNIT = re.compile(r"^(.*?),\s*([^\s,]{1,12})$")
_PER_SECOND = re.compile(r"(?i)^(.*\w)(?:/s(?:ec)?| per second)$")
_COMMENT = re.compile(r"(?i)[(\[,]?\s?\b(?:higher|lower|more|less|larger|smaller|bigger)(?: is| =)? better[)\]]?")
_RATE_INSIDE = re.compile(r"(?i)(?<![\w/])([a-z]{2,12}/s(?:ec)?)(?![\w/])")
_SPLIT = re.compile(r"[^a-z0-9%@+µ]+")
_UNIT_SUFFIX = {"s": TIME, "ms": TIME, "us": TIME, "ns": TIME, "sec": TIME, "seconds": TIME, "secs": TIME,
                "mb": SIZE, "gb": SIZE, "kb": SIZE, "bytes": SIZE, "mib": SIZE, "gib": SIZE, "pct": SHARE}  # fmt: skip
_DOWN = re.compile(
    r"(?:^|_)(?:[a-z0-9]{0,12}loss|wall|[a-z]{0,12}err(?:or)?s?|time|latency|duration|elapsed|ppl|perplexity|bpb|bpc|r?mse|mae|mape|fid|wer|cer|nll|"
    r"ttft|tpot|itl|regret|s|ms|us|ns|bytes|memory|mem|rss|vram|aic|bic|overhead|misses|failed|failures|size|cost|fde|ade|lpips)(?:_|$)"
)
_UP = re.compile(
    r"(?:^|_)(?:acc(?:uracy|uracies|s)?\d{0,2}|(?:p|r|hits?|hr|ndcg)_\d{1,4}|ndcg|mrr|score|reward|return|auc|auroc|f1|precision|recall|map\d{0,4}|iou|dice|bleu|rouge\w{0,6}|per_s|per_sec\w{0,4}|"
    r"throughput|iops|fps|qps|tps|ops|speedup|efficiency|psnr|ssim|r2|mcc|hit_rate|win_rate|success\w{0,8}|utili[sz]ation|mfu|"
    r"tflops|gflops|bandwidth|bw|correct|top_?[15]|kappa|spearman|pearson)(?:_|$)"
)


class Name(NamedTuple):
    """A key, what the values under it are counted in, and what a printed value is multiplied with to be one."""

    key: str
    unit: Unit
    scale: float

    def value(self, number: Number) -> float:
        """A number as a value under this key, also where it was printed in another unit of the same kind."""
        factor = self.scale
        if number.unit != self.unit and number.unit.base == self.unit.base and self.unit.scale:
            factor *= number.unit.scale / self.unit.scale
        if factor == 1.0 or not math.isfinite(number.value):
            return number.value
        return float(f"{number.value * factor:.12g}")


@lru_cache(maxsize=8192)
def name_of(printed: str, unit: Unit = NO_UNIT) -> Name:
    """The key of a printed name whose number has this unit; an empty key where it is no name."""
    text = _COMMENT.sub("", printed).strip(" \t:=*`'\"|#>•-.~,;")
    if ((found := _UNIT_BEHIND.match(text)) and found[1] and (inner := unit_of(found[2]))) or (
        (found := _COMMA_UNIT.match(text)) and (inner := unit_of(found[2]))
    ):
        text, unit = found[1], unit if unit.base else inner
    elif unit.base and (found := _PER_SECOND.match(text)) and not unit.base.endswith("/s"):
        text, unit = found[1], Unit(unit.text + "/s", unit.base + "/s", unit.scale)
    elif not unit.base and "/" in text and (whole := unit_of(text)) is not None and whole.base.endswith("/s"):
        text, unit = "", whole  # `Requests/sec: 442`
    elif not unit.base and (found := _RATE_INSIDE.search(text)) and (whole := unit_of(found[1])) is not None:
        text, unit = text[: found.start()], whole  # `Total img/sec on 4 GPU(s): 1128.8`
    words = _words(text)
    if unit.base.endswith("/s") and (not words or _JUST_RATE.issuperset(set(words) - _PLAIN)):
        return _rate(words, unit)
    known = _known(words, unit)
    if known is not None:
        return known
    if unit.base == TIME and "completion" in words and {"completion", *_TRAINING_TIME}.issuperset(words):
        return Name("wall_s", unit, unit.scale)
    if unit.base == TIME and "training" in words and _TRAINING_TIME.issuperset(words):
        return Name("train_s", unit, unit.scale)
    if not words:
        return Name("time" + unit.suffix if unit.base == TIME else unit.suffix.strip("_"), unit, 1.0)
    key = "_".join(words)
    if words[-1] in _UNIT_SUFFIX and (len(words) > 1) and unit.base in ("", _UNIT_SUFFIX[words[-1]]):
        return Name(key, unit, 1.0)  # as its author named it
    suffix = unit.suffix
    if suffix == "_pct" and _is_share(words[-1]):
        return Name(key, NO_UNIT, 0.01)
    if key.endswith(suffix):
        suffix = ""
    return Name(key + suffix, unit, 1.0)


def _words(text: str) -> list[str]:
    words = [word for word in _SPLIT.split(text.lower().replace("%", "% ")) if word and word not in _ARTICLES]
    while words and words[-1] in _EDGES:
        words.pop()
    while words and words[0] in _EDGES:
        words.pop(0)
    return [word.replace("%", "_pct").replace("@", "_").replace("+", "").strip("_") for word in words if word != "%"]


def _rate(words: list[str], unit: Unit) -> Name:
    """`Throughput: 1.74 requests/s` is requests per second, as is `1.74 requests/s` alone."""
    if unit.base.startswith((SIZE, "bits", "/s")):
        head = "_".join(words) or ("bandwidth" if unit.base != "/s" else "rate")
        return Name(head + unit.suffix, unit, 1.0)
    key = unit.suffix.strip("_")
    known = named(key)
    return Name(known.name if known else key, unit, unit.scale)


def _known(words: list[str], unit: Unit) -> Name | None:
    """The key of a quantity of the table, with its part of the data and its statistic."""
    part, rest = part_of(words)
    for candidate in (rest, [word for word in rest if word not in _PLAIN]):
        if not candidate:
            continue
        slug = "_".join(candidate)
        quantity = None if part and named("_".join(words)) else named(slug)
        if quantity is not None and (_fits(quantity, unit)):
            if part and quantity.name in ("loss", "accuracy"):
                key = f"{part}_{quantity.name}" if part != TRAIN or quantity.name != "loss" else "train_loss"
                return Name(key, *_scaled(quantity, unit))
            if not part:
                return Name(quantity.name, *_scaled(quantity, unit))
    whole = named("_".join(words))
    if whole is not None and _fits(whole, unit):
        return Name(whole.name, *_scaled(whole, unit))
    cut = next((n for n, word in enumerate(words) if word in ("of", "on", "over", "for") and n), 0)
    head = named("_".join(words[:cut])) if cut else None
    if head is not None and head.name in ("loss", "accuracy") and _fits(head, unit):  # `accuracy of the network on …`
        parts = {_PARTS[word] for word in words[cut:] if word in _PARTS}
        return Name(f"{parts.pop()}_{head.name}" if len(parts) == 1 else head.name, *_scaled(head, unit))
    return _latency(words, unit)


def _fits(quantity: Quantity, unit: Unit) -> bool:
    """Whether a number with this unit can be of the quantity: `loss 0.3 s` is no loss, `accuracy 3 ms` none."""
    if not unit.base:
        return True
    if quantity.kind == COUNT or quantity.settable:
        return False
    if quantity.unit == "share":
        return unit.base == SHARE
    if quantity.unit == "s" or (quantity.name.endswith(("_ms", "_s")) and not quantity.name.endswith("_per_s")):
        return unit.base == TIME
    if quantity.unit == "bytes":
        return unit.base == SIZE
    if quantity.kind == RATE:
        return unit.base.endswith("/s") or unit.base in ("flop/s", "flop", SHARE)
    return unit.base in (RATIO, SHARE)


def _scaled(quantity: Quantity, unit: Unit) -> tuple[Unit, float]:
    if quantity.unit == "share":
        return NO_UNIT, 0.01 if unit.base == SHARE else 1.0
    if unit.base == TIME and quantity.name.endswith("_ms"):
        return unit, round(unit.scale * 1e3, 12)
    if unit.base == "flop/s" or unit.base == "flop":
        return unit, unit.scale / 1e12
    return unit, unit.scale if unit.base else 1.0


def _latency(words: list[str], unit: Unit) -> Name | None:
    """`Mean TTFT` in ms, `P99 ITL`, `latency p50`: one statistic of one latency."""
    statistics = [_STATISTICS[word] for word in words if word in _STATISTICS]
    rest = "_".join(word for word in words if word not in _STATISTICS and word != "percentile")
    family = _FAMILIES.get(rest) or _FAMILIES.get(rest.removesuffix("_ms"))
    if family is None or len(statistics) > 1 or (unit.base and unit.base != TIME):
        return None
    statistic = statistics[0] if statistics else "mean"
    key = f"{family}_{statistic}_ms" if family != "latency" or statistic != "mean" else "latency_ms"
    if key not in BY_NAME:
        return None
    if not unit.base and not rest.endswith("_ms") and words[-1] != "ms":
        return None  # in which unit is not known
    return Name(key, unit, round(unit.scale * 1e3, 12) if unit.base else 1.0)


def part_of(words: list[str]) -> tuple[str, list[str]]:
    """(the part of the data that a name says, the other words): `test set accuracy`, `accuracy on the test set`."""
    for at in (0, *range(len(words) - 1, 0, -1)):
        if at < len(words) and (part := _PARTS.get(words[at])) and len(words) > 1:
            rest = words[:at] + words[at + 1 :]
            rest = [
                w
                for n, w in enumerate(rest)
                if not (w in ("set", "data", "dataset") or (w in _EDGES and n + 1 == len(rest)))
            ]
            return part, rest
    return "", words


def part_named(text: str) -> str:
    """The part of the data that a heading or a prefix names: `Validation set:`, `[test]`; empty where it names none."""
    words = [word for word in _SPLIT.split(text.lower()) if word]
    found = {_PARTS[word] for word in words if word in _PARTS}
    return found.pop() if len(found) == 1 and len(words) <= 4 else ""


@lru_cache(maxsize=4096)
def direction(key: str) -> int:
    """1 where more is better, -1 where less is, 0 where that is not known."""
    known = named(key)
    if known is not None:
        return known.better
    if _UP.search(key):
        return 1
    return -1 if _DOWN.search(key) else 0


def _is_share(word: str) -> bool:
    return word.endswith(("accuracy", "acc", "precision", "recall", "f1", "auc", "iou", "dice"))
