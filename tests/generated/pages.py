"""From a seed: one experiment, an honest page about it, and its twin with a single lie."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from . import wordings
from .building import Builder
from .experiments import Experiment, Run, simulate
from .formats import FORMATS, Format, under_slurm
from .layouts import Block, Layout, Said, render, some_layout
from .lies import LIES, Lie
from .page import Page, printed_numbers


@dataclass(frozen=True, kw_only=True)
class Pair:
    """An honest page and its lying twin, with all that is true of them."""

    seed: int
    lie: Lie
    form: Format
    experiment: Experiment
    voice: str
    blocks: tuple[Block, ...]
    layout: Layout
    said: Said
    naming: str  # whether runs have headings, sentences, both, or stand in one log together
    turned: bool = False  # sections in reverse

    @property
    def runs(self) -> list[Run]:
        """In the order in which their logs stand."""
        groups = self.experiment.groups[::-1] if self.turned else self.experiment.groups
        return [run for group in groups for run in group.runs]

    @property
    def honest(self) -> str:
        return render(list(self.blocks), self.layout, False)

    @property
    def lying(self) -> str:
        return render(list(self.blocks), self.layout, True)


def make(seed: int, kind: str, wording: int = 0) -> Pair:
    """The pair of this seed. An experiment on which the lie cannot be told beyond doubt is drawn again."""
    for attempt in range(200):
        drawn = f"{seed} {kind} {attempt}"
        try:
            return _made(seed, LIES[kind], Random(drawn), Random(f"{drawn} {wording}"))
        except LookupError:
            continue
    raise LookupError(f"no page of kind {kind} from seed {seed}")


def _made(seed: int, lie: Lie, chance: Random, rng: Random) -> Pair:
    """`chance` draws the experiment, `rng` what is said of it."""
    form = chance.choice([form for form in FORMATS.values() if lie.fits(form)])
    repeats = chance.choice(lie.repeats)
    experiment = simulate(form.job, chance, repeats=repeats, flat=lie.flat, failing=lie.failing)
    style = chance.random()
    outputs = {run.number: form.write(run, Random(style), Random(style + run.number)) for run in experiment.runs}
    if form.can_fail and chance.random() < 0.2:
        outputs = {number: under_slurm(text, chance) for number, text in outputs.items()}
    logs = "\n".join(outputs.values())
    voice = rng.choice(wordings.VOICES)
    layout = some_layout(rng)
    page = Page(
        form=form, experiment=experiment, voice=voice, rng=rng, logs=logs, printed=printed_numbers(logs),
        mark=rng.choice(("", "", "", "", "**", "`")) if layout.form in ("md", "ipynb") else "",
    )  # fmt: skip
    placed = lie.make(page)
    builder = Builder(page=page, placed=placed, outputs=outputs, style=style, prompt=layout.prompt)
    blocks = builder.blocks()
    made = Pair(
        seed=seed, lie=lie, form=form, experiment=experiment, voice=voice, blocks=tuple(blocks), layout=layout,
        said=builder.said, naming=builder.naming,
    )  # fmt: skip
    if made.honest == made.lying:
        raise LookupError("the lie reads like the truth")
    return made
