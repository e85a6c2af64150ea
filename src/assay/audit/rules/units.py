"""`mislabelled-unit`: `training_sequences_per_second` that counts tokens; a fraction with a per cent sign."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.audit.case import Case, Run
from assay.audit.finding import NOTE, WRONG, Finding

CODE = "mislabelled-unit"
_TOLERANCE = 0.01
_SEQUENCES = re.compile(r"training_sequences_per_second\W+(?P<value>[\d.]+)")
_CALLED = re.compile(r"(?i)\bsequences?\s*(?:/|per)\s*s")


def check(case: Case) -> Iterator[Finding]:
    for run in case.runs:
        if run.system == "sambanova":
            yield from _tokens_called_sequences(case, run)


def _tokens_called_sequences(case: Case, run: Run) -> Iterator[Finding]:
    """Sequences and samples are one thing here, yet one figure is a whole multiple of the other."""
    tokens, samples = run.value("tokens_per_s"), run.value("samples_per_s")
    line = _dictionary_line(run)
    if not tokens or not samples or line is None:
        return
    ratio = tokens / samples
    if ratio < 16 or abs(ratio - round(ratio)) > _TOLERANCE * ratio:
        return
    said = next((one for one in case.sentences if _CALLED.search(one.text) and _tells(one.text, tokens)), None)
    yield Finding(
        code=CODE,
        severity=WRONG if said else NOTE,
        message=f"`training_sequences_per_second` {tokens:,.0f} is tokens: {round(ratio)} times the {samples:,.0f} "
        "samples per second",
        hint="quote the samples per second, or call the other figure tokens per second",
        source=run.source,
        evidence=(*((said.evidence(),) if said else ()), run.at(line)),
        run=run.id,
    )


def _dictionary_line(run: Run) -> int | None:
    for event in reversed(run.events):
        if event.get("line") and "tokens_per_s" in event and _SEQUENCES.search(run.text(int(event["line"]))):
            return int(event["line"])
    lines = {int(event["line"]) for event in run.events if event.get("line")}
    return next((line for line in sorted(lines, reverse=True) if _SEQUENCES.search(run.text(line))), None)


def _tells(text: str, value: float) -> bool:
    """The sentence gives this figure, however it is rounded."""
    numbers = [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]
    return any(abs(number - value) <= 0.01 * value for number in numbers)
