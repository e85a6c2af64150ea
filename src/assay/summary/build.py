"""summary.json from run.json and the events: nothing here that the record cannot give again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields

from assay.core.objective import objective_of
from assay.facts.secrets import mask_values
from assay.model.event import Event
from assay.model.part import Part
from assay.model.request import Request
from assay.model.summary import VERSION, Summary
from assay.model.values import Value, number
from assay.quantities import QUANTITIES
from assay.spec import program_name
from assay.store.files import try_read
from assay.store.layout import RunDir
from assay.store.notices import notice
from assay.store.reading import Problems, read_events
from assay.summary.accounts import grouped
from assay.summary.granted import killed_for_memory, of_granted
from assay.summary.job import iso, whereabouts
from assay.summary.outcome import outcome_of
from assay.summary.parts import parts
from assay.summary.phases import seconds, shares, spans
from assay.summary.ranks import added, of_ranks, rows
from assay.summary.recorded import never_arrived, rank_rows, still_running
from assay.summary.splits import LOSSES, quoted_accuracy, quoted_losses
from assay.summary.tally import Tally

#: what is measured here and not reported
_OURS = ("wall_s", "samples_per_s_own", "samples_per_s_steady")
_FIELDS = {field.name: str(field.type) for field in fields(Summary)}
_QUANTITIES = (one.name for one in QUANTITIES if one.name in _FIELDS and not one.settable and one.name not in _OURS)
#: figures that have a field, where what our probes measured comes first; all others go to `metrics`
_NAMED = (*_QUANTITIES, "epochs", "gpus_used")
#: positions and version numbers, which are not results
_NO_FIGURES = ("epoch", "v_num")
#: workloads that measure a server, whose hardware is unknown here
_CLIENTS = ("endpoint",)
#: counts and bytes are whole numbers, however they were printed
_WHOLE = frozenset(name for name in _NAMED if _FIELDS[name].startswith("int"))


def summarise(run: RunDir, unwritten: Sequence[Event] = ()) -> Summary:
    """The summary of a run as its record stands now, finished or not; `unwritten` is what it could not take."""
    asked, problems, tally = run.asked(), Problems(), Tally()
    for event in read_events(run, problems, tally.add):
        tally.add(event)
    for event in unwritten:
        tally.add(event)
    summary = sum_up(run, asked, tally)
    return summary.replace(problems=(*summary.problems, *problems.found)) if problems.found else summary


def sum_up(run: RunDir, asked: Request, tally: Tally) -> Summary:
    """The summary of the events so far; values that do not fit their field are left out."""
    if (asked.validates or asked.mode == "validate") and tally.how == "executed":
        tally.how = "validated"  # lowered for the hardware, not run on it
    outcome = outcome_of(run, asked, tally)
    wall_s = number(outcome.get("wall_s")) or tally.last_s
    phases, shares = _phases(tally, wall_s)
    # what a replay used says nothing about the run in its log
    machine = Summary() if asked.replay else tally.machine.summary(wall_s, tally.ends)
    figures = _figures(tally, phases)
    if asked.ranks:
        figures["ranks"] = rank_rows(tally, tally.machine.of_ranks(wall_s, tally.ends))
        figures["params"] = mask_values({"num_tasks": asked.ranks, **tally.params})
    figures["objective"] = _objective(figures, tally, wall_s)
    of_job = of_granted(asked, machine, wall_s) if asked.scheduler else {}
    return Summary.of(
        {
            **_identity(asked),
            **outcome,
            **of_job,
            **killed_for_memory(outcome, of_job),
            **figures,
            "phases": phases,
            "phase_shares": shares,
            **machine.as_json(),
            "parts": [one.as_json() for one in _parts(asked, tally, wall_s, machine)],
            **whereabouts(run, asked, tally.starts, phases),
            "system": asked.system or _system(tally, machine, asked.workload),
            "problems": [*tally.problems, *(never_arrived(asked, tally) if outcome["status"] != "running" else ())],
        }
    )


def recorder_lives(run: RunDir) -> bool:
    """Whether a recorder of this run goes on, whatever became of the job around it."""
    asked, tally = run.asked(), Tally()
    for event in read_events(run, Problems(), tally.add):
        tally.add(event)
    return still_running(run, asked, tally) if tally.starts else False


def load_summary(run: RunDir) -> Summary:
    """The stored summary if it has this version and is valid, else a new one; a running run has none yet."""
    content = try_read(run.path, "summary.json")
    kept, wrong = parse_summary(content) if content is not None else (None, "")
    if wrong:
        notice(str(run.summary_json), f"`{run.summary_json}` is not used: {wrong}; the summary is made again")
    return kept if kept is not None else summarise(run)


def parse_summary(content: bytes) -> tuple[Summary | None, str]:
    """(the summary, what is wrong with it). One that contains an error, or has another version, is not used."""
    try:
        kept = json.loads(content)
    except (ValueError, RecursionError):
        return None, "it is not JSON"
    if not isinstance(kept, dict):
        return None, "it is not an object"
    if kept.get("v") != VERSION:
        return None, ""
    wrong: list[str] = []
    summary = Summary.of(kept, wrong.append)
    return (None, "; ".join(wrong[:3])) if wrong else (summary, "")


def _identity(asked: Request) -> dict[str, object]:
    return {
        "v": VERSION,
        "id": asked.id,
        "name": asked.name,
        "source": asked.source or asked.replay or " ".join(asked.command),
        "lines": asked.lines,
        "device": asked.device,
        "prose": asked.prose,
        "host": asked.host.name if asked.host else None,
        "program": program_name(asked.command) if asked.command and not asked.replay else None,
        "claims": asked.claims or asked.params,
        "claim_sources": _sources(asked),
        "tags": asked.tags,
        "note": asked.note,
        "code": asked.code.in_short().as_json() if asked.code else None,
        "started": iso(asked.asked_t),
        "dated": iso(asked.dated_t),
        "study": asked.study,
        "cell": asked.cell,
        "repeat": asked.repeat,
        "seed": asked.seed,
        "warmup": asked.warmup,
        "target": asked.target,
        "again_of": asked.again_of,
    }


def _sources(asked: Request) -> Mapping[str, str]:
    """Where each claim was made; the line numbers of a page are in run.json."""
    if asked.how != "parsed":
        return asked.claim_sources
    return {name: "text" if asked.claim_lines.get(name) else "file name" for name in asked.claims}


def _system(tally: Tally, machine: Summary, workload: str | None) -> str | None:
    """By the log, where a reader of a system knew it; else, and for our own workloads, by what was used here."""
    known = {name: count for name, count in tally.systems.items() if name != "generic"}
    if workload in _CLIENTS:
        return "generic"
    if known and not workload:
        return max(known, key=lambda name: known[name])
    if tally.starts:
        return "cuda" if machine.gpus_used else "cpu"
    return "generic" if tally.systems else None


def _figures(tally: Tally, phases: dict[str, float]) -> dict[str, object]:
    """Loss, rates, accuracy, settings: from the best source there is for each."""
    best: dict[str, float] = {}
    for book in (tally.values, tally.results):  # a result is about the whole run: it wins over the last moment
        for source in sorted(book, reverse=True):
            best.update(book[source])
    best.pop("wall_s", None)
    for name in _NO_FIGURES:
        best.pop(name, None)
    ranks = of_ranks(tally.values, tally.results)
    best.update(added(ranks))
    _as_shares(best)
    quoted = {**quoted_losses(best), **quoted_accuracy(best, tally.accuracy_of)}
    not_finite = tally.not_finite.remaining({**best, **quoted_losses(best)}, LOSSES)
    plain, of = best.get("accuracy"), tally.accuracy_of
    if plain is not None and of is not None and quoted.get("accuracy_of") != of:
        best.setdefault(f"{of}_accuracy", plain)  # another is quoted: this one is kept under its own name
    named = {name: best.pop(name) for name in _NAMED if name in best}
    found: dict[str, object] = {
        "epochs": tally.epochs.passes,
        **{name: round(value) if name in _WHOLE else value for name, value in named.items()},
        **grouped(best),
        **quoted,
        **tally.words,
        "compile_cached": tally.compile_cached,
        "engines": tuple(tally.engines.values()) if len(tally.engines) > 1 else (),
        "samples_per_s_own": _own_rate(named.get("samples"), named.get("train_s") or phases.get("train"), tally),
        **_pace(tally, named),
        "ranks": rows(ranks, tally.arrivals.waits_s()),
        "params": mask_values(tally.params),
        "metrics": best,
        "not_finite": not_finite,
    }
    if isinstance(tally.params.get("seed"), int):
        found["seed"] = tally.params["seed"]
    return found


def _objective(figures: Mapping[str, object], tally: Tally, wall_s: float) -> Mapping[str, Value]:
    """What to compare first, by how often and of which data its figures were printed."""
    metrics, lost = figures["metrics"], figures["not_finite"]
    assert isinstance(metrics, Mapping) and isinstance(lost, Mapping)
    every = {**{name: one for name in _NAMED if (one := number(figures.get(name))) is not None}, **metrics}
    own = number(figures.get("samples_per_s_own"))
    every |= {"samples_per_s_avg": own} if own is not None and "samples_per_s_avg" not in every else {}
    of = figures.get("accuracy_of")
    of_part = f"{of}_accuracy"
    if of and "accuracy" in every and of_part not in every:  # its part decides
        every = {of_part if name == "accuracy" else name: one for name, one in every.items()}
        tally.printed.setdefault(of_part, tally.printed.get("accuracy", 1))
    if wall_s and tally.starts:
        every["wall_s"] = wall_s
    found = objective_of(every, tally.printed, tally.beside_loss, lost=lost)
    if found is None:
        return {}
    return found.as_json() | ({"name": "accuracy"} if found.name == of_part and of_part not in metrics else {})


def _as_shares(best: dict[str, float]) -> None:
    """Accuracies and shares of use are 0 to 1, also where they were printed in per cent."""
    for name, value in best.items():
        if value > 1 and (name == "utilisation" or name.endswith(("accuracy", "_acc", "top1", "top5"))):
            best[name] = round(value / 100, 12)


def _parts(asked: Request, tally: Tally, wall_s: float, machine: Summary) -> tuple[Part, ...]:
    return () if asked.replay else parts(tally.parts, tally.commands, wall_s, machine.cpu_s or 0.0)


def _phases(tally: Tally, wall_s: float) -> tuple[dict[str, float], dict[str, float]]:
    """(seconds, shares of the time): from begin and end if they are known, else from the reported duration."""
    told = tally.phase_s[min(tally.phase_s)] if tally.phase_s else {}
    marked = spans(tally.marks[min(tally.marks)], end_s=wall_s) if tally.marks else []
    return {**{name: round(value, 6) for name, value in told.items()}, **seconds(marked)}, shares(marked, wall_s)


def _own_rate(samples: float | None, train_s: float | None, tally: Tally) -> float | None:
    """Samples divided by seconds: of the training phase, else between the first and the last count."""
    if samples and train_s:
        return round(float(samples / train_s), 3)
    counted = tally.counted.get(min(tally.counted)) if tally.counted else None
    if counted and len(counted) > 1 and counted[-1][0] > counted[0][0]:
        return round((counted[-1][1] - counted[0][1]) / (counted[-1][0] - counted[0][0]), 3)
    return None


def _pace(tally: Tally, named: Mapping[str, float]) -> dict[str, object]:
    if not tally.paces:
        return {}
    from assay.summary.pace import figures  # what it needs of the standard library takes long to load

    marks = tally.marks[min(tally.marks)] if tally.marks else []
    several = len({rank for _, rank in tally.values}) > 1
    return figures(tally.paces, marks, named.get("samples"), named.get("steps"), several=several)
