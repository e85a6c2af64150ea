"""summary.json from run.json and the events: nothing here that the record cannot give again."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from assay.events import Event, number
from assay.facts.secrets import mask_values
from assay.store.files import try_read
from assay.store.layout import RunDir
from assay.store.notices import notice
from assay.store.reading import Problems, read_events
from assay.store.valid import check_summary
from assay.summary.accounts import ACCOUNTED, SERVED, grouped, whole
from assay.summary.job import job_of, node_count, the_end, whereabouts
from assay.summary.liveness import is_running
from assay.summary.phases import seconds, shares, spans
from assay.summary.tally import Tally

#: raised when a summary says something else of the same record
VERSION = 1
#: figures with a place of their own; any other number a program reports goes to `metrics`
NAMED = (
    "samples", "epochs", "train_s", "loss", "accuracy", "samples_per_s", "samples_per_s_avg", "tokens_per_s",
    "utilisation", "latency_ms", "latency_p50_ms", "latency_p90_ms", "latency_p99_ms", "inferences_per_s",
    "on_chip_latency_ms", "on_chip_inferences_per_s", *SERVED, *ACCOUNTED,
)  # fmt: skip


def summarise(run: RunDir, unwritten: Sequence[Event] = ()) -> dict[str, Any]:
    """The summary of a run as its record stands now, finished or not; `unwritten` is what it could not take."""
    asked, problems, tally = run.asked(), Problems(), Tally()
    for event in read_events(run, problems):
        tally.add(event)
    for event in unwritten:
        tally.add(event)
    summary = sum_up(run, asked, tally)
    if problems.found:
        summary["problems"] = [*summary.get("problems", ()), *problems.found]
    return summary


def sum_up(run: RunDir, asked: dict[str, Any], tally: Tally) -> dict[str, Any]:
    """What the events taken so far come to."""
    summary = _identity(asked)
    if (asked.get("validates") or asked.get("mode") == "validate") and tally.how == "executed":
        tally.how = "validated"  # lowered for the hardware, not run on it
    summary.update(_outcome(run, asked, tally), problems=tally.problems or None)
    wall_s = summary.get("wall_s") or tally.last_s
    summary.update(_figures(tally, wall_s))
    # what a replay used is no figure of the run that it prints
    machine = {} if asked.get("replay") else tally.machine.summary(wall_s, tally.ends)
    summary.update(machine)
    summary.update(whereabouts(run, asked, tally.starts, summary.get("phases")))
    summary["system"] = summary.get("system") or _system(tally, machine, own=bool(asked.get("workload")))
    check_summary(summary)  # whatever the events said, a summary is one
    return summary


def load_summary(run: RunDir) -> dict[str, Any]:
    """The kept summary where it is of this version and valid, else made anew; a run that goes on has none yet."""
    content = try_read(run.path, "summary.json")
    kept, wrong = parse_summary(content) if content is not None else (None, "")
    if wrong:
        notice(str(run.summary_json), f"`{run.summary_json}` is not used: {wrong}; its run is summed up anew")
    return kept if kept is not None and kept.get("v") == VERSION else summarise(run)


def parse_summary(content: bytes) -> tuple[dict[str, Any] | None, str]:
    """(the summary, what is wrong with it): one that holds anything wrong is not believed at all."""
    try:
        kept = json.loads(content)
    except (ValueError, RecursionError):
        return None, "it is not JSON"
    if not isinstance(kept, dict):
        return None, "it is not an object"
    wrong = check_summary(kept)
    return (None, "; ".join(wrong[:3])) if wrong else (kept, "")


def _identity(asked: dict[str, Any]) -> dict[str, Any]:
    host = asked["host"] if isinstance(asked.get("host"), dict) else {}
    command = asked.get("command")
    return {
        "v": VERSION,
        "id": asked.get("id"),
        "name": asked.get("name"),
        "source": asked.get("source")
        or asked.get("replay")
        or (" ".join(map(str, command)) if isinstance(command, list) else None),
        "lines": asked.get("lines"),
        "system": asked.get("system"),
        "device": asked.get("device"),
        "prose": asked.get("prose"),
        "host": host.get("name"),
        "claims": asked.get("claims") or asked.get("params") or None,
        "tags": asked.get("tags"),
        "started": _iso(asked.get("asked_t")),
        **{name: asked.get(name) for name in ("study", "cell", "repeat", "seed", "warmup", "target", "again_of")},
    }


def _outcome(run: RunDir, asked: dict[str, Any], tally: Tally) -> dict[str, Any]:
    job = job_of(run, asked)
    end = the_end(tally.ends, node_count(asked))
    if asked.get("how") == "parsed" or (asked.get("replay") and end is not None):
        return _parsed(tally)
    if job is not None:
        settled = job.outcome(end)
        if settled is not None:
            return {"how": tally.how, **settled, **({"error": job.error} if job.error else {})}
        end = job.corrected(end)
    error = _error(tally, end)
    if end is None:
        guarded = any(error.get("from") == "guard" for error in tally.errors)
        running = not guarded and (
            any(is_running(run, one, asked) for one in tally.starts or (None,))
            or (job is not None and job.just_begun())
        )
        return {
            "status": "running" if running else "interrupted",
            "how": tally.how,
            "wall_s": round(tally.last_s, 3),
            "error": None
            if running
            else error or {"code": "interrupted", "message": "the recorder ended without a word"},
        }
    return {
        "status": end.get("status"),
        "how": tally.how,
        "exit_code": end.get("exit_code"),
        "ended": _iso(end.get("t")),
        "wall_s": end.get("wall_s"),
        "error": error,
    }


def _parsed(tally: Tally) -> dict[str, Any]:
    """How a run ended that we only know from its log; what prose tells of has no status."""
    end = tally.read_ends[-1] if tally.read_ends else None
    error = _told(tally.errors[0]) if tally.errors else None
    wall_s = next((book["wall_s"] for book in tally.results.values() if "wall_s" in book), None)
    return {
        "status": end.get("status") if end else None,
        "how": "parsed",
        "exit_code": end.get("exit_code") if end else None,
        "wall_s": wall_s if wall_s is not None else (round(tally.last_s, 3) or None),
        "error": error,
    }


def _error(tally: Tally, end: Event | None) -> dict[str, Any] | None:
    """What the program or its output said went wrong, else what the recorder saw.

    A program that ends well has not failed, whatever it printed; a threshold missed after the work is worth telling.
    """
    said = [
        error for error in tally.errors if error.get("from") in ("self", "guard") or error.get("code") == "threshold"
    ]
    if end is None or end.get("status") != "completed":
        seen = [end["error"]] if end and isinstance(end.get("error"), dict) else []
        certain = [error for error in seen if error.get("code") not in ("unknown", "crashed")]
        said = certain + [error for error in tally.errors if error not in certain] + seen
    return _told(said[0]) if said else None


def _told(error: dict[str, Any]) -> dict[str, Any]:
    return mask_values(
        {name: error[name] for name in ("code", "message", "hint", "line") if error.get(name) is not None}
    )


def _system(tally: Tally, machine: dict[str, Any], *, own: bool) -> str | None:
    """By the log, where a reader of a system knew it; else, and for our own workloads, by what was used here."""
    known = {name: count for name, count in tally.systems.items() if name != "generic"}
    if known and not own:
        return max(known, key=lambda name: known[name])
    if tally.starts:
        return "cuda" if machine.get("gpus_used") else "cpu"
    return "generic" if tally.systems else None


#: where a program names no loss or accuracy plainly, the one that a person would quote; each stays under its own name
_QUOTED = {
    "loss": ("train_loss", "lm_loss", "total_loss", "step_loss"),
    "accuracy": (
        *(
            f"{part}_{name}"
            for part in ("test", "eval", "val")
            for name in ("accuracy", "acc", "top1", "accuracy_top1")
        ),
        *("accuracy_1", "accuracy1", "accuracy_top1", "top1"),
    ),
}


def _figures(tally: Tally, wall_s: float) -> dict[str, Any]:
    """Loss, rates, accuracy, phases: from the best source there is for each."""
    best: dict[str, float] = {}
    for book in (tally.values, tally.results):  # a result is about the whole run: it wins over the last moment
        for source in sorted(book, reverse=True):
            best.update(book[source])
    best.pop("wall_s", None)
    found: dict[str, Any] = {name: best.pop(name) for name in NAMED if name in best}
    for name, others in _QUOTED.items():
        other = next((other for other in others if other in best), None)
        if name not in found and other is not None:
            found[name] = best[other]
    found.update(tally.words, compile_cached=tally.compile_cached, **grouped(best))
    whole(found)
    found["engines"] = list(tally.engines.values()) if len(tally.engines) > 1 else None
    if "steps" in best:
        found["steps"] = int(best.pop("steps"))
    for name in ("accuracy", "utilisation"):
        if found.get(name, 0) > 1:
            found[name] = found[name] / 100  # said in per cent
    if tally.marks:
        marked = spans(tally.marks[min(tally.marks)], end_s=wall_s)
        found["phases"], found["phase_shares"] = seconds(marked), shares(marked, wall_s)
    if tally.phase_s:
        told = tally.phase_s[min(tally.phase_s)]
        found["phases"] = {**{name: round(value, 6) for name, value in told.items()}, **found.get("phases", {})}
    found["samples_per_s_own"] = _own_rate(found, tally)
    found["params"] = mask_values(tally.params) or None
    found["metrics"] = best or None
    return found


def _own_rate(found: dict[str, Any], tally: Tally) -> float | None:
    """Samples over seconds, plainly: of the training phase, else between the first and last count."""
    train_s = found.get("train_s") or found.get("phases", {}).get("train")
    if found.get("samples") and train_s:
        return round(float(found["samples"] / train_s), 3)
    counted = tally.counted.get(min(tally.counted)) if tally.counted else None
    if counted and len(counted) > 1 and counted[-1][0] > counted[0][0]:
        return round((counted[-1][1] - counted[0][1]) / (counted[-1][0] - counted[0][0]), 3)
    return None


def _iso(t: object) -> str | None:
    moment = number(t)
    return None if moment is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
