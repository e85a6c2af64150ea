"""Lies about what ran: settings that were not in effect, runs that failed or never were, one log under two settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from . import wordings
from . import wordings_others as others
from . import wordings_runs as words
from .layouts import Said
from .page import Page, wrong
from .placing import DISCUSSION, INTRO, OUTPUT, TITLE, Placed
from .spellings import Spelling
from .wordings import filled, pick


def setting(page: Page) -> Placed:
    """The heading, or the sentence before a log, names a value that did not run."""
    group = page.rng.choice(page.experiment.groups)
    value = _untried(page, page.varied)
    seed = page.rng.random()
    if page.rng.random() < 0.5:
        said = _twice(
            seed,
            lambda rng: words.heading(page.varied, group.value, rng),
            lambda rng: words.heading(page.varied, value, rng),
        )
        return Placed(where=TITLE, said=said, group=group, quiet=True)
    template = pick(wordings.SET_HERE, "any", page.voice, page.rng)
    told = [_named(template, page, page.varied, one, seed) for one in (group.value, value)]
    return Placed(where=INTRO, said=Said(true=told[0], false=told[1]), group=group, quiet=True)


def common_setting(page: Page) -> Placed:
    """A setting of all runs that the logs show otherwise."""
    shown = [name for name in page.form.job.shows if name != page.varied and name in words.COLUMN]
    if not shown:
        raise LookupError("no other setting is shown")
    name = page.rng.choice(shown)
    truth = page.experiment.runs[0].settings[name]
    value = _untried(page, name)
    seed = page.rng.random()
    page = replace(page, voice="plain")
    template = page.rng.choice(_COMMON)
    told = [_named(template, page, name, one, seed) for one in (truth, value)]
    return Placed(where=DISCUSSION, said=Said(true=told[0], false=told[1]))


_COMMON = (
    "All runs were done {w}.", "I used {run} in all experiments.", "Every run was trained {w}.",
    "All models were trained {w}.", "Throughout, the runs were done {w}.", "Settings for all runs: {run}.",
)  # fmt: skip


def _named(template: str, page: Page, setting: str, value: float, seed: float) -> str:
    rng = Random(seed)
    fields = {"w": words.done(setting, value, rng), "run": words.noun(setting, value, rng)}
    return page.word(template, fields)


def _twice(seed: float, true: Callable[..., str], false: Callable[..., str]) -> Said:
    return Said(true=true(Random(seed)), false=false(Random(seed)))


def _untried(page: Page, setting: str) -> float:
    """A value that none of the runs has, and no close relative of one."""
    tried = {run.settings.get(setting) for run in page.experiment.runs}
    pool = {
        "batch_size": (24, 48, 96, 160, 320, 640, 768), "lr": (0.3, 0.03, 0.002, 5e-4, 4e-5), "epochs": (7, 15, 25, 30, 50),
        "num_tasks": (2, 6, 12, 32), "seq_len": (96, 384, 768), "concurrency": (2, 24, 48, 128), "num_procs": (3, 6, 16),
        "steps": (700, 1500),
    }[setting]  # fmt: skip
    return page.rng.choice([value for value in pool if value not in tried])


def same_log(page: Page) -> Placed:
    """One log pasted under two settings."""
    single = [group for group in page.experiment.good if len(group.runs) == 1]
    if len(single) < 2:
        raise LookupError("needs two single runs")
    return Placed(where=OUTPUT, said=Said(true="", false=""), group=page.rng.choice(single), quiet=True)


def unseen(page: Page) -> Placed:
    """A figure of a setting that no run of the page has."""
    value = _untried(page, page.varied)
    figure = page.rng.choice(page.figures())
    model = page.experiment.good[-1].values(figure.name)[0]
    spelling = figure.spell(page.rng, model)
    fields = {
        "w": words.with_(page.varied, value, page.rng),
        "run": words.noun(page.varied, value, page.rng),
    }
    true = filled(page.rng.choice((*others.PLANS, *others.DENIALS[:6])), **fields)
    told = spelling.write(wrong(page, figure, model, spelling))
    false = page.word(
        pick(wordings.RESULT_OF, figure.kind, page.voice, page.rng), {"fig": page.noun(figure), "val": told, **fields}
    )
    return Placed(where=DISCUSSION, said=Said(true=true, false=false))


def failed(page: Page) -> Placed:
    """A figure of a run whose log ends in a traceback."""
    group = next(one for one in page.experiment.groups if one.runs[0].failed)
    figure = page.rng.choice([one for one in page.figures() if one.kind in ("accuracy", "time", "rate")])
    model = page.experiment.good[-1].values(figure.name)[0]
    spelling: Spelling = figure.spell(page.rng, model)
    fields = {"w": page.with_(group), "run": page.run(group)}
    true = filled(pick(wordings.FAILED_TRUE, "any", page.voice, page.rng), **fields)
    value = wrong(page, figure, model, spelling)
    false = filled(
        pick(wordings.RESULT_OF, figure.kind, page.voice, page.rng),
        fig=page.noun(figure),
        val=spelling.write(value),
        **fields,
    )
    return Placed(where=DISCUSSION, said=Said(true=true, false=false))
