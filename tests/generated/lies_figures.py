"""Lies about what came out: figures, ratios, totals, units, winners that noise alone has chosen."""

from __future__ import annotations

from collections.abc import Callable

from . import comparisons, statements, wordings
from . import wordings_runs as words
from .layouts import Said
from .page import Page
from .placing import DISCUSSION, HERE, TABLE, Placed


def misquoted(page: Page) -> Placed:
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


def two_figures(page: Page) -> Placed:
    figure = page.rng.choice(page.figures())
    return Placed(where=DISCUSSION, said=comparisons.from_to(page, figure, lying=True))


def listed(page: Page) -> Placed:
    return Placed(where=DISCUSSION, said=statements.listed(page, page.rng.choice(page.figures()), lying=True))


def budget(page: Page) -> Placed:
    return Placed(where=DISCUSSION, said=comparisons.budget(page, words.FIGURES["loss"], lying=True))


def noise_in_speed(page: Page) -> Placed:
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
    fields = {"a": page.run(a), "b": page.run(b), "set": words.SETTING[page.varied][2]}
    said = page.instead(wordings.NOISE_SPEED_ADMITTED, wordings.NOISE_SPEED_CLAIMED, "any", fields)
    return Placed(where=DISCUSSION, said=said)


def in_table(page: Page) -> Placed:
    return Placed(where=TABLE, said=Said(true="", false=""))


def of(make: Callable[[Page, words.Figure, bool], Said], *kinds: str) -> Callable[[Page], Placed]:
    """A statement about two groups or more, of any figure that they differ in."""

    def made(page: Page) -> Placed:
        figures = [one for one in comparisons.comparable(page) if not kinds or one.kind in kinds]
        if not figures:
            raise LookupError("nothing to compare")
        return Placed(where=DISCUSSION, said=make(page, page.rng.choice(figures), True))

    return made


def total(page: Page) -> Placed:
    return Placed(where=DISCUSSION, said=statements.total(page, lying=True))


def unit(page: Page) -> Placed:
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
        said = page.say(wordings.RESULT_HERE, figure.kind, true, told)
        return Placed(where=HERE, said=said, group=group, figure=figure.name)
    true |= {"w": page.with_(group), "run": page.run(group)}
    return Placed(where=DISCUSSION, said=page.say(wordings.RESULT_OF, figure.kind, true, told))


def noise(page: Page) -> Placed:
    """A winner where repeats of one setting differ as much as the settings."""
    a, b = page.experiment.good[:2]
    values = a.values("accuracy"), b.values("accuracy")
    if min(values[0]) > max(values[1]) or min(values[1]) > max(values[0]):
        raise LookupError("the repeats happen to lie apart")
    if a.mean("accuracy") < b.mean("accuracy"):
        a, b = b, a
    fields = {"a": page.run(a), "b": page.run(b)}
    said = page.instead(wordings.NOISE_ADMITTED, wordings.NOISE_CLAIMED, "accuracy", fields)
    return Placed(where=DISCUSSION, said=said)
