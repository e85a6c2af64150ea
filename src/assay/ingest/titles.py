"""What to call a run that was read from a benchmark's results or a job's account: its engine and model, or its job."""

from __future__ import annotations

from dataclasses import replace

from assay.model.event import How, Param
from assay.model.values import number
from assay.quantities import settings
from assay.reading.found import Found

_LONGEST = 60


def titled(run: Found) -> Found:
    """With a new name, unless a tool has given it one or a reader of a system knows it."""
    speakers = {event.source for event in run.events}
    if run.name or not speakers & {"reader:serving", "reader:accounting"}:
        return run
    said = [event for event in run.events if isinstance(event, How)]
    job = next((str(event.job) for event in said if event.job is not None), "")
    if "reader:serving" not in speakers:
        return replace(run, name=f"job-{job}") if job else run
    engine = next((event.engine for event in reversed(said) if event.engine), "")
    model = next((event.model for event in reversed(said) if event.model), "").rpartition("/")[2]
    words = [word.replace(" ", "-") for word in (engine, model) if word]
    return replace(run, name="-".join([*words, *_settings(run)])[:_LONGEST]) if words else run


def _settings(run: Found) -> list[str]:
    known: dict[str, object] = dict(run.claims)
    for event in run.events:
        if isinstance(event, Param):
            known.update(event.facts())
    return [
        f"{one.short}{known[one.name]:g}" for one in settings() if one.short and number(known.get(one.name)) is not None
    ]
