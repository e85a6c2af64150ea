"""The figure of a run that a person would compare first, and why it is that one.

Someone's choice comes first. Then a figure of a test or validation part that was printed once, such a figure at all, an
outcome that is printed apart from the loss (as an evaluation is), the training loss, any other outcome with a known
direction, a rate, a time. Of several alike it is the first: that is where authors print what they look at. A figure of
which nobody knows whether more or less of it is better is none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from assay.core.names import direction, name_of, part_of
from assay.core.numbers import NO_UNIT, unit_of
from assay.quantities import BY_NAME, MACHINE

LOWER, HIGHER = "lower", "higher"
_BETTER = {1: HIGHER, -1: LOWER}
_WISHES = {"min": -1, "lower": -1, "max": 1, "higher": 1}
_UNITS = re.compile(r"_(?:s|ms|us|ns|min|h|pct|bytes|kb|mb|gb|mib|gib|per_s|j|x)$")
_TIME = re.compile(r"(?:^|_)(?:\w*time|latency|duration|elapsed|took|wall)(?:_|$)|_(?:s|ms|us|ns|min|h|ns_op)$")
_RATE = re.compile(r"(?:^|_)(?:per_s\w*|iops|rps|qps|tps|fps|bw|throughput\w*|bandwidth\w*|speed\w*|flops)(?:_|$)")
#: what something cost, how many there were, how far it has come: nobody trains for that
_COST = re.compile(
    r"(?:^|_)(?:time_?steps?$|correct$|fail\w*|misses|mem|memory|\w*bytes|size|overhead|utili[sz]ation|cpu|gpu|rss|vram|params?|cost)(?:_|$)"
)
#: statistics that say how far values lie apart
_SPREAD = re.compile(
    r"(?:^|_)(?:std|stdev|stddev|sd|sigma|var|variable|min|max|slack|range|err|p\d\d?|percentile\w*|\d+th)(?:_|$)"
)
_TRAIN = re.compile(r"(?:^|_)(?:train|training|learn|learning|pretrain)(?:_|$)")
_CHOSEN = re.compile(r"^(?:best|final|mean|avg|average)(?:_|$)|_(?:best|final)(?:_|$)|summary\w*_per_s")
_WHOLE = re.compile(r"^(?:overall|total)(?:_|$)")
_LOSS = re.compile(r"(?:^|_)\w*loss(?:_|$)|(?:^|_)nll(?:_|$)")
_WALL, _LAST = "wall_s", 10
_NOTHING: Mapping[str, int] = {}


@dataclass(frozen=True, kw_only=True)
class Objective:
    """`better` is `lower` or `higher`; empty where someone chose a figure of which nobody knows."""

    name: str
    value: float | None
    better: str
    why: str

    def as_json(self) -> dict[str, str | float]:
        found = {"name": self.name, "value": self.value, "better": self.better, "why": self.why}
        return {name: one for name, one in found.items() if one is not None and one != ""}


def parsed(text: str) -> tuple[str, int]:
    """(name, 1 for more, -1 for less, 0 for as usual) of `val_bpb:min`."""
    name, colon, wish = text.rpartition(":")
    return (name, _WISHES[wish.strip().lower()]) if colon and wish.strip().lower() in _WISHES else (text, 0)


def matching(wanted: str, names: Iterable[str]) -> str | None:
    """The figure that is meant, as it was printed, with its unit behind it or without: `iter_gap` is `iter_gap_ms`."""
    known = list(dict.fromkeys(names))
    if wanted in known:
        return wanted
    word = re.sub(r"[^a-z0-9]+", "_", wanted.lower()).strip("_")
    bare = [name for name in known if word in (name, _UNITS.sub("", name)) or _UNITS.sub("", word) == name]
    if not bare:
        units = (NO_UNIT, *filter(None, map(unit_of, ("ms", "s", "%"))))
        bare = [key for key in dict.fromkeys(name_of(wanted, unit).key for unit in units) if key in known]
    return bare[0] if len(bare) == 1 else None


def close_to(wanted: str, names: Iterable[str]) -> list[str]:
    """Figures that may have been meant."""
    return get_close_matches(wanted, list(names), n=3)


def is_pace(name: str) -> bool:
    """Whether a figure is a rate or a time, which does not depend on how long a run was."""
    return _RATE.search(name) is not None or _TIME.search(name) is not None


def better_of(name: str, wish: int = 0) -> str:
    return _BETTER.get(wish or direction(name), "")


def objective_of(
    figures: Mapping[str, float],
    printed: Mapping[str, int] = _NOTHING,
    beside_loss: Collection[str] = (),
    *,
    lost: Collection[str] = (),
    asked: str | None = None,
) -> Objective | None:
    """`printed` is how often each figure was, `beside_loss` are those on a line with the training loss, and `lost` are
    losses that became NaN. None where nothing was measured."""
    if asked is not None:
        wanted, wish = parsed(asked)
        name = matching(wanted, figures)
        return None if name is None else Objective(
            name=name, value=figures[name], better=better_of(name, wish), why="you chose it"
        )  # fmt: skip
    best: tuple[tuple[int, ...], str, str] | None = None
    for at, name in enumerate([*figures, *(name for name in lost if name not in figures)]):
        rank, why = _rank(name, printed.get(name, 1), beside_loss=name in beside_loss)
        if rank and _SPREAD.search(name) and name not in BY_NAME:
            rank = (_LAST, *rank)
        if rank and (best is None or (*rank, at) < best[0]):
            best = (*rank, at), name, why
    if best is None:
        return None
    return Objective(name=best[1], value=figures.get(best[1]), better=better_of(best[1]), why=best[2])


def _rank(name: str, times: int, *, beside_loss: bool) -> tuple[tuple[int, ...], str]:
    """(what comes first, why); nothing for a figure that is no objective."""
    known = BY_NAME.get(name)
    if name == _WALL:
        return (9,), "no other figure was read"
    way = direction(name)
    if not way or (known is not None and known.kind == MACHINE) or _COST.search(name):
        return (), ""
    part, _ = part_of(name.split("_"))
    part = "train" if _TRAIN.search(name) else part
    chosen = 0 if _WHOLE.search(name) else 1 if _CHOSEN.search(name) else 2
    if _RATE.search(name):
        return (7, known is None, part == "train", chosen), "a rate, and no outcome was read"
    if _TIME.search(name):
        return (8, chosen), "a time, and no outcome or rate was read"
    is_loss = 1 if _LOSS.search(name) else 0
    which = {"test": "the test set", "val": "validation data"}.get(part)
    if which is not None:
        tier, how = (1, "printed once, ") if times == 1 else (2, "")
        return (tier, is_loss, part != "test", chosen), f"{how}measured on {which}"
    if _is_training_loss(name):
        return (4, name != "loss"), "the training loss"
    if part != "train" and not beside_loss and not is_loss:
        why = "an outcome that was printed once" if times == 1 else "an outcome that is printed apart from the loss"
        return (3, times > 1, chosen), why
    return (5 if part != "train" else 6, is_loss, chosen), "an outcome, and no other was read"


def _is_training_loss(name: str) -> bool:
    return name in ("loss", "train_loss")
