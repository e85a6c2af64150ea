"""Puts the page of an experiment together, block by block, with the lie in its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random

from . import comparisons, statements, wordings, wordings_others
from . import wordings_runs as words
from .experiments import Group, Run
from .formats import command_of
from .layouts import Block, Grid, Heading, Log, Said, Text, same
from .page import Page, wrong
from .placing import DISCUSSION, HERE, INTRO, OUTPUT, TABLE, TITLE, Placed
from .wordings import pick


@dataclass(kw_only=True)
class Builder:
    """Puts sections together: what is said before and after each log, a table, a discussion."""

    page: Page
    placed: Placed
    outputs: dict[int, str]
    style: float
    prompt: str | None

    def __post_init__(self) -> None:
        self.said = self.placed.said
        rng = self.page.rng
        # one page introduces all of its runs alike, and writes on the same side of each log
        naming = {TITLE: "heading", INTRO: "sentence"}.get(self.placed.where)
        apart = self.placed.where not in (DISCUSSION, TABLE)
        self.naming = naming or rng.choice(
            ("heading", "heading", "sentence", "both", *(() if apart else ("together",)))
        )
        self.text_first = rng.random() < 0.3

    def blocks(self) -> list[Block]:
        page, rng = self.page, self.page.rng
        title: list[Block] = [Heading(level=1, text=same(rng.choice(page.form.titles)))]
        opening = [same(self._bystander()) for _ in range(rng.choice((0, 1, 2)))]
        intro: list[Block] = [Text(sentences=tuple(opening))] if opening else []
        sections = self._together() if self.naming == "together" else self._sections()
        closing = self._closing()
        if closing and rng.random() < 0.2 and self.placed.where in (DISCUSSION, TABLE):
            return [*title, *intro, *closing, *sections]
        return [*title, *intro, *sections, *closing]

    def _sections(self) -> list[Block]:
        return [block for group in self.page.experiment.groups for block in self._section(group)]

    def _together(self) -> list[Block]:
        """One session in which all runs stand below each other, each under its command."""
        page, rng = self.page, self.page.rng
        told = rng.choice(_SESSIONS).format(runs=page.all_runs(list(page.experiment.groups)))
        logs = [self._log(group, run) for group in page.experiment.groups for run in group.runs]
        prompt = self.prompt or "$ "
        rest = [f"{prompt}{log.command}\n{log.output.true}" for log in logs[1:]]
        output = "\n".join([logs[0].output.true, *rest])
        if self.prompt is None:  # a session shows what was typed
            return [Text(sentences=(same(told),)), Log(command="", output=same(f"{prompt}{logs[0].command}\n{output}"))]
        return [Text(sentences=(same(told),)), Log(command=logs[0].command, output=same(output))]

    def _section(self, group: Group) -> list[Block]:
        page, rng = self.page, self.page.rng
        before = self._named(group)
        own = self.placed.group is group
        here: list[Said] = []
        about = self.placed.figure if own else ""
        if own and self.placed.where == HERE:
            here.append(self.placed.said)
        if len(group.runs) == 1 and not group.runs[0].failed and not (own and self.placed.quiet):
            for figure in rng.sample(page.figures(), min(len(page.figures()), rng.choice((0, 1, 1, 2)))):
                if figure.name != about:
                    here.append(statements.result_here(page, group, figure))
        if len(group.runs) == 2 and not own and rng.random() < 0.4:
            here.append(statements.ordinals(page, group, rng.choice(page.figures())))
        if rng.random() < 0.15:
            here.insert(rng.randrange(len(here) + 1), same(self._bystander()))
        logs = [self._log(group, run) for run in group.runs]
        told: list[Block] = [Text(sentences=tuple(here), listed=len(here) > 1 and rng.random() < 0.25)] if here else []
        return [*before, *told, *logs] if self.text_first else [*before, *logs, *told]

    def _named(self, group: Group) -> list[Block]:
        """The heading or the sentence that says which run this is."""
        page, rng = self.page, self.page.rng
        own = self.placed.group is group
        if own and self.placed.where == TITLE:
            return [Heading(level=2, text=self.placed.said)]
        if own and self.placed.where == INTRO:
            return [Text(sentences=(self.placed.said,))]
        head: list[Block] = [Heading(level=2, text=same(words.heading(page.varied, group.value, rng)))]
        template = pick(wordings.SET_HERE, "any", page.voice, rng)
        sentence = page.word(template, {"w": page.done(group), "run": page.run(group)})
        told: list[Block] = [Text(sentences=(same(sentence),))]
        return {"heading": head, "sentence": told, "both": [*head, *told]}[self.naming]

    def _log(self, group: Group, run: Run) -> Log:
        output = same(self.outputs[run.number])
        if self.placed.where == OUTPUT and self.placed.group is group:
            others = [one for one in self.page.experiment.good if one is not group]
            output = Said(true=output.true, false=self.outputs[self.page.rng.choice(others).runs[0].number])
            self.said = Said(true="(the log of the run)", false="(the log of another run)")
        return Log(command=command_of(self.page.form, run, Random(self.style)), output=output)

    def _closing(self) -> list[Block]:
        rng = self.page.rng
        sentences = [] if self.placed.quiet else self._true_ones(rng.choice((0, 1, 1, 2, 3)))
        if self.placed.where == DISCUSSION:
            sentences.insert(rng.randrange(len(sentences) + 1), self.placed.said)
        if rng.random() < 0.4:
            sentences.insert(rng.randrange(len(sentences) + 1), same(self._bystander()))
        single = all(len(group.runs) == 1 for group in self.page.experiment.groups)
        wanted = self.placed.where == TABLE or (single and not self.placed.quiet and rng.random() < 0.25)
        grid = self._grid() if wanted else None
        told: list[Block] = (
            [Text(sentences=tuple(sentences), listed=len(sentences) > 1 and rng.random() < 0.25)] if sentences else []
        )
        body = [*([grid] if grid else []), *told]
        if not body:
            return []
        title = rng.choice(("Discussion", "Results", "Summary", "Conclusion", "What I observed", "Comparison"))
        return [Heading(level=2, text=same(title)), *body]

    def _true_ones(self, count: int) -> list[Said]:
        """Other sentences of the discussion, of whatever can truly be said."""
        page, rng = self.page, self.page.rng
        ways: list[Callable[[], Said]] = []
        for figure in comparisons.comparable(page):
            of_all = [comparisons.ranking, comparisons.compared, comparisons.effect]
            of_speeds = [comparisons.factor, comparisons.percent, comparisons.multiple, comparisons.scaling]
            ways += [
                partial(say, page, figure) for say in of_all + (of_speeds if figure.kind in ("rate", "time") else [])
            ]
            ways += [partial(comparisons.difference, page, figure)] if figure.kind in ("time", "accuracy") else []
        for figure in page.figures():
            ways += [partial(comparisons.from_to, page, figure), partial(statements.listed, page, figure)]
            ways.append(partial(statements.result_of, page, rng.choice(page.experiment.good), figure))
        if {"seconds", "serve_s"} & set(page.form.job.digits) and len(page.experiment.good) == len(
            page.experiment.groups
        ):
            ways.append(partial(statements.total, page))
        found: list[Said] = []
        for way in rng.sample(ways, len(ways)):
            if len(found) == count:
                break
            try:
                said = way()
            except LookupError:
                continue
            if said.true != self.placed.said.true:
                found.append(said)
        return found

    def _grid(self) -> Grid:
        """A table of the groups; in a lying one a cell is off."""
        page, rng = self.page, self.page.rng
        figures = rng.sample(page.figures(), min(len(page.figures()), rng.choice((1, 2, 3))))
        if any(len(group.runs) > 1 for group in page.experiment.good):
            raise LookupError("a table of means is left to others")
        groups = page.experiment.good
        cells = {
            (group.value, figure.name): same(_cell(figure, group.values(figure.name)[0]))
            for group in groups
            for figure in figures
        }
        if self.placed.where == TABLE:
            group, figure = rng.choice(groups), rng.choice(figures)
            truth = group.values(figure.name)[0]
            near = figure.spell(Random(1), truth)
            false = _cell(figure, wrong(page, figure, truth, near))
            self.said = cells[group.value, figure.name] = Said(true=_cell(figure, truth), false=false)
        rows = tuple(
            (
                same(words.value_of(page.varied, group.value, Random(0))),
                *(cells[group.value, figure.name] for figure in figures),
            )
            for group in groups
        )
        header = (words.COLUMN[page.varied], *(_column(page, figure) for figure in figures))
        captions = ("Table 1: Results of all runs.", "Table: what I measured", "All results at a glance:", "", "", "")
        return Grid(header=header, rows=rows, caption=rng.choice(captions))

    def _bystander(self) -> str:
        page, rng = self.page, self.page.rng
        tried = {group.value for group in page.experiment.groups}
        new = [value for value in _UNTRIED[page.varied] if value not in tried]
        value = rng.choice(new)
        kept = [
            words.SETTING[name][2] for name in page.form.job.common if name != page.varied and name in words.SETTING
        ]
        fields = {
            "w": words.done(page.varied, value, rng),
            "run": words.noun(page.varied, value, rng),
            "v": words.value_of(page.varied, value, rng),
            "acc": f"{rng.uniform(80, 99):.1f}%",
            "min": str(rng.randrange(12, 90)),
            "kept": rng.choice(kept) if kept else "optimizer",
        }
        return wordings_others.bystander(rng, fields)


_SESSIONS = (
    "I tried {runs}, one after the other:", "Here is the whole session with {runs}.", "Runs with {runs}:",
    "The following shows the output for {runs}.", "Output ({runs}):",
)  # fmt: skip
_UNTRIED: dict[str, tuple[float, ...]] = {
    "batch_size": (24, 48, 96, 192, 4096), "lr": (0.5, 0.02, 0.0005), "epochs": (50, 100, 60), "num_tasks": (2, 32, 64),
    "seq_len": (1024, 384), "concurrency": (2, 128, 256), "num_procs": (16, 32),
}  # fmt: skip


def _column(page: Page, figure: words.Figure) -> str:
    unit = {"time": " (s)", "rate": " (samples/s)", "latency": " (ms)", "memory": " (MiB)", "accuracy": " (%)"}.get(
        figure.kind, ""
    )
    if "tokens" in figure.name:
        unit = " (tokens/s)"
    return figure.nouns[0].removesuffix(" on the CPU") + unit if figure.name != "latency_ms" else "CPU latency (ms)"


def _cell(figure: words.Figure, value: float) -> str:
    return {
        "accuracy": f"{100 * value:.2f}",
        "loss": f"{value:.4f}",
        "rate": f"{value:.1f}",
        "latency": f"{value:.2f}",
    }.get(figure.kind, f"{value:.1f}")
