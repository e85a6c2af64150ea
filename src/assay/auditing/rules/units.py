"""`mislabelled-unit`: `training_sequences_per_second` that counts tokens; 2.2 ms given as 2.2 seconds."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from assay import systems
from assay.auditing.case import Case, Run, Sentence
from assay.language.lex import lex
from assay.language.numbers import Number
from assay.model.finding import DOUBTFUL, NOTE, WRONG, Finding
from assay.systems.system import Mislabelled

CODE = "mislabelled-unit"
_TOLERANCE = 0.01
_BLOCK_WITHIN = 6  # words
_DIGITS = 0.006  # three of them, so that a chance number is not taken for the figure
_SAMPLES, _TOKENS = ("samples_per_s", "samples_per_s_avg", "samples_per_s_own"), ("tokens_per_s",)
#: by what a sentence counts: figures that it may have taken for it, and figures that excuse it
_TAKEN = {
    "samples_per_s": (_TOKENS, _SAMPLES),
    "samples_per_s_avg": (_TOKENS, _SAMPLES),
    "tokens_per_s": (_SAMPLES[:2], _TOKENS),
}
#: of a server: figures that a bare `tokens/s` may be, words that say so, and words that say otherwise
_KINDS_OF_TOKENS = {"total_tokens_per_s": "prompt and output tokens", "prompt_tokens_per_s": "prompt tokens"}
_COUNTS_ALL = ("total", "prompt", "input", "prefill", "combined", "together", "overall")
_ANSWERS = ("output", "generat", "decod", "completion")
_COUNTED = {"samples_per_s": "samples per second", "samples_per_s_avg": "samples per second"}


def check(case: Case) -> Iterator[Finding]:
    for run in case.runs:
        for one in systems.of(run.system).traps.mislabelled:
            yield from _called_otherwise(run, one)
    for sentence in case.sentences:
        finding = _slip(case, sentence) or which_tokens(case, sentence) or _block(case, sentence)
        if finding:
            yield finding


def _slip(case: Case, sentence: Sentence) -> Finding | None:
    """Tokens called samples, digit for digit; a figure of the log in the unit that is given excuses it."""
    for said in sentence.said():
        for value in said.values:
            taken, excuses = _TAKEN.get(value.name, ((), ()))
            if any(_telling(case, sentence.system, name, value.number) for name in excuses):
                continue
            for name in taken:
                run = _telling(case, sentence.system, name, value.number)
                if run is not None:
                    return _called(sentence, said.text[value.start : value.end].strip(), run, name)
    return None


def _called(sentence: Sentence, text: str, run: Run, field: str) -> Finding:
    right = _COUNTED.get(field, "tokens per second")
    return Finding(
        code=CODE,
        severity=WRONG,
        message=f"`{text}` is {run.value(field):,.6g} {right} in the log",
        hint=f"write {right}",
        source=sentence.source,
        evidence=(sentence.evidence(), run.proof(field)),
        run=run.id,
    )


def _telling(case: Case, system: str, field: str, number: Number) -> Run | None:
    """The first log in which the figure is this number, as far as it is written out."""
    figures, value = case.once(_figures, system, field), number.value
    if value <= 0 or number.rounded > _DIGITS * value:
        return None
    slack = max(number.slack, 0.0005 * value)
    begin, end = bisect_left(figures, (value - slack, -1)), bisect_left(figures, (value + slack, 1 << 60))
    at = min((at for _, at in figures[begin:end]), default=None)
    return None if at is None else case.of(system)[at]


def _figures(case: Case, system: str, field: str) -> list[tuple[float, int]]:
    """Of the logs, sorted, each with the place of its run."""
    runs = enumerate(case.of(system))
    return sorted((value, at) for at, run in runs if not run.is_prose and (value := run.value(field)) is not None)


def which_tokens(case: Case, sentence: Sentence) -> Finding | None:
    """Of a server: prompt tokens and answers together, quoted as `tokens/s`, which most readers take for answers."""
    if any(word in sentence.text.lower() for word in _COUNTS_ALL):
        return None
    for said in sentence.said():
        for value in said.values:
            if value.name != "tokens_per_s" or _telling(case, sentence.system, "output_tokens_per_s", value.number):
                continue
            for name, counts in _KINDS_OF_TOKENS.items():
                run = _telling(case, sentence.system, name, value.number)
                own = run.value("output_tokens_per_s") if run else None
                if run is not None and own is not None:
                    return _ambiguous(sentence, said.text[value.start : value.end].strip(), run, name, counts, own)
    return None


def _ambiguous(sentence: Sentence, text: str, run: Run, name: str, counts: str, own: float) -> Finding:
    return Finding(
        code=CODE,
        severity=DOUBTFUL if any(word in sentence.text.lower() for word in _ANSWERS) else NOTE,
        message=f"`{text}` counts {counts} in the log; output tokens alone are {own:,.6g} per second",
        hint="say which tokens are counted: prompt, output, or both",
        source=sentence.source,
        evidence=(sentence.evidence(), run.proof(name)),
        run=run.id,
    )


def _block(case: Case, sentence: Sentence) -> Finding | None:
    """`a token block size of 1024`, where 1024 is how many sequences a step takes."""
    tokens = lex(sentence.text, sentence.decimal_comma)
    at = next((at for at, token in enumerate(tokens) if "block" in token.roles), len(tokens))
    number = next((token.number for token in tokens[at + 1 : at + _BLOCK_WITHIN] if token.number is not None), None)
    run = case.once(_by_batch_size, sentence.system).get(f"{number.value:g}") if number else None
    if number is None or run is None:
        return None
    return Finding(
        code=CODE,
        severity=WRONG,
        message=f"{number.value:g} is the batch size in the log, not a length in tokens",
        hint="call it the batch size: how many sequences one step takes",
        source=sentence.source,
        evidence=(sentence.evidence(), run.proof("batch_size")),
        run=run.id,
    )


def _by_batch_size(case: Case, system: str) -> dict[str, Run]:
    return {str(run.params.get("batch_size")): run for run in reversed(case.of(system)) if not run.is_prose}


def _called_otherwise(run: Run, one: Mislabelled) -> Iterator[Finding]:
    """The label says what another figure is, yet one is a whole multiple of the other."""
    counted, meant = run.value(one.figure), next((value for name in one.beside if (value := run.value(name))), None)
    line = _labelled_line(run, one)
    if not counted or not meant or line is None:
        return
    ratio = counted / meant
    if ratio < 16 or abs(ratio - round(ratio)) > _TOLERANCE * ratio:
        return
    yield Finding(
        code=CODE,
        severity=NOTE,
        message=f"`{one.label}` {counted:,.0f} is {one.counts}: {round(ratio)} times the {meant:,.0f} {one.called}",
        hint=f"quote the {one.called}, or call the other figure {one.counts} per second",
        source=run.source,
        evidence=(run.at(line),),
        run=run.id,
    )


def _labelled_line(run: Run, one: Mislabelled) -> int | None:
    for event in reversed(run.events):
        if event.line and event.value(one.figure) is not None and one.label in run.text(event.line):
            return event.line
    lines = {event.line for event in run.events if event.line}
    return next((line for line in sorted(lines, reverse=True) if one.label in run.text(line)), None)
