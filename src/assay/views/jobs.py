"""The job that a run was part of, as text: what its scheduler reports, what ran in it, what to ask for next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.summary import Summary
from assay.text import counted, listing, printable
from assay.views import served, words
from assay.views.asking import margin_words, request_lines

_MOST_INSIDE = 5


def job_page(job: Summary, run: Summary) -> str:
    """The account of the job that a run was part of: of all that it ran, from its first line to its last."""
    lines = [f"the whole job, as its scheduler reports it: {words.status_words(job)}"]
    rows = {"cpu": words.cpu_words(job), "memory": words.memory_words(job), "job": served.job_words(job)}
    lines += [f"  {name:<9} {text}" for name, text in rows.items() if text]
    return printable("\n".join(["", *lines, *next_request(run, job), ""]), keep="\n")


def inside_page(names: Sequence[str], job: str) -> str:
    """Which runs were recorded in a job that ran several."""
    shown = listing(names[:_MOST_INSIDE] if len(names) <= _MOST_INSIDE else [*names[:_MOST_INSIDE], "others"])
    return printable(
        f"\n{counted(len(names), 'recorded run')} in this job: {shown}; list with `assay ls {job}`\n", keep="\n"
    )


def next_request(summary: Summary, job: Summary | None = None) -> Iterator[str]:
    """What to put into the next job's script, by the run and what is known of its whole job."""
    lines = request_lines(summary, job)
    for label, line in zip(["next job", *[""] * len(lines)], lines, strict=False):
        yield f"  {label:<9} {line}"
    if lines:
        yield f"  {'':<9} ({margin_words(summary if job is None or not job.error else job)})"
