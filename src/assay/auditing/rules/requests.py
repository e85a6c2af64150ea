"""Of the requests of one run: failures that its latencies leave out, a first one that found the model cold, and an open
loop beyond what the server can do, whose latency is that of a queue and only grows with the length of the test."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import median

from assay.auditing.case import Case, Run, Sentence
from assay.language.lex import lex
from assay.language.requests import is_of_all_requests
from assay.language.said import Value
from assay.model.event import Served
from assay.model.finding import DOUBTFUL, Finding

#: above this share of failures, the rest is no picture of the load
_MANY_FAILED = 0.01
#: a page with one of these words reports its failures
_OWNS_UP = ("fail", "error", "timeout", "timed out", "success", "complet", "refus", "dropp")
_DIGITS = 0.006  # three of them, so that a chance number is not taken for the figure
_FIGURES = (
    "requests_per_s", "output_tokens_per_s", "total_tokens_per_s", "prompt_tokens_per_s",
    *(f"{name}_{key}_ms" for name in ("ttft", "tpot", "itl", "e2e") for key in ("mean", "p50", "p90", "p99")),
)  # fmt: skip
#: the first request is cold where it took so many times the median, and longer than all others
_COLD, _FEWEST = 5.0, 5
#: a queue grows where the last quarter waited so many times as long as the first, and each quarter longer
_GROWN, _FEWEST_GROWN = 2.0, 20
#: a client of others: so much longer than the rate that was asked for would take, its last answers included
_LONGER, _FEWEST_TOLD = 1.25, 50


def is_of_an_answer(run: Run, value: Value, sentence: Sentence) -> bool:
    """Seconds of a server are those of an answer or of some tokens, unless the sentence names the whole benchmark."""
    return value.name == "time" and bool(run.value("requests")) and not is_of_all_requests(sentence.text)


def left_out(case: Case) -> Iterator[Finding]:
    """`unequal-work`: a page quotes latencies or rates of the requests that succeeded, and names no failures."""
    if any(word in sentence.text.lower() for sentence in case.sentences for word in _OWNS_UP):
        return
    for run in case.runs:
        good, failed = run.value("requests"), run.value("requests_failed")
        if not good or not failed or failed / (good + failed) <= _MANY_FAILED:
            continue
        sentence = next((one for one in case.sentences if _quotes(one, run)), None)
        if sentence is None:
            continue
        shown = run.place_of("requests_failed") or run.measured(f"requests_failed = {failed:,.0f}")
        yield Finding(
            code="unequal-work",
            severity=DOUBTFUL,
            message=f"{failed:,.0f} of {good + failed:,.0f} requests failed{_kinds(run)}; the figures that the page "
            "quotes leave them out",
            hint="quote the failures, too: a server that refuses requests has less work with the rest",
            source=sentence.source,
            evidence=(sentence.evidence(), shown),
            run=run.id,
        )


def _quotes(sentence: Sentence, run: Run) -> bool:
    """Whether it contains a figure of the run, in milliseconds or seconds, with three digits."""
    known = [value for name, value in run.summary.figures(_FIGURES).items() if value]
    known += [value / 1e3 for name, value in run.summary.figures(_FIGURES).items() if name.endswith("_ms") and value]
    numbers = [
        token.number
        for token in lex(sentence.text, sentence.decimal_comma)
        if token.number is not None and not token.number.in_words
    ]
    told = [one for one in numbers if one.value > 0 and one.rounded <= _DIGITS * one.value]
    return any(abs(one.value - value) <= max(one.slack, 1e-9) for one in told for value in known)


def _kinds(run: Run) -> str:
    kinds = {name: count for name, count in run.summary.metrics.items() if name.startswith("failed_") and count}
    named = ", ".join(f"{count:,.0f} {name.removeprefix('failed_').replace('_', '-')}" for name, count in kinds.items())
    return f" ({named})" if named else ""


def more_than_answers(case: Case) -> Iterator[Finding]:
    """`time-covers-more`: the time to the first token holds the loading of the model, or a queue that only grows."""
    for run in case.runs:
        requests = sorted(_measured(run), key=lambda one: one.sent_mono_s or 0.0)
        found = _cold(requests) or _queue(requests) or _behind(run)
        if found is not None:
            message, hint, shown = found
            yield Finding(
                code="time-covers-more",
                severity=DOUBTFUL,
                message=message,
                hint=hint,
                source=run.source,
                evidence=(run.place_of("requests_per_s", "ttft_mean_ms") or run.measured(shown),),
                run=run.id,
            )


def _measured(run: Run) -> list[Served]:
    """Those that succeeded, with the time to their first token."""
    events = (event for event in run.events if isinstance(event, Served))
    return [one for one in events if not one.warmup and not one.fault and one.ttft_ms and one.sent_mono_s is not None]


def _cold(requests: Sequence[Served]) -> tuple[str, str, str] | None:
    if len(requests) < _FEWEST:
        return None
    first, *rest = [one.ttft_ms or 0.0 for one in requests]
    if first < _COLD * median(rest) or first < max(rest):
        return None
    message = (
        f"the first measured request waited {first:,.4g} ms for its first token, {first / median(rest):,.2g} times "
    )
    message += "the median of the others: loading or compiling is part of the mean and the p99"
    return message, "send a few requests before the measurement: warmup=5", f"ttft_ms of the first = {first:,.6g}"


def _queue(requests: Sequence[Served]) -> tuple[str, str, str] | None:
    """Of an open loop, by the quarters of the run."""
    if len(requests) < _FEWEST_GROWN or not all(one.late_ms is not None for one in requests):
        return None
    size = len(requests) / 4
    quarters = [
        median(one.ttft_ms or 0.0 for one in requests[int(at * size) : int((at + 1) * size)]) for at in range(4)
    ]
    if quarters != sorted(quarters) or quarters[3] < _GROWN * quarters[0] or quarters[2] < 1.2 * quarters[1]:
        return None
    message = (
        f"the requests came faster than the server answers: the median TTFT grew from {quarters[0]:,.4g} ms in the "
    )
    message += (
        f"first quarter of the run to {quarters[3]:,.4g} ms in the last, and would go on growing in a longer test"
    )
    shown = "median ttft_ms by quarter = " + ", ".join(f"{one:,.6g}" for one in quarters)
    return message, "lower request_rate until the latency stays level; the knee of a sweep shows where that is", shown


def _behind(run: Run) -> tuple[str, str, str] | None:
    """Of a client whose requests are not here: it took far longer than its rate asks for, and than the last answers."""
    rate, count, reached = run.settings.get("request_rate"), run.value("requests"), run.value("requests_per_s")
    if not isinstance(rate, (int, float)) or not 0 < rate < math.inf or not count or not reached:
        return None
    if count < _FEWEST_TOLD:
        return None
    last_s = _longest_answer_s(run)
    if last_s is None or count / reached < _LONGER * count / rate + 2 * last_s:
        return None
    message = f"{rate:,.4g} requests/s were sent and {reached:,.4g} answered: the server could not keep up, so its "
    message += "latencies are those of a queue that grows with the length of the test"
    return message, "lower the request rate until as many are answered as are sent", f"requests_per_s = {reached:,.6g}"


def _longest_answer_s(run: Run) -> float | None:
    """How long the last answers take after the last request was sent, as far as the run shows."""
    whole, each, length = run.value("e2e_p50_ms"), run.value("tpot_p99_ms"), run.settings.get("output_len")
    if whole is not None:
        return whole / 1e3
    if each is None or not isinstance(length, (int, float)):
        return None
    return each * length / 1e3
