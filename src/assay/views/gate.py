"""A check against a baseline, as the lines that people read in the log of their CI, and as plain values."""

from __future__ import annotations

from collections.abc import Iterator

from assay.comparing.gate import Check, Gate
from assay.comparing.verdict import apart_and_ends, counts
from assay.text import counted

_WORDS = {"failed": "Failed", "passed": "Passed", "undecided": "Undecided"}
#: more runs are not advised for a check
_MOST_ADVISED = 100


def gate_lines(found: Gate) -> Iterator[str]:
    """One for each check, those that failed first, and what they rest on."""
    order = ("failed", "undecided", "passed")
    for check in sorted(found.checks, key=lambda one: order.index(one.outcome)):
        yield f"{_WORDS[check.outcome]}: {check_words(check)}"
    yield from found.notes
    rate = "Of changes that are exactly at a limit, at most 1 in 20 fails, and at most 1 in 20 passes"
    yield f"{rate} ({counted(len(found.checks), 'check')})."


def check_words(check: Check) -> str:
    """`throughput is 4.9 % less than the baseline (95 % interval 4.4–5.3 %, n = 5 + 5), which is down by …`"""
    one = check.verdict
    where = f" with {check.settings}" if check.settings else ""
    if one.refused:
        return f"{one.figure.noun}{where} is {one.refused}"
    told, ends = apart_and_ends(one)
    joined = "" if told.endswith("×") else "from" if told == "no difference" else "than"
    beside = ", ".join(filter(None, [ends, counts(one)]))
    return f"{one.figure.noun}{where} is {told} {joined} the baseline ({beside}){_worth(check)}".replace("  ", " ")


def _worth(check: Check) -> str:
    way, limit = "down" if check.limit.value < 0 else "up", check.limit.text(check.verdict.figure)
    if check.outcome == "failed":
        return f", which is {way} by more than {limit} (p = {check.p_beyond:.2g})."
    if check.outcome == "passed" and check.p_within is None:
        return ", the same to the last digit in every run."
    if check.outcome == "passed":
        return f"; it is not {way} by {limit} or more (p = {check.p_within:.2g})."
    return f"; whether it is {way} by more than {limit} {_why_undecided(check)}"


def _why_undecided(check: Check) -> str:
    one = check.verdict
    if one.kind == "identical":
        return "cannot be judged: the repeats are identical, so they do not show how far runs differ."
    if max(one.n) < 2:
        return "cannot be judged from one run each. Repeat both: assay run --repeat 5"
    if check.drift:
        why = "the baseline was run before these, and a drift of the machine could explain it"
        return f"cannot be judged: {why}. Run both in turns (assay run --grid)."
    more = check.needed
    if more is None or more > _MOST_ADVISED:
        return "is too close to the limit to be decided by repeats."
    return f"is not known yet. About {more} runs of each would settle it."


def as_dict(found: Gate) -> dict[str, object]:
    return {
        "outcome": found.outcome,
        "exit_code": found.exit_code,
        "error_rate": 0.05,
        "checks": [_check(check) for check in found.checks],
        "notes": found.notes,
    }


def _check(check: Check) -> dict[str, object]:
    return {
        "outcome": check.outcome,
        "figure": check.verdict.figure.name,
        "settings": check.settings,
        "limit": check.limit.value,
        "relative": check.limit.relative,
        "p_beyond": check.p_beyond,
        "p_within": check.p_within,
        "drift": check.drift,
        "n": list(check.verdict.n),
        "means": list(check.verdict.means),
        "ratio": check.verdict.ratio.value,
        "ratio_low": check.verdict.ratio.low,
        "ratio_high": check.verdict.ratio.high,
        "delta": check.verdict.difference.delta,
        "delta_low": check.verdict.difference.low,
        "delta_high": check.verdict.difference.high,
        "assumptions": list(check.verdict.assumptions),
        "says": check_words(check),
    }
