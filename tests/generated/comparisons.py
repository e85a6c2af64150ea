"""True sentences about two groups or more, said only where their figures lie apart beyond doubt; and their false twins."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from . import spellings, wordings
from . import wordings_runs as words
from .experiments import Group
from .layouts import Said, same
from .page import Page, spelled, wrong
from .wordings import filled, pick

#: settings of which a rate grows
GROWING = ("batch_size", "num_procs", "num_tasks", "concurrency")
TOP = {
    "accuracy": "highest",
    "loss": "lowest",
    "time": "shortest",
    "rate": "highest",
    "latency": "lowest",
    "memory": "lowest",
}
_MANY = {
    1.5: ("one and a half times", "1.5 times"), 2: ("twice", "two times", "double"), 3: ("three times", "thrice"),
    4: ("four times",), 5: ("five times",), 8: ("eight times",), 10: ("ten times",),
}  # fmt: skip


def two(page: Page, figure: words.Figure) -> tuple[Group, Group]:
    """Two groups whose figures lie apart, the better one first."""
    good = [group for group in page.experiment.good if group.values(figure.name)]
    ordered = sorted(good, key=lambda group: figure.better * group.mean(figure.name), reverse=True)
    pairs = [(a, b) for n, a in enumerate(ordered) for b in ordered[n + 1 :] if apart(figure, a, b)]
    if not pairs:
        raise LookupError(f"no two groups differ in {figure.name}")
    return page.rng.choice(pairs)


def apart(figure: words.Figure, a: Group, b: Group) -> bool:
    """So far from each other that repeats leave no doubt."""
    gap = abs(a.mean(figure.name) - b.mean(figure.name))
    if figure.kind == "accuracy":
        return len(a.runs) > 1 and len(b.runs) > 1 and gap > 0.02
    return gap > 0.12 * max(a.mean(figure.name), b.mean(figure.name))


def comparable(page: Page) -> list[words.Figure]:
    """Figures of which some two groups differ beyond doubt, and which mean the same in each."""
    found = []
    for figure in page.figures():
        if figure.kind == "loss" or (figure.name == "seconds" and page.varied in ("num_tasks", "epochs")):
            continue
        if page.form.job.name in ("cerebras",) and figure.name == "seconds":  # unequal work
            continue
        if page.form.job.name == "language-model" and page.varied == "seq_len":
            continue
        try:
            two(page, figure)
        except LookupError:
            continue
        found.append(figure)
    return found


def factor(page: Page, figure: words.Figure, lying: bool = False) -> Said:
    """`1.5x faster`: of a rate, or of seconds and milliseconds as so many times as long."""
    a, b = two(page, figure)
    kind = "rate" if figure.kind == "rate" else "time"
    ratio = max(a.mean(figure.name), b.mean(figure.name)) / min(a.mean(figure.name), b.mean(figure.name))
    spelling = spellings.factor(page.rng)
    true = {"a": page.run(a), "b": page.run(b), "f": spelling.write(ratio)}
    false = {"f": spelling.write(_wrong_ratio(page, figure, ratio))} if lying else None
    return page.say(wordings.FACTOR, kind, true, false)


def _ratios(page: Page, figure: words.Figure) -> list[float]:
    values = [group.mean(figure.name) for group in page.experiment.good if group.values(figure.name)]
    return [a / b for a in values for b in values if a != b]


def _wrong_ratio(page: Page, figure: words.Figure, truth: float) -> float:
    """Fits neither these two runs nor any other two, whichever way `faster` is read."""
    for _ in range(400):
        value = truth * page.rng.choice((page.rng.uniform(0.45, 0.8), page.rng.uniform(1.25, 2.4)))
        fair = [one + more for one in _ratios(page, figure) for more in (0.0, 1.0, -1.0)]
        if value > 1.15 and all(abs(value - one) > 0.12 * value for one in fair):
            return value
    raise LookupError("no wrong ratio")


def percent(page: Page, figure: words.Figure, lying: bool = False) -> Said:
    """`33 % less time`, `48 % higher throughput`."""
    a, b = two(page, figure)
    better, other = a.mean(figure.name), b.mean(figure.name)
    kind = {"rate": "rate", "memory": "memory"}.get(figure.kind, "time")
    share = {"rate": better / other - 1, "time": 1 - better / other, "memory": other / better - 1}[kind]
    spelling = spellings.percent(page.rng)
    true = {"a": page.run(a), "b": page.run(b), "p": spelling.write(share)}
    false = {"p": spelling.write(_wrong_share(page, figure, share, kind))} if lying else None
    return page.say(wordings.PERCENT, kind, true, false)


def _wrong_share(page: Page, figure: words.Figure, truth: float, kind: str) -> float:
    for _ in range(400):
        value = truth * page.rng.choice((page.rng.uniform(0.3, 0.7), page.rng.uniform(1.4, 2.5)))
        fair = [change for one in _ratios(page, figure) for change in (abs(one - 1), abs(1 - 1 / one))]
        possible = 0.05 < value < (0.95 if kind == "time" else 9.0)
        if possible and all(abs(value - one) > 0.05 + 0.1 * value for one in fair):
            return value
    raise LookupError("no wrong percentage")


def from_to(page: Page, figure: words.Figure, lying: bool = False) -> Said:
    """Both figures; false where they are swapped, or one of them is off."""
    single = [group for group in page.experiment.good if len(group.runs) == 1]
    if len(single) < 2:
        raise LookupError("figures of repeats are told as means")
    a, b = page.rng.sample(single, 2)
    spelling = spelled(page, figure, a.mean(figure.name))
    va, vb = a.mean(figure.name), b.mean(figure.name)
    true = {
        "a": page.run(a),
        "b": page.run(b),
        "va": spelling.write(va),
        "vb": spelling.write(vb),
        "fig": page.noun(figure),
    }
    false = None
    if lying:
        swapped = {"va": true["vb"], "vb": true["va"]}
        off = {"va": spelling.write(wrong(page, figure, va, spelling))}
        false = swapped if page.rng.random() < 0.4 and true["va"] != true["vb"] else off
    return page.say(wordings.FROM_TO, "any", true, false)


def ranking(page: Page, figure: words.Figure, lying: bool = False) -> Said:
    """Which one was best; false where another is named."""
    good = [group for group in page.experiment.good if group.values(figure.name)]
    ordered = sorted(good, key=lambda group: figure.better * group.mean(figure.name), reverse=True)
    if len(ordered) < 2 or not apart(figure, ordered[0], ordered[1]):
        raise LookupError("no clear best")
    seed = page.rng.random()
    rng_a, rng_b = Random(seed), Random(seed)
    true = {
        "a": words.noun(page.varied, ordered[0].value, rng_a),
        "n": str(len(page.experiment.groups)),
        "best": page.rng.choice(figure.best),
        "top": TOP[figure.kind],
        "fig": page.noun(figure),
    }
    other = page.rng.choice(ordered[1:])
    false = {"a": words.noun(page.varied, other.value, rng_b)} if lying else None
    return page.say(wordings.RANKING, "any", true, false)


def compared(page: Page, figure: words.Figure, lying: bool = False) -> Said:
    """`A is faster than B`; false where it is the other way round."""
    a, b = two(page, figure)
    true = {"a": page.run(a), "b": page.run(b), "comp": page.rng.choice(figure.comparative)}
    return page.say(wordings.COMPARED, "any", true, {"a": true["b"], "b": true["a"]} if lying else None)


def multiple(page: Page, figure: words.Figure, lying: bool = False) -> Said:
    """`Twice as fast`, where it is that; false where it is far from it."""
    kind = "rate" if figure.kind == "rate" else "time"
    a, b = two(page, figure)
    ratio = max(a.mean(figure.name), b.mean(figure.name)) / min(a.mean(figure.name), b.mean(figure.name))
    near = [many for many in _MANY if abs(ratio / many - 1) < 0.06]
    far = [many for many in _MANY if all(abs(fair / many - 1) > 0.25 for fair in (ratio, ratio + 1, ratio - 1))]
    far = [many for many in far if many < 6]
    if not near or not far:
        raise LookupError("no round multiple")
    # "double" goes before a noun alone
    true, false = (
        page.rng.choice([one for one in _MANY[page.rng.choice(all_)] if one != "double"]) for all_ in (near, far)
    )
    fields = {"a": page.run(a), "b": page.run(b), "many": true}
    return page.say(wordings.MULTIPLE, kind, fields, {"many": false} if lying else None)


def difference(page: Page, figure: words.Figure, lying: bool = False) -> Said:
    """`12 s longer`, `3.2 points more accurate`."""
    a, b = two(page, figure)
    gap = abs(a.mean(figure.name) - b.mean(figure.name))
    if figure.kind == "accuracy":
        unit = page.rng.choice((" percentage points", " points", " pp"))
        write, least = (lambda value: f"{100 * value:.1f}{unit}"), 0.012
    else:
        write, least = (
            page.rng.choice(((lambda value: f"{value:.1f} s"), (lambda value: f"{value:.0f} seconds"))),
            0.2 * gap,
        )
    values = [group.mean(figure.name) for group in page.experiment.good]
    gaps = [abs(one - other) for one in values for other in values if one != other]
    false = gap
    for _ in range(200):
        false = gap * page.rng.choice((page.rng.uniform(0.3, 0.7), page.rng.uniform(1.4, 2.2)))
        if all(abs(false - one) > least for one in (*gaps, *values)):
            break
    else:
        raise LookupError("no wrong difference")
    fields = {"a": page.run(a), "b": page.run(b), "d": write(gap)}
    return page.say(wordings.DIFFERENCE, figure.kind, fields, {"d": write(false)} if lying else None)


def scaling(page: Page, figure: words.Figure, lying: bool = False) -> Said:
    """`Grows less than linearly`, where twice the setting is far from twice the rate."""
    ordered = sorted(page.experiment.good, key=lambda group: group.value)
    first, last = ordered[0], ordered[-1]
    gain = last.mean(figure.name) / first.mean(figure.name)
    if figure.kind != "rate" or page.varied not in GROWING or not 1.12 < gain < 0.7 * last.value / first.value:
        raise LookupError("no plain scaling")
    said = page.instead(wordings.LINEAR_TRUE, wordings.LINEAR_FALSE, "rate", {"set": words.SETTING[page.varied][2]})
    return said if lying else same(said.true)


def budget(page: Page, figure: words.Figure, lying: bool = False) -> Said:
    """A lower loss after as many steps, of a run that saw more samples at each."""
    ordered = sorted(page.experiment.good, key=lambda group: group.value)
    b, a = ordered[0], ordered[-1]
    if figure.name != "loss" or page.varied != "batch_size" or a.mean("loss") > 0.97 * b.mean("loss"):
        raise LookupError("no lower loss of the larger batch")
    fields = {
        "a": page.run(a),
        "b": page.run(b),
        "k": f"{a.value / b.value:g}",
        "steps": f"{a.runs[0].settings['steps']:g}",
    }
    said = page.instead(wordings.BUDGET_TRUE, wordings.BUDGET_FALSE, "loss", fields)
    return said if lying else same(said.true)


def effect(page: Page, figure: words.Figure, lying: bool = False) -> Said:
    """`Larger batches are faster`, where every step up is one of throughput."""
    ordered = sorted(page.experiment.good, key=lambda group: group.value)
    values = [group.mean(figure.name) for group in ordered]
    if figure.kind != "rate" or page.varied not in GROWING or any(b < 1.12 * a for a, b in pairwise(values)):
        raise LookupError("no plain effect")
    more, less, name = words.SETTING[page.varied]
    fields = {"more": more, "less": less, "set": name}
    seed = page.rng.random()
    honest = pick(wordings.EFFECT, "rate", page.voice, Random(seed))
    if not lying:
        return same(filled(honest, **fields))
    if page.rng.random() < 0.4:
        nothing = pick(wordings.NO_EFFECT, "any", page.voice, Random(seed))
        a, b = page.run(ordered[-1]), page.run(ordered[0])
        return Said(true=filled(honest, **fields), false=filled(nothing, a=a, b=b, fig=page.noun(figure), **fields))
    reverse = pick(wordings.EFFECT_REVERSED, "rate", page.voice, Random(seed))
    return Said(true=filled(honest, **fields), false=filled(reverse, **fields))
