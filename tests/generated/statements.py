"""True sentences about the figures of runs, and the same sentence made false in one place."""

from __future__ import annotations

from . import spellings, wordings
from . import wordings_runs as words
from .experiments import Group
from .layouts import Said
from .page import Page, spelled, wrong


def result_here(page: Page, group: Group, figure: words.Figure, lying: bool = False) -> Said:
    """A figure of the only run of a section, where it stands."""
    truth = group.values(figure.name)[0]
    spelling = spelled(page, figure, truth)
    false = {"val": spelling.write(wrong(page, figure, truth, spelling))} if lying else None
    return page.say(wordings.RESULT_HERE, figure.kind, {"fig": page.noun(figure), "val": spelling.write(truth)}, false)


def result_of(page: Page, group: Group, figure: words.Figure, lying: bool = False) -> Said:
    """The same anywhere on the page, of a run that the sentence names."""
    if len(group.runs) > 1:
        return average(page, group, figure, lying)
    truth = group.values(figure.name)[0]
    spelling = spelled(page, figure, truth)
    true = {"fig": page.noun(figure), "val": spelling.write(truth), "w": page.with_(group), "run": page.run(group)}
    false = {"val": spelling.write(wrong(page, figure, truth, spelling))} if lying else None
    return page.say(wordings.RESULT_OF, figure.kind, true, false)


def average(page: Page, group: Group, figure: words.Figure, lying: bool = False) -> Said:
    truth = group.mean(figure.name)
    spelling = spelled(page, figure, truth)
    true = {"fig": page.noun(figure), "val": spelling.write(truth), "w": page.with_(group), "run": page.run(group)}
    false = {"val": spelling.write(wrong(page, figure, truth, spelling))} if lying else None
    return page.say(wordings.AVERAGE, "any", true | {"n": str(len(group.runs))}, false)


def total(page: Page, lying: bool = False) -> Said:
    """The seconds of all runs added up."""
    name = "seconds" if "seconds" in page.form.job.digits else "serve_s"
    values = [value for group in page.experiment.good for value in group.values(name)]
    truth = sum(values)
    spelling = spellings.seconds(page.rng, truth)
    false = {"val": spelling.write(wrong(page, words.FIGURES[name], truth, spelling))} if lying else None
    return page.say(wordings.TOTAL, "time", {"n": str(len(values)), "val": spelling.write(truth)}, false)


def listed(page: Page, figure: words.Figure, lying: bool = False) -> Said:
    """All single runs in one sentence; false where two figures are exchanged or one is off."""
    groups = page.experiment.good
    if len(groups) < 2 or any(len(group.runs) > 1 for group in groups):
        raise LookupError("a list is of single runs")
    values = [group.values(figure.name)[0] for group in groups]
    spelling = spelled(page, figure, values[0])
    texts = [spelling.write(value) for value in values]
    true = {"fig": page.noun(figure), "vals": _listing(texts), "runs": page.all_runs(groups)}
    if not lying:
        return page.say(wordings.LISTED, "any", true)
    a, b = page.rng.sample(range(len(values)), 2)
    if abs(values[a] - values[b]) > 0.06 * max(values[a], values[b]) and page.rng.random() < 0.5:
        texts[a], texts[b] = texts[b], texts[a]
    else:
        texts[a] = spelling.write(wrong(page, figure, values[a], spelling))
    return page.say(wordings.LISTED, "any", true, {"vals": _listing(texts)})


def _listing(texts: list[str]) -> str:
    return ", ".join(texts[:-1]) + " and " + texts[-1]


def ordinals(page: Page, group: Group, figure: words.Figure, lying: bool = False) -> Said:
    """`The first run took 12.1 s, the second 13.4 s`, in the section of both."""
    values = group.values(figure.name)
    if len(values) != 2:
        raise LookupError("first and second are said of two")
    spelling = spelled(page, figure, values[0])
    texts = [spelling.write(value) for value in values]
    true = {"fig": page.noun(figure), "va": texts[0], "vb": texts[1]}
    false = None
    if lying:
        name, truth = page.rng.choice((("va", values[0]), ("vb", values[1])))
        false = {name: spelling.write(wrong(page, figure, truth, spelling))}
    return page.say(wordings.ORDINALS, "any", true, false)
