"""The answer of a comparison of servers over several loads: where each has its knee, and how they differ at each load.

The combination of server and load with the best figure would be no answer: one request at a time waits least, many at
a time produce most.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.comparing.models.base import Model
from assay.text import listing

#: fewer loads make no curve
_FEWEST = 3
#: metrics that these sentences cover
SPOKEN_FOR = (
    "requests_per_s", "prompt_tokens_per_s", "output_tokens_per_s", "total_tokens_per_s", "ttft_", "tpot_", "itl_",
    "e2e_",
)  # fmt: skip


def served_answers(models: Sequence[Model]) -> list[str]:
    """Nothing where no server was tried at several loads."""
    curves = [one for one in models if one.kind == "serving"]
    if not any(len(_loads(one)) >= _FEWEST for one in curves):
        return []
    return [*map(_curve, curves), *_ratios([one for one in models if one.kind == "servers" and one.holds])]


def by_load(models: Sequence[Model]) -> list[Model]:
    """The same models, with those of single loads gathered: a line for each load of two servers."""
    servers = [one for one in models if one.kind == "servers"]
    if len(servers) < _FEWEST:
        return list(models)
    at = next(place for place, one in enumerate(models) if one.kind == "servers")
    others = [one for one in models if one.kind != "servers"]
    return [*others[:at], *_gathered(servers), *others[at:]]


def _gathered(models: Sequence[Model]) -> Iterator[Model]:
    lines: dict[str, list[str]] = {}
    for model in models:
        said: dict[str, list[str]] = {}
        for name, values in model.figures.items():
            if isinstance(values, list):
                pair, _, called = name.rpartition(": ")
                said.setdefault(pair, []).append(_ratio(called, *values))
        for pair, parts in said.items():
            lines.setdefault(pair, []).append(f"{model.figures['load']}: {', '.join(parts)}")
    for pair, says in lines.items():
        one, _, other = pair.partition(" / ")
        title = f"requests of {one} relative to those of {other}, with 95 % intervals"
        yield Model(kind="servers", title=title, holds=True, says=says)
    rest = list(dict.fromkeys(text for model in models for text in model.says if " × " not in text))
    if rest:
        yield Model(kind="servers", title="requests of each server compared", holds=False, says=rest)


def _ratio(called: str, value: float, low: float, high: float) -> str:
    noise = ", could be noise" if low <= 1 <= high else ""
    return f"{called} {value:.3g} × ({low:.3g}–{high:.3g}{noise})"


def _curve(model: Model) -> str:
    """The knee, and the highest load within each limit; the single loads stand further down."""
    knee, *rest = model.says
    limits = rest[: len(rest) - len(_loads(model))]
    server = str(model.figures["server"])
    where = f"on {server[4:]}" if server.startswith("url ") and "," not in server else f"with {server}"
    said = [f"{where}, {knee}" if server else knee, *limits]
    return " ".join(f"{one[:1].upper()}{one[1:]}." for one in said)


def _loads(model: Model) -> Sequence[object]:
    loads = model.figures["loads"]
    return loads if isinstance(loads, list) else []


def _ratios(models: Sequence[Model]) -> Iterator[str]:
    """A sentence for each metric of each pair of servers, over all loads."""
    found: dict[str, dict[str, list[float]]] = {}
    for model in models:
        for name, values in model.figures.items():
            if isinstance(values, list):
                found.setdefault(name, {})[str(model.figures["load"])] = values
    for name, by_load in found.items():
        pair, _, called = name.rpartition(": ")
        one, _, other = pair.partition(" / ")
        ratios = sorted(value for value, _, _ in by_load.values())
        low, high = f"{ratios[0]:.3g}", f"{ratios[-1]:.3g}"
        much = f"{low} ×" if low == high else f"{low} to {high} ×"
        yield f"{called[:1].upper()}{called[1:]}: {one} has {much} that of {other}{_significant(by_load)}."


def _significant(by_load: dict[str, list[float]]) -> str:
    sure = [load for load, (_, low, high) in by_load.items() if low > 1 or high < 1]
    if not sure:
        return ", which could be noise at every load"
    if len(sure) == len(by_load):
        return "; the difference is significant at every load"
    names = {load.rpartition(" ")[0] for load in by_load}
    shown = [load.rpartition(" ")[2] for load in sure] if len(names) == 1 else sure
    at = f"{names.pop().replace('_', ' ')} {listing(shown)}" if len(names) == 1 else listing(shown)
    return f"; the difference is significant at {at}, and could be noise at the other loads"
