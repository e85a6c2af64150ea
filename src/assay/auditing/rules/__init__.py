"""The rules, one function a code. Adding one is a file and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from assay.auditing.case import Case
from assay.auditing.rules import (
    arithmetic,
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
    quoted,
    ranking,
    replicas,
    seeds,
    serving,
    units,
)
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
        says="a difference no larger than that between repeats, or no repeats to tell",
        check=noise.check,
    ),
    Rule(
        code="single-seed",
        says="repeats that are identical, so they say nothing about spread",
        check=seeds.check,
        across=True,
    ),
    Rule(
        code="same-figures",
        says="the same figures stand under two different settings",
        check=figures.check,
        across=True,
    ),
    Rule(
        code="conflicting-claims",
        says="two sources say opposite things of the same change",
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
        check=arithmetic.check,
    ),
    Rule(
        code="misquoted-figure",
        says="the page quotes a figure of a run, and the run's own record shows another",
        check=quoted.check,
    ),
    Rule(
        code="wrong-ranking",
        says="the page names a best, fastest, highest that its own figures contradict",
        check=ranking.check,
    ),
    Rule(code="mislabelled-unit", says="a figure is not in the unit its name says", check=units.check),
    Rule(code="diverged", says="accuracy at chance, or loss that rose to stay", check=divergence.check),
    Rule(
        code="contended",
        says="far slower than every other run of the same settings, or a rate that wanders",
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
    Rule(code="children-not-measured", says="a profile that watched a wrapper and not the work", check=children.check),
    Rule(
        code="unequal-work",
        says="servers are compared whose requests had other lengths",
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
