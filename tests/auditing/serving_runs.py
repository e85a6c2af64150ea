"""Runs of servers as a rule sees them."""

from __future__ import annotations

from assay.auditing.case import Case, Run
from assay.model.request import Request
from assay.model.summary import Summary

_COUNT = iter(range(10_000))


def run(**facts: object) -> Run:
    """A run of 100 requests; `params` and `metrics` as in a summary, and any of its fields."""
    raw = {
        "id": f"id{next(_COUNT)}",
        "name": "one",
        "model": "llama",
        "requests": 100,
        "output_tokens": 12_800,
        **facts,
    }
    return Run(summary=Summary.of(raw), events=[], asked=Request(), source="page.md", text=lambda line: "")


def case(*runs: Run) -> Case:
    return Case(name="page.md", runs=list(runs))
