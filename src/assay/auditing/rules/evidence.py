"""`no-evidence`: a setting, a figure or an effect that nothing in the source shows."""

from __future__ import annotations

from collections.abc import Iterator

from assay.auditing import language
from assay.auditing.case import Case, Run, Sentence
from assay.auditing.language import metrics_of
from assay.auditing.meant import FIELDS, PARALLEL, figure_of
from assay.auditing.rules.unshown import check as check_unshown
from assay.core.commandline import flags_of_command
from assay.ingest.statements import Statement, statements
from assay.language.cues import follows, has
from assay.model.finding import NOTE, Finding
from assay.model.values import Setting

CODE = "no-evidence"
_STARTERS = frozenset(
    {"sbatch", "srun", "salloc", "qsub", "mpirun", "mpiexec", "torchrun", "poprun", "python", "python3"}
)
_DONE_WITHIN = 8  # words from who did it to what was done
_SHOWN = {
    "accuracy": "accuracy",
    "loss": "loss",
    "samples_per_s": "rate",
    "samples_per_s_avg": "rate",
    "train_s": "time",
    "reported_s": "time",
    "wall_s": "time",
    "cpu_pct_mean": "CPU load",
    "rss_bytes_mean": "memory",
    "latency_ms": "latency",
}


_ROUNDED = 0.0005


def check(case: Case) -> Iterator[Finding]:
    told: dict[str, list[Run]] = {}
    unseen: dict[str, list[tuple[Run, str]]] = {}
    for run in case.runs:
        if run.is_prose and any(_is_of(run, log) for log in case.beside):
            continue
        if run.is_prose:
            told.setdefault(run.source, []).append(run)
        elif not run.is_fresh and run.summary.status != "failed":  # what failed shows its failure
            missing = [(run, name) for name in _unseen(case, run)]
            unseen.setdefault(run.source, []).extend(missing)
    for runs in told.values():
        yield _only_told(runs)
    for missing in unseen.values():
        if missing:
            yield _not_shown(missing)
    yield from _sentences(case)
    yield from check_unshown(case)


def repeats(told: Run, log: Run) -> bool:
    """The page tells what a log beside it shows, to the digits that it gives."""
    known = [(value, log.value(name)) for name in _SHOWN if (value := told.value(name)) is not None]
    return bool(known) and all(shown and abs(value - shown) <= _ROUNDED * abs(shown) for value, shown in known)


def _is_of(told: Run, log: Run) -> bool:
    """Whether the page has a log, or a recorded run that may be meant; other rules then check its sentences."""
    if not log.is_fresh:
        return repeats(told, log) and not contradicts(told, log)
    figures = [name for name in _SHOWN if told.value(name) is not None]
    differs = any(log.settings.get(name, value) != value for name, value in told.claims.items())
    return bool(figures) and not differs and all(_has_such(log, _SHOWN[name]) for name in figures)


def _has_such(log: Run, kind: str) -> bool:
    """Whether the run has a figure of this kind, under whatever name."""
    metric = {"CPU load": "cpu"}.get(kind, kind)
    return any(figure_of(log, field) is not None for field, _ in FIELDS[metric])


def contradicts(told: Run, log: Run) -> list[str]:
    """Settings that the page gives another value than the log."""
    return [name for name, value in told.claims.items() if log.params.get(name, value) != value]


def _only_told(runs: list[Run]) -> Finding:
    names = [words for name, words in _SHOWN.items() if any(run.value(name) is not None for run in runs)]
    count = f"{len(runs)} runs" if len(runs) > 1 else "a run"
    return Finding(
        code=CODE,
        severity=NOTE,
        message=f"no log was found for {count} quoted here ({', '.join(dict.fromkeys(names))})",
        hint="keep the log beside the page, or record the run: assay run -- COMMAND",
        source=runs[0].source,
        evidence=tuple(run.whole() for run in runs),
        run=runs[0].id if len(runs) == 1 else None,
    )


def _unseen(case: Case, run: Run) -> list[str]:
    """Settings that are claimed of a run whose log shows nothing of them; a flag on its own command line shows them."""
    shown = case.once(_params)[run.source, run.lines]
    unseen = [name for name in run.claims if name not in shown and not _on_command(run, name)]
    return [name for name in unseen if not _is_a_command(run.claim(name).text)]


def _is_a_command(text: str) -> bool:
    """A line of a launch script that the log shows: `+sbatch --ntasks 4 train.sh`."""
    return next(iter(text.lstrip("+> $").split()), "") in _STARTERS


def _params(case: Case) -> dict[tuple[str, tuple[int, int]], set[str]]:
    """What the lines of a run show; devices of one table share them."""
    found: dict[tuple[str, tuple[int, int]], set[str]] = {}
    for run in case.runs:
        found.setdefault((run.source, run.lines), set()).update(run.params)
    return found


def _not_shown(missing: list[tuple[Run, str]]) -> Finding:
    runs = list(dict.fromkeys(run.id for run, _ in missing))
    said = ", ".join(dict.fromkeys(f"{name} = {run.claims[name]}" for run, name in missing))
    return Finding(
        code=CODE,
        severity=NOTE,
        message=f"nothing in the log{'s' if len(runs) > 1 else ''} shows {said}",
        hint="let the program print the settings it uses, or keep its command line in the log",
        source=missing[0][0].source,
        evidence=tuple(dict.fromkeys(run.claim(name) for run, name in missing)),
        run=runs[0] if len(runs) == 1 else None,
    )


def _on_command(run: Run, name: str) -> bool:
    return name in flags_of_command(run.asked.said_command or "")


def _sentences(case: Case) -> Iterator[Finding]:
    """Changes that someone claims, if no run of the page has that setting."""
    silent: dict[tuple[str, int], list[Sentence]] = {}
    for sentence in case.sentences:
        if not language.is_plain(sentence.text) or has(sentence.text, "undone"):
            continue
        done = has(sentence.text, "doing") or follows(sentence.text, "subject", "did", _DONE_WITHIN)
        if not done and not _happened(sentence.text):
            continue
        values = statements(sentence.text, sentence.line) if done else []
        stated = [one for one in values if not one.failed and not _is_shown(case, sentence, one)]
        if stated or _effect_without_figures(case, sentence):
            silent.setdefault((sentence.source, sentence.section), []).append(sentence)
    for (source, _), sentences in silent.items():
        yield Finding(
            code=CODE,
            severity=NOTE,
            message="no log on this page shows the change or the result described here",
            hint="paste the log itself, so that its figures can be checked, not a picture or a link",
            source=source,
            evidence=tuple(dict.fromkeys(sentence.evidence() for sentence in sentences[:4])),
        )


def _is_shown(case: Case, sentence: Sentence, stated: Statement) -> bool:
    """Whether some run on the page has this value, in effect or claimed; other rules then check it.

    A run has one node and one process unless it reports more.
    """
    if stated.name in PARALLEL and stated.value == 1:
        return True
    shown = case.once(_values, sentence.system, stated.name)
    return any(value in shown for value in (stated.value, *stated.others))


def _values(case: Case, system: str, name: str) -> list[Setting | None]:
    """Each value that a setting has in some run: in effect, or as its claim."""
    found = [value for run in case.shown(system) for value in (run.settings.get(name), run.claims.get(name))]
    found += [run.value("steps") for run in case.shown(system)] if name == "max_steps" else []
    return list(dict.fromkeys(value for value in found if isinstance(value, (str, int, float))))


def _happened(text: str) -> bool:
    """`It finished faster`: the sentence has no "I", but reports something that happened."""
    return follows(text, "ended", "sooner", 2)


def _effect_without_figures(case: Case, sentence: Sentence) -> bool:
    if not (language.compares(sentence.text) or _happened(sentence.text)) or not has(sentence.text, "came_of"):
        return False
    fields = [field for metric in metrics_of(sentence.text) for field, _ in FIELDS[metric]]
    return bool(fields) and not any(case.once(_is_told, sentence.system, field) for field in fields)


def _is_told(case: Case, system: str, field: str) -> bool:
    return any(figure_of(run, field) is not None for run in case.shown(system))
