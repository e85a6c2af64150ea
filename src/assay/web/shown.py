"""What the page of a run shows: the same payload during the run and after, made from a summary and thinned events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from assay.model.event import Event
from assay.model.request import Host, Request
from assay.model.summary import Summary
from assay.units import show_number
from assay.views import served, words
from assay.views.columns import machine_columns, share_columns, span_columns
from assay.views.evidence import Proof
from assay.web.columns import MOST_SPANS, row_of, whole_curves
from assay.web.panels import described
from assay.web.serving import of_run

_TOLD: tuple[tuple[str, Callable[[Summary], str | None]], ...] = (
    ("result", words.result_words),
    ("serving", served.serving_words),
    ("TTFT", partial(served.latency_words, name="ttft")),
    ("TPOT", partial(served.latency_words, name="tpot")),
    ("request", partial(served.latency_words, name="e2e")),
    ("job", served.job_words),
    ("phases", words.phase_words),
    ("CPU", words.cpu_words),
    ("memory", words.memory_words),
    ("GPU", words.gpu_words),
    ("energy", words.energy_words),
    ("disk", words.disk_words),
    ("measuring", words.cost_words),
)


#: the lines of which each figure leads to its own evidence
_LINKED: Mapping[str, Callable[[Summary], words.Parts]] = {
    "result": words.result_parts,
    "serving": served.serving_parts,
    "TTFT": partial(served.latency_parts, name="ttft"),
    "TPOT": partial(served.latency_parts, name="tpot"),
    "request": partial(served.latency_parts, name="e2e"),
}


def payload(folder: str, summary: Summary, asked: Request, events: Sequence[Event]) -> dict[str, object]:
    """Facts, columns and chart descriptions; whoever calls adds evidence, findings and where the stream goes on."""
    name = summary.name
    curves, titles = whole_curves(row_of(summary), events, name)
    data = {
        "curves": curves,
        "machine": machine_columns(events, name),
        "spans": span_columns(events, name, MOST_SPANS),
        "shares": share_columns(summary, name),
    }
    return {
        "folder": folder,
        "head": head(summary),
        "label": {"name": summary.name, "tags": list(asked.tags), "note": asked.note or ""},
        "facts": facts_of(summary, asked),
        "figures": sorted(titles),
        "data": data,
        "panels": described(data, titles),
        "serving": of_run(summary, events),
    }


def head(summary: Summary) -> dict[str, object]:
    """What changes while a run goes on."""
    told = [[label, text] for label, say in _TOLD if (text := say(summary))]
    return {
        "id": summary.id,
        "name": summary.name,
        "status": summary.status or "described",
        "how": summary.how,
        "says": words.status_words(summary),
        "words": told,
        "parts": {label: parts for label, of in _LINKED.items() if (parts := of(summary))},
        "error": summary.error.as_json() if summary.error else None,
        "settings": _settings(summary),
        "metrics": [[name, text] for name, text in words.other_metrics(summary)][:60],
        "problems": summary.problems,
    }


def _settings(summary: Summary) -> list[list[str]]:
    """(name, value, how it is known): what the evidence shows, and what was only said."""
    params, claims = summary.params, summary.claims
    rows = [[name, _text(value), "shown by the evidence"] for name, value in params.items()]
    rows += [[name, _text(value), "claimed"] for name, value in claims.items() if name not in params]
    return rows[:80]


def facts_of(summary: Summary, asked: Request) -> list[list[str]]:
    """How it was started and measured."""
    host = asked.host or Host()
    told = {
        "command": " ".join(asked.command) or asked.said_command,
        "source": asked.source,
        "folder": asked.cwd,
        "system": summary.system,
        "host": host.name,
        "CPU": host.cpu,
        "commit": asked.git.commit if asked.git else None,
        "study": summary.study,
        "tags": ", ".join(asked.tags),
        "note": asked.note,
        "started": summary.started,
        "ended": summary.ended,
        "id": summary.id,
    }
    return [[name, _text(value)] for name, value in told.items() if value]


def proof_rows(proofs: Sequence[Proof]) -> list[dict[str, object]]:
    return [{"name": one.name, "value": one.value[:300], "place": one.place, "line": one.line} for one in proofs[:200]]


def _text(value: object) -> str:
    text = show_number(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
    return text[:500]
