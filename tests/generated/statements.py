"""True sentences about an experiment, and the same sentence made false in one place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise
from random import Random

from . import spellings, wordings
from . import wordings_runs as words
from .experiments import Experiment, Group
from .formats import Format
from .layouts import Said, same
from .spellings import Spelling
from .wordings import Table, filled, pick

_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?", re.I)
#: settings of which a rate grows
GROWING = ("batch_size", "num_procs", "num_tasks", "concurrency")
#: what one may compare without repeats: differences of these are far beyond their noise
SPEEDS = ("samples_per_s", "tokens_per_s", "output_tokens_per_s", "seconds", "serve_s", "latency_ms")
_VALUES = ("val", "va", "vb", "f", "p")
TOP = {
    "accuracy": "highest",
    "loss": "lowest",
    "time": "shortest",
    "rate": "highest",
    "latency": "lowest",
    "memory": "lowest",
}


@dataclass(frozen=True, kw_only=True)
class Page:
    """What all sentences of a page share: the experiment, the voice, the numbers that stand in its logs."""

    form: Format
    experiment: Experiment
    voice: str
    rng: Random
    logs: str
    printed: tuple[float, ...] = field(default=())

    @property
    def varied(self) -> str:
        return self.experiment.varied

    def figures(self) -> list[words.Figure]:
        return [words.FIGURES[name] for name in self.form.job.digits if name in words.FIGURES]

    def noun(self, figure: words.Figure) -> str:
        """What the figure is of; an accuracy on the validation set is called that."""
        name = self.rng.choice(figure.nouns)
        if figure.name == "accuracy" and self.form.accuracy == "validation":
            return self.rng.choice(("validation accuracy", "eval accuracy", "accuracy on the validation set"))
        return name

    def run(self, group: Group) -> str:
        return words.noun(self.varied, group.value, self.rng, self.voice)

    def with_(self, group: Group) -> str:
        return words.with_(self.varied, group.value, self.rng, self.voice)

    def done(self, group: Group) -> str:
        return words.done(self.varied, group.value, self.rng, self.voice)

    def speaking(self, *tables: tuple[Table, str]) -> Page:
        """In the voice of the page, or in English where its language lacks these sentences."""
        lacks = any(wordings.foreign(table, kind, self.voice) for table, kind in tables)
        return replace(self, voice="plain") if lacks or not words.speaks(self.voice, self.varied) else self

    def word(self, template: str, fields: dict[str, str]) -> str:
        told = {
            name: wordings.translated(value, self.voice) if name in _VALUES else value for name, value in fields.items()
        }
        return wordings.of_work(filled(template, **told), self.form.job.work)

    def say(self, table: Table, kind: str, true: dict[str, str], false: dict[str, str] | None = None) -> Said:
        """One wording, filled twice."""
        template = pick(table, kind, self.voice, self.rng)
        honest = self.word(template, true)
        return Said(true=honest, false=self.word(template, true | false) if false else honest)


def printed_numbers(logs: str) -> tuple[float, ...]:
    return tuple({float(one.replace(",", "")) for one in _NUMBER.findall(logs)})


def wrong(page: Page, figure: words.Figure, truth: float, spelling: Spelling) -> float:
    """A value that no fair reader takes for the truth, and that nothing else in the logs shows."""
    rng = page.rng
    for _ in range(400):
        value = _other(figure, truth, rng)
        apart = abs(value - truth)
        least = 0.008 + 2 * spelling.slack if figure.kind == "accuracy" else truth * (0.05 + 2 * spelling.slack)
        if apart > least and spelling.write(value) != spelling.write(truth) and not _stands(page, value, spelling):
            return value
    raise LookupError(f"no wrong value for {figure.name} {truth}")


def _other(figure: words.Figure, truth: float, rng: Random) -> float:
    if figure.kind == "accuracy":
        digits = list(f"{100 * truth:.2f}".replace(".", ""))
        if rng.random() < 0.5:  # two digits swapped, as a tired person types
            place = rng.randrange(len(digits) - 1)
            digits[place], digits[place + 1] = digits[place + 1], digits[place]
            swapped = int("".join(digits)) / 10_000
            if 0.3 < swapped < 0.999:
                return swapped
        return min(0.9987, max(0.3, truth + rng.choice((-1, 1)) * rng.uniform(0.01, 0.05)))
    return truth * rng.choice((rng.uniform(0.6, 0.92), rng.uniform(1.09, 1.7)))


def _stands(page: Page, value: float, spelling: Spelling) -> bool:
    """Some number of the logs, in whatever unit, would make the wrong value right."""
    near = spelling.slack + 0.004
    scales = (1.0, 0.01, 100.0, 60.0, 1 / 60, 1000.0, 0.001, 1024.0, 1 / 1024)
    return any(abs(printed * scale - value) <= near * value for printed in page.printed for scale in scales)


def _figure_spelling(page: Page, figure: words.Figure, value: float) -> Spelling:
    spelling = figure.spell(page.rng, value)
    if page.form.job.name == "psrecord" and figure.kind == "memory":  # its MB are what people copy
        spelling = Spelling(write=lambda v: f"{v:.1f} MB", slack=0.003)
    return spelling


def result_here(page: Page, group: Group, figure: words.Figure, lying: bool = False) -> Said:
    """A figure of the only run of a section, where it stands."""
    page = page.speaking((wordings.RESULT_HERE, figure.kind))
    truth = group.values(figure.name)[0]
    spelling = _figure_spelling(page, figure, truth)
    false = {"val": spelling.write(wrong(page, figure, truth, spelling))} if lying else None
    return page.say(wordings.RESULT_HERE, figure.kind, {"fig": page.noun(figure), "val": spelling.write(truth)}, false)


def result_of(page: Page, group: Group, figure: words.Figure, lying: bool = False) -> Said:
    """The same anywhere on the page, of a run that the sentence names."""
    if len(group.runs) > 1:
        return average(page, group, figure, lying)
    page = page.speaking((wordings.RESULT_OF, figure.kind))
    truth = group.values(figure.name)[0]
    spelling = _figure_spelling(page, figure, truth)
    true = {"fig": page.noun(figure), "val": spelling.write(truth), "w": page.with_(group), "run": page.run(group)}
    false = {"val": spelling.write(wrong(page, figure, truth, spelling))} if lying else None
    return page.say(wordings.RESULT_OF, figure.kind, true, false)


def average(page: Page, group: Group, figure: words.Figure, lying: bool = False) -> Said:
    page = page.speaking((wordings.AVERAGE, "any"))
    truth = group.mean(figure.name)
    spelling = _figure_spelling(page, figure, truth)
    true = {"fig": page.noun(figure), "val": spelling.write(truth), "w": page.with_(group), "run": page.run(group)}
    false = {"val": spelling.write(wrong(page, figure, truth, spelling))} if lying else None
    return page.say(wordings.AVERAGE, "any", true | {"n": str(len(group.runs))}, false)


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
    page = page.speaking((wordings.FACTOR, kind))
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
    page = page.speaking((wordings.PERCENT, kind))
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
    page = page.speaking((wordings.FROM_TO, "any"))
    single = [group for group in page.experiment.good if len(group.runs) == 1]
    if len(single) < 2:
        raise LookupError("figures of repeats are told as means")
    a, b = page.rng.sample(single, 2)
    spelling = _figure_spelling(page, figure, a.mean(figure.name))
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
    page = page.speaking((wordings.RANKING, "any"))
    good = [group for group in page.experiment.good if group.values(figure.name)]
    ordered = sorted(good, key=lambda group: figure.better * group.mean(figure.name), reverse=True)
    if len(ordered) < 2 or not apart(figure, ordered[0], ordered[1]):
        raise LookupError("no clear best")
    seed = page.rng.random()
    rng_a, rng_b = Random(seed), Random(seed)
    true = {
        "a": words.noun(page.varied, ordered[0].value, rng_a, page.voice),
        "n": str(len(page.experiment.groups)),
        "best": page.rng.choice(figure.best),
        "top": TOP[figure.kind],
        "fig": page.noun(figure),
    }
    other = page.rng.choice(ordered[1:])
    false = {"a": words.noun(page.varied, other.value, rng_b, page.voice)} if lying else None
    return page.say(wordings.RANKING, "any", true, false)


def compared(page: Page, figure: words.Figure, lying: bool = False) -> Said:
    """`A is faster than B`; false where it is the other way round."""
    page = page.speaking((wordings.COMPARED, "any"))
    a, b = two(page, figure)
    true = {"a": page.run(a), "b": page.run(b), "comp": page.rng.choice(figure.comparative)}
    return page.say(wordings.COMPARED, "any", true, {"a": true["b"], "b": true["a"]} if lying else None)


def total(page: Page, lying: bool = False) -> Said:
    """The seconds of all runs added up."""
    name = "seconds" if "seconds" in page.form.job.digits else "serve_s"
    values = [value for group in page.experiment.good for value in group.values(name)]
    truth = sum(values)
    spelling = spellings.seconds(page.rng, truth)
    false = {"val": spelling.write(wrong(page, words.FIGURES[name], truth, spelling))} if lying else None
    return page.say(wordings.TOTAL, "time", {"n": str(len(values)), "val": spelling.write(truth)}, false)


def effect(page: Page, figure: words.Figure, lying: bool = False) -> Said:
    """`Larger batches are faster`, where every step up is one of throughput."""
    page = page.speaking((wordings.EFFECT, "rate"))
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
