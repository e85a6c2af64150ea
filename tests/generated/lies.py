"""The kinds of lies: which experiment each needs, where it stands, and which findings count as having found it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from . import comparisons, statements, wordings
from . import wordings_runs as words
from .experiments import Group
from .formats import Format
from .layouts import Said
from .page import Page, wrong
from .spellings import Spelling
from .wordings import filled, pick

#: a sentence that stands in the section of a run, in the discussion, in its heading, or a log in place of another
HERE, DISCUSSION, TITLE, INTRO, OUTPUT, TABLE = "here", "discussion", "title", "intro", "output", "table"


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A lie made: where it goes, and the group whose section that is."""

    where: str
    said: Said
    group: Group | None = None
    figure: str = ""  # of which the lie speaks
    quiet: bool = False  # the page says nothing else of its runs, since that would be a second lie


@dataclass(frozen=True, kw_only=True)
class Lie:
    name: str
    codes: frozenset[str]
    make: Callable[[Page], Placed]
    fits: Callable[[Format], bool] = lambda form: True
    repeats: tuple[int, ...] = (1, 1, 1, 2, 3)
    flat: bool = False
    failing: bool = False


def _misquoted(page: Page) -> Placed:
    figure = page.rng.choice(page.figures())
    group = page.rng.choice(page.experiment.good)
    if len(group.runs) == 2 and page.rng.random() < 0.5:
        said = statements.ordinals(page, group, figure, lying=True)
        return Placed(where=HERE, said=said, group=group, figure=figure.name)
    if len(group.runs) == 1 and page.rng.random() < 0.6:
        return Placed(
            where=HERE, said=statements.result_here(page, group, figure, lying=True), group=group, figure=figure.name
        )
    return Placed(where=DISCUSSION, said=statements.result_of(page, group, figure, lying=True))


def _two_figures(page: Page) -> Placed:
    figure = page.rng.choice(page.figures())
    return Placed(where=DISCUSSION, said=comparisons.from_to(page, figure, lying=True))


def _listed(page: Page) -> Placed:
    return Placed(where=DISCUSSION, said=statements.listed(page, page.rng.choice(page.figures()), lying=True))


def _budget(page: Page) -> Placed:
    return Placed(where=DISCUSSION, said=comparisons.budget(page, words.FIGURES["loss"], lying=True))


def _noise_in_speed(page: Page) -> Placed:
    """A learning rate does not change the speed, whatever two averages say."""
    names = [name for name in ("samples_per_s", "seconds") if name in page.form.job.digits]
    a, b = page.experiment.good[:2]
    if page.varied != "lr" or not names:
        raise LookupError("speeds may differ")
    name = page.rng.choice(names)
    if min(a.values(name)) > max(b.values(name)) or min(b.values(name)) > max(a.values(name)):
        raise LookupError("the repeats happen to lie apart")
    better = words.FIGURES[name].better
    if better * a.mean(name) < better * b.mean(name):
        a, b = b, a
    page = page.speaking((wordings.NOISE_SPEED_ADMITTED, "any"))
    fields = {"a": page.run(a), "b": page.run(b), "set": words.SETTING[page.varied][2]}
    said = page.instead(wordings.NOISE_SPEED_ADMITTED, wordings.NOISE_SPEED_CLAIMED, "any", fields)
    return Placed(where=DISCUSSION, said=said)


def _in_table(page: Page) -> Placed:
    return Placed(where=TABLE, said=Said(true="", false=""))


def _of(make: Callable[[Page, words.Figure, bool], Said], *kinds: str) -> Callable[[Page], Placed]:
    """A statement about two groups or more, of any figure that they differ in."""

    def made(page: Page) -> Placed:
        figures = [one for one in comparisons.comparable(page) if not kinds or one.kind in kinds]
        if not figures:
            raise LookupError("nothing to compare")
        return Placed(where=DISCUSSION, said=make(page, page.rng.choice(figures), True))

    return made


def _total(page: Page) -> Placed:
    return Placed(where=DISCUSSION, said=statements.total(page, lying=True))


def _unit(page: Page) -> Placed:
    """The right number with the unit of another size."""
    rng = page.rng
    group = rng.choice(page.experiment.good)
    if len(group.runs) > 1:
        raise LookupError("means are left to others")
    figure = rng.choice([one for one in page.figures() if one.kind in ("time", "latency", "memory")])
    value = group.values(figure.name)[0]
    right, false = rng.choice({
        "time": (("{v:.1f} s", "{v:.1f} minutes"), ("{v:.0f} seconds", "{v:.0f} minutes"), ("{m:.1f} minutes", "{v:.1f} minutes"),
                 ("{v:.1f} s", "{v:.1f} ms"), ("{v:.1f} seconds", "{v:.1f} hours"), ("{v:.1f} s", "{v:.1f} min")),
        "latency": (("{v:.2f} ms", "{v:.2f} s"), ("{v:.2f} ms", "{v:.2f} seconds"), ("{v:.2f} ms", "{v:.2f} µs")),
        "memory": (("{v:.0f} MiB", "{v:.0f} GiB"), ("{g:.1f} GiB", "{g:.1f} MiB"), ("{v:.0f} MB", "{v:.0f} KB")),
    }[figure.kind])  # fmt: skip
    if figure.kind == "memory" and "MB" in right and page.form.job.name != "psrecord":
        right, false = "{v:.0f} MiB", "{v:.0f} GiB"
    true = {"fig": page.noun(figure), "val": right.format(v=value, m=value / 60, g=value / 1024)}
    told = {"val": false.format(v=value, m=value / 60, g=value / 1024)}
    if rng.random() < 0.6:
        page = page.speaking((wordings.RESULT_HERE, figure.kind))
        said = page.say(wordings.RESULT_HERE, figure.kind, true, told)
        return Placed(where=HERE, said=said, group=group, figure=figure.name)
    page = page.speaking((wordings.RESULT_OF, figure.kind))
    true |= {"w": page.with_(group), "run": page.run(group)}
    return Placed(where=DISCUSSION, said=page.say(wordings.RESULT_OF, figure.kind, true, told))


def _setting(page: Page) -> Placed:
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
    page = page.speaking((wordings.SET_HERE, "any"))
    template = pick(wordings.SET_HERE, "any", page.voice, page.rng)
    told = [_named(template, page, page.varied, one, seed) for one in (group.value, value)]
    return Placed(where=INTRO, said=Said(true=told[0], false=told[1]), group=group, quiet=True)


def _common_setting(page: Page) -> Placed:
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
    rng = type(page.rng)(seed)
    fields = {"w": words.done(setting, value, rng, page.voice), "run": words.noun(setting, value, rng, page.voice)}
    return page.word(template, fields)


def _twice(seed: float, true: Callable[..., str], false: Callable[..., str]) -> Said:
    from random import Random

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


def _noise(page: Page) -> Placed:
    """A winner where repeats of one setting differ as much as the settings."""
    a, b = page.experiment.good[:2]
    values = a.values("accuracy"), b.values("accuracy")
    if min(values[0]) > max(values[1]) or min(values[1]) > max(values[0]):
        raise LookupError("the repeats happen to lie apart")
    if a.mean("accuracy") < b.mean("accuracy"):
        a, b = b, a
    page = page.speaking((wordings.NOISE_ADMITTED, "accuracy"), (wordings.NOISE_CLAIMED, "accuracy"))
    fields = {"a": page.run(a), "b": page.run(b)}
    said = page.instead(wordings.NOISE_ADMITTED, wordings.NOISE_CLAIMED, "accuracy", fields)
    return Placed(where=DISCUSSION, said=said)


def _failed(page: Page) -> Placed:
    """A figure of a run whose log ends in a traceback."""
    group = next(one for one in page.experiment.groups if one.runs[0].failed)
    figure = page.rng.choice([one for one in page.figures() if one.kind in ("accuracy", "time", "rate")])
    model = page.experiment.good[-1].values(figure.name)[0]
    page = page.speaking((wordings.FAILED_TRUE, "any"), (wordings.RESULT_OF, figure.kind))
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


def _unseen(page: Page) -> Placed:
    """A figure of a setting that no run of the page has."""
    from . import wordings_others as others

    value = _untried(page, page.varied)
    figure = page.rng.choice(page.figures())
    model = page.experiment.good[-1].values(figure.name)[0]
    page = replace(page, voice="plain") if page.voice in ("de", "es") else page
    spelling = figure.spell(page.rng, model)
    fields = {
        "w": words.with_(page.varied, value, page.rng, page.voice),
        "run": words.noun(page.varied, value, page.rng, page.voice),
    }
    true = filled(page.rng.choice((*others.PLANS, *others.DENIALS[:6])), **fields)
    told = spelling.write(wrong(page, figure, model, spelling))
    false = page.word(
        pick(wordings.RESULT_OF, figure.kind, page.voice, page.rng), {"fig": page.noun(figure), "val": told, **fields}
    )
    return Placed(where=DISCUSSION, said=Said(true=true, false=false))


def _same_log(page: Page) -> Placed:
    """One log pasted under two settings."""
    single = [group for group in page.experiment.good if len(group.runs) == 1]
    if len(single) < 2:
        raise LookupError("needs two single runs")
    return Placed(where=OUTPUT, said=Said(true="", false=""), group=page.rng.choice(single), quiet=True)


def _shows_varied(form: Format) -> bool:
    return all(name in form.job.shows for name in form.job.varies)


def _has(*figures: str) -> Callable[[Format], bool]:
    return lambda form: any(name in form.job.digits for name in figures)


def _lie(name: str, codes: str, make: Callable[[Page], Placed], **more: object) -> Lie:
    return Lie(name=name, codes=frozenset(codes.split()), make=make, **more)  # type: ignore[arg-type]


LIES: dict[str, Lie] = {
    one.name: one
    for one in (
        _lie("misquoted-figure", "misquoted-figure mislabelled-unit no-evidence", _misquoted),
        _lie("misquoted-pair", "misquoted-figure wrong-ranking wrong-arithmetic no-evidence", _two_figures, repeats=(1,)),
        _lie("misquoted-list", "misquoted-figure wrong-ranking wrong-arithmetic no-evidence", _listed, repeats=(1,)),
        _lie("misquoted-in-table", "misquoted-figure wrong-arithmetic no-evidence same-figures", _in_table, repeats=(1,)),
        _lie("wrong-ranking", "wrong-ranking misquoted-figure", _of(comparisons.ranking)),
        _lie("wrong-comparison", "wrong-ranking wrong-arithmetic misquoted-figure conflicting-claims", _of(comparisons.compared)),
        _lie("wrong-ratio", "wrong-arithmetic", _of(comparisons.factor, "rate", "time")),
        _lie("wrong-multiple", "wrong-arithmetic", _of(comparisons.multiple, "rate", "time")),
        _lie("wrong-difference", "wrong-arithmetic misquoted-figure", _of(comparisons.difference, "time", "accuracy")),
        _lie("wrong-scaling", "wrong-arithmetic wrong-ranking", _of(comparisons.scaling, "rate")),
        _lie("wrong-percent", "wrong-arithmetic", _of(comparisons.percent, "rate", "time", "memory")),
        _lie("wrong-total", "wrong-arithmetic misquoted-figure", _total, fits=_has("seconds", "serve_s")),
        _lie("wrong-effect", "wrong-ranking wrong-arithmetic misquoted-figure conflicting-claims", _of(comparisons.effect, "rate")),
        _lie("mislabelled-unit", "mislabelled-unit misquoted-figure", _unit, repeats=(1,), fits=_has("seconds", "serve_s", "ttft_mean_ms", "latency_ms", "memory_mib")),
        _lie("setting-not-in-effect", "setting-not-in-effect", _setting, fits=_shows_varied, repeats=(1, 1, 2)),
        _lie("common-setting", "setting-not-in-effect", _common_setting, fits=lambda form: len(form.job.shows) > 1),
        _lie("within-noise", "within-noise single-seed", _noise, flat=True, repeats=(2, 3, 3), fits=lambda form: "accuracy" in form.job.digits),
        _lie("noise-in-speed", "within-noise single-seed", _noise_in_speed, flat=True, repeats=(2, 3, 3)),
        _lie("unequal-budget", "unequal-budget within-noise", _budget, fits=lambda form: form.job.name in ("cerebras", "language-model")),
        _lie("failed-result", "result-after-failure no-evidence misquoted-figure", _failed, failing=True, repeats=(1, 2), fits=lambda form: form.can_fail),
        _lie("unseen-run", "no-evidence misquoted-figure", _unseen),
        _lie("same-log", "same-figures setting-not-in-effect", _same_log, repeats=(1,)),
    )
}  # fmt: skip
