"""What a run's page says of it: the same payload while it goes on and after, made of a summary and thinned events."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.event import Event
from assay.model.request import Host, Request
from assay.model.summary import Summary
from assay.units import show_number
from assay.views import words
from assay.views.columns import machine_columns, share_columns, span_columns
from assay.views.evidence import Proof
from assay.web.columns import MOST_SPANS, row_of, whole_curves
from assay.web.figures import run_sections

_TOLD = (
    ("result", words.result_words),
    ("phases", words.phase_words),
    ("cpu", words.cpu_words),
    ("memory", words.memory_words),
    ("gpu", words.gpu_words),
    ("energy", words.energy_words),
    ("disk", words.disk_words),
    ("measuring", words.cost_words),
)


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
    sections, charts = run_sections(data, titles)
    return {
        "folder": folder,
        "head": head(summary),
        "facts": facts_of(summary, asked),
        "figures": sorted(titles),
        "data": data,
        "sections": sections,
        "charts": charts,
    }


def head(summary: Summary) -> dict[str, object]:
    """What changes while a run goes on."""
    told = [[label, text] for label, say in _TOLD if (text := say(summary))]
    return {
        "id": summary.id,
        "name": summary.name,
        "status": summary.status or "told of",
        "how": summary.how,
        "says": words.status_words(summary),
        "words": told,
        "error": summary.error.as_json() if summary.error else None,
        "settings": _settings(summary),
        "metrics": [[name, show_number(value)] for name, value in summary.metrics.items()][:60],
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
        "cpu": host.cpu,
        "commit": asked.git.commit if asked.git else None,
        "study": summary.study,
        "tags": ", ".join(asked.tags),
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
