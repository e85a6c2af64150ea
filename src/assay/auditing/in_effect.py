"""Whether a log leaves open which value of a setting was in effect: printed twice, of the evaluation, from zero."""

from __future__ import annotations

import re

from assay.auditing.case import Run
from assay.model.values import Setting, number

#: a program lists its settings before it begins; of a longer log, this many lines are looked at
_MOST_LINES = 5000
_NUMBER = re.compile(r"(?<![\w.])\d[\d,_]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.]*\w)", re.IGNORECASE)
#: on the line of the value, or on one of the few above it
_OTHER_PART = re.compile(r"\b(?:eval|evaluat|valid|test|predict|infer)", re.IGNORECASE)
_HEADING_LINES = 3
_EPOCH_0 = re.compile(r"epoch\W{0,3}0\b", re.IGNORECASE)


def is_open(run: Run, name: str, claimed: Setting, shown: Setting) -> bool:
    """The claimed value may have been in effect, although another one was printed."""
    proof = run.place_of(name, kinds=("param",))
    if proof is None or not proof.line:
        return False
    above = range(max(run.lines[0], proof.line - _HEADING_LINES), proof.line + 1)
    if any(_OTHER_PART.search(run.text(line)) for line in above if line != run.claim(name).line):
        return True
    a, b = number(claimed), number(shown)
    label = _label(proof.text)
    for line in range(run.lines[0], min(run.lines[1], run.lines[0] + _MOST_LINES) + 1):
        text = run.text(line)
        if line in (run.claim(name).line, proof.line) or not text:
            continue
        said = _label(text)
        if any(one and one in said for one in (label, _letters(name))) and _has(text, claimed):
            return True
        if (
            name == "epochs"
            and a is not None
            and b is not None
            and a == b + 1
            and re.search(r"(?i)epoch\W{0,3}0\b", text)
        ):
            return True
    return False


def _label(text: str) -> str:
    """`max_iters = 5000`: what stands before the first number, without signs."""
    found = _NUMBER.search(text)
    return _letters(text[: found.start()] if found else text)


def _letters(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum())


def _has(text: str, value: Setting) -> bool:
    wanted = number(value)
    if wanted is None:
        return str(value).lower() in text.lower()
    return any(float(one[0].replace(",", "").replace("_", "")) == wanted for one in _NUMBER.finditer(text))
