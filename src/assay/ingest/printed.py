"""Whether a program or a person wrote a line, in a page that does not fence its logs.

    [2025-09-11 14:09:46,954][I][components/metrics:437:log] step:  1  loss: 10.8595         a program
    Learning rate of 0.1 gave a loss of 2.3 after one epoch.                                 a person
    "train_loss": 1.1588,                                                                    a program
    Epochs: 20, batch size: 64                                                               a person: see `is_only`

The trap: both write `name: number`. Two such pairs in a line without a sentence around them are a program's, and one of
them where the line before was printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from assay.language import vocabulary

_MACHINE = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:|\[\d\d:\d\d|\[\d\d/\d\d \d\d:\d\d:\d\d|\[(?:INFO|WARN|ERROR)|"
    r"\[(?:info|warning|titan)|"
    r"\[(?:rank|default|Rank ?)\d+\]|[IWE]\d{4} \d\d:\d\d:\d\d|\d+%\||[A-Z_]{3,}=|/\w+/|Traceback|"
    r"File \"|\{['\"]|\(\w+\): |srun: |slurmstepd|Epoch|Step|INFO:|WARNING:|ERROR:|DEBUG:|Processed \d|"
    r"(?:epoch|step|iter)[ :=\[#]+\d[^\n]*(?:\b|_)[Ll]oss[ :=]|Train(?:ing)? [Ee]poch|Namespace\(|"
    r"Accuracy of the [\w ]+ images: |\[\s*\d+,\s*\d+\] \w+:|"
    r"\d+/\d+ \[[=>.]+\]|(?:train|val|test)_\w+ ?[:=] ?\d|"
    r"(?:# )?Elapsed time {2,}CPU|Test set: Average loss: \d|"
    r"(?:\d+: )?:::MLLOG |DLLL \{|\[epoch=\d+\]|(?:Train|Eval) [a-z]\w*/[\w/-]+: |iteration +\d+/ *\d+ \||"
    r"completed step: \d|validation loss at |Config param |TrainOutput\(|wandb: |\w+ \.{5,} \S|"
    r"\*{3,} [\w ]+ \*{3,}|-{5,} [\w /]{1,60} -{5,}|"
    r"\"[\w/. ()-]{1,80}\": ?(?:[-\d\[{\"]|true|false|null)|[\]}]{1,4},?\s*$|[a-z]+(?:_[a-z]+)+(?:/\w+)*: \S+$)"
)
_PAIR = re.compile(r"[A-Za-z_)\]]\"?\s?[:=]\s*[-+]?\d[\d.,]*(?:[eE][-+]?\d+)?")
_FIGURE = re.compile(
    r"(?i)\b(?:loss|memory(?: allocated)?|acc(?:uracy)?|ppl|perplexity|f1|mfu|auc|map|wer|error|time|speed|"
    r"throughput)\b\S{0,20}"
    r"(?:\s?[:=]\s*|\s)[-+]?\d[\d.]*(?:[eE][-+]?\d+)?"
    r"\s*(?:%|s|ms|seconds|[KMGT]i?B|(?:samples|images|tokens)/s(?:ec)?)?$"
)
#: one name and its value, and no more: a person's word above a log, a program's within it
_ALONE = re.compile(r"[\w ()&.,/-]{2,90}\s?[=:]\s*[-+]?\d[\d.,eE+-]*%?$")
#: what only a program names on every line, and what a person names beside a result
_COUNTS = re.compile(r"(?i)\b(?:loss|step|iter(?:ation)?)\b")
_SETS = re.compile(r"(?i)\b(?:batch[ _]?size|learning[ _]rate|epochs) ?[:=]")
_RESULT = re.compile(r"(?i)->|=>|\b(?:accuracy|loss|took|throughput)\b")
_WORDS = re.compile(r"[A-Za-z][a-z']+")
_MARKED = re.compile(r"\s*(?:#{1,6} ?\w|```|~~~|[-*] \w+ \w+ \w+|\d+[.)] [A-Z])")
_SMALL = vocabulary.words("IN_SENTENCES") | vocabulary.words("FOREIGN")
_FEWEST_WORDS = 6
#: words between two figures of a line that a program prints
_MOST_WORDS = 4


def is_machine(text: str) -> bool:
    """Whether the line begins as only a program's lines do."""
    return _MACHINE.match(text) is not None


def is_printed(text: str, plain: str, *, after_printed: bool) -> bool:
    """`plain` is the text without markup; `after_printed` says that a program printed the line before."""
    if _MACHINE.match(text) or "%|" in text or _looks_printed(plain):
        return True
    if after_printed and len(plain) < 100 and (_FIGURE.search(plain) or _ALONE.match(plain)):
        return True
    return _has_figures(plain)


def is_a_log(texts: Iterable[str]) -> bool:
    """Whether nobody has written a word into a file that may be either: no sentence, no heading, no fence, no list."""
    return not any(_MARKED.match(text) or _is_sentence(text) or _is_result(text) for text in texts)


def is_told(text: str) -> bool:
    """Whether a person wrote a line right below a command and its output: a sentence, an item of a list, a label."""
    words = _WORDS.findall(text[:2000])
    return _MARKED.match(text) is not None or _is_sentence(text) or (len(words) > 2 and text.rstrip()[-1:] in ".!?:")


def _is_result(text: str) -> bool:
    """`batch size = 8, epochs = 10 -> accuracy 98.11%`: settings and what came of them."""
    return _SETS.search(text) is not None and _RESULT.search(text) is not None and not _MACHINE.match(text)


def _is_sentence(text: str) -> bool:
    words = [] if "|" in text else text.split()
    if len(words) < _FEWEST_WORDS or _MACHINE.match(text):
        return False
    return sum(word.lower() in _SMALL for word in words) >= 2


def _has_figures(text: str) -> bool:
    """Several figures with their names, and no sentence around them."""
    pairs = len(list(islice(_PAIR.finditer(text), 20)))
    if pairs < 2 or text.rstrip().endswith((".", "!", "?")) or not _COUNTS.search(text) or _SETS.search(text):
        return False
    return len(_WORDS.findall(text[:2000])) <= _MOST_WORDS * (pairs + 1)


def _looks_printed(text: str) -> bool:
    """More signs than words: a line that a machine wrote, in a page that does not fence its logs."""
    if len(list(islice(_WORDS.finditer(text), 3))) == 3:
        return False
    symbols = sum(not (c.isalnum() or c.isspace() or c in ".,'’\"()-:;!?%") for c in text)
    return symbols > len(text) * 0.15
