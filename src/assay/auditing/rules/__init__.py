"""The rules, one function per code. To add one, add a file and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from assay.auditing.case import Case
from assay.auditing.rules import (
    budget,
    cached,
    children,
    claims,
    conflicts,
    contention,
    coverage,
    divergence,
    evidence,
    failures,
    figures,
    measurement,
    mixed,
    noise,
    replicas,
    seeds,
    serving,
    units,
)
from assay.checking.runs import page_findings
from assay.model.finding import Finding


@dataclass(frozen=True, kw_only=True)
class Rule:
    """`across` rules also look at all cases at once: two files can contradict each other."""

    code: str
    says: str
    check: Callable[[Case], Iterable[Finding]]
    across: bool = False


RULES = (
    Rule(
        code="setting-not-in-effect", says="a claimed setting differs from what the log shows ran", check=claims.check
    ),
    Rule(code="no-evidence", says="a claim with nothing in the source to support it", check=evidence.check),
    Rule(
        code="cached-compile",
        says="durations are compared, and one of them skipped its compile",
        check=cached.check,
        across=True,
    ),
    Rule(
        code="time-covers-more",
        says="the reported seconds include queue, compile, checkpoint or teardown",
        check=coverage.check,
    ),
    Rule(
        code="unequal-budget",
        says="results compared at equal steps but unequal samples (or the reverse)",
        check=budget.check,
    ),
    Rule(
        code="within-noise",
        says="a difference no larger than that between repeats, or without repeats to judge it by",
        check=noise.check,
    ),
    Rule(
        code="single-seed",
        says="repeats that are identical, so they do not show how far runs differ",
        check=seeds.check,
        across=True,
    ),
    Rule(
        code="same-figures",
        says="the same figures are given for two different settings",
        check=figures.check,
        across=True,
    ),
    Rule(
        code="conflicting-claims",
        says="two sources contradict each other about the same change",
        check=conflicts.check,
        across=True,
    ),
    Rule(
        code="mixed-code",
        says="runs of different code are compared or averaged as if they were repeats",
        check=mixed.check,
        across=True,
    ),
    Rule(
        code="wrong-arithmetic",
        says="a ratio, percentage or total in the prose does not follow from its own figures",
        check=lambda case: page_findings(case, "wrong-arithmetic"),
    ),
    Rule(
        code="misquoted-figure",
        says="the page quotes a figure of a run, and the run's own record shows another",
        check=lambda case: page_findings(case, "misquoted-figure"),
    ),
    Rule(
        code="wrong-ranking",
        says="the page calls a run best, fastest or highest, and its own figures contradict that",
        check=lambda case: page_findings(case, "wrong-ranking"),
    ),
    Rule(
        code="wrong-trend",
        says="the page describes how a figure went from epoch to epoch, and the log shows otherwise",
        check=lambda case: page_findings(case, "wrong-trend"),
    ),
    Rule(code="mislabelled-unit", says="a figure is not in the unit that its name states", check=units.check),
    Rule(
        code="diverged",
        says="an accuracy no better than chance, or a loss that rose and stayed high",
        check=divergence.check,
    ),
    Rule(
        code="contended",
        says="far slower than every other run of the same settings, or an uneven rate",
        check=contention.check,
        across=True,
    ),
    Rule(code="result-after-failure", says="a total was printed by a run that failed", check=failures.after),
    Rule(
        code="unsynced-replicas",
        says="data-parallel workers whose parameters differ",
        check=replicas.check,
        across=True,
    ),
    Rule(
        code="children-not-measured",
        says="a profile that measured a wrapper and not the program it started",
        check=children.check,
    ),
    Rule(
        code="unequal-work",
        says="servers are compared whose requests had different lengths",
        check=serving.unequal_work,
        across=True,
    ),
    Rule(
        code="cached-prefix",
        says="the server answered from a prefix cache",
        check=serving.cached_prefix,
        across=True,
    ),
    Rule(code="client-limited", says="the client was slower than what it measured", check=serving.client_limited),
    Rule(
        code="impossible-figure",
        says="figures of one run that cannot all be true",
        check=serving.impossible_figure,
    ),
    Rule(code="throttled", says="the hardware slowed itself down during a measured run", check=measurement.throttled),
    Rule(code="too-few-steps", says="too few steps to measure a rate", check=measurement.too_few_steps),
    Rule(code="costly-profile", says="measuring took a noticeable share of the machine", check=measurement.costly),
    Rule(code="failed", says="a run failed: its cause and its remedy, under the error's own code", check=failures.why),
)
