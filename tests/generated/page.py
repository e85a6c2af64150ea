"""What all sentences of a page share, and how a figure is made wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from random import Random

from . import wordings
from . import wordings_runs as words
from .experiments import Experiment, Group
from .formats import Format
from .layouts import Said
from .spellings import Spelling
from .wordings import Table, filled, pick

_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?", re.I)
#: fields that hold figures: set in bold where a page does so
_VALUES = ("val", "va", "vb", "vals", "f", "p", "d")
_RELATIVE = {
    "batch_size": ("the smaller batch", "the larger batch"),
    "lr": ("the lower learning rate", "the higher learning rate"),
    "epochs": ("the shorter training", "the longer training"),
    "seq_len": ("the shorter sequence", "the longer sequence"),
    "concurrency": ("the lower concurrency", "the higher concurrency"),
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
    mark: str = ""  # around figures: ** or `

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
        """`batch size 16`; of two, sometimes `the larger batch`."""
        values = [one.value for one in self.experiment.groups]
        relative = len(values) == 2 and self.varied in _RELATIVE
        if relative and self.rng.random() < 0.12:
            return _RELATIVE[self.varied][group.value == max(values)]
        return words.noun(self.varied, group.value, self.rng)

    def all_runs(self, groups: list[Group]) -> str:
        """`batch sizes 8, 16 and 32`."""
        told = [words.value_of(self.varied, group.value, self.rng) for group in groups]
        listing = ", ".join(told[:-1]) + " and " + told[-1]
        return self.rng.choice(words.PLURAL[self.varied]).format(v=listing)

    def with_(self, group: Group) -> str:
        return words.with_(self.varied, group.value, self.rng)

    def done(self, group: Group) -> str:
        return words.done(self.varied, group.value, self.rng)

    def word(self, template: str, fields: dict[str, str]) -> str:
        """The sentence for the work that its job does."""
        told = {name: self._figure(value) if name in _VALUES else value for name, value in fields.items()}
        return wordings.of_work(filled(template, **told), self.form.job.work)

    def _figure(self, value: str) -> str:
        return f"{self.mark}{value}{self.mark}"

    def say(self, table: Table, kind: str, true: dict[str, str], false: dict[str, str] | None = None) -> Said:
        """One wording, filled twice."""
        template = pick(table, kind, self.voice, self.rng)
        honest = self.word(template, true)
        lying = self.word(template, true | false) if false else honest
        if table in (wordings.RESULT_HERE, wordings.SET_HERE):
            return Said(true=honest, false=lying)
        honest, lying = wordings.adorned((honest, lying), self.voice, self.rng)
        return Said(true=honest, false=lying)

    def instead(self, true: Table, false: Table, kind: str, fields: dict[str, str]) -> Said:
        """What a careful person says, and what a careless one says in its place."""
        told = [self.word(pick(table, kind, self.voice, self.rng), fields) for table in (true, false)]
        return Said(true=told[0], false=told[1])


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


def spelled(page: Page, figure: words.Figure, value: float) -> Spelling:
    spelling = figure.spell(page.rng, value)
    if page.form.job.name == "psrecord" and figure.kind == "memory":  # its MB are what people copy
        spelling = Spelling(write=lambda v: f"{v:.1f} MB", slack=0.003)
    return spelling
