"""Which part of the data a figure belongs to, by the words before it: train, val and test are kept apart.

    Test set: Average loss: 0.05, Accuracy: 9832/10000        Validating: 100%|███| 10/10 [00:01<00:00, loss=0.3]
    Train Loss: 0.31 | Acc: 0.91 | Val Loss: 0.41 | Acc: 0.88

The trap: `Acc` without such a word belongs to the part that was named last, or to none.
"""

from __future__ import annotations

import re
from functools import lru_cache

TRAIN, VAL, TEST = "train", "val", "test"
_PART = r"train(?:ing)?|val(?:id(?:ation|ating)?)?|dev|eval(?:uation|uating)?|test(?:ing)?"
#: `Test: [196/196]  Loss 3.72`, `Validation set: `, `[val] loss 0.3`, `eval epoch: 1, loss: 0.2`, `Testing: 100%|`,
#: `Final eval: `
_HEAD = re.compile(
    rf"(?i)\W{{0,8}}(?:final |last |best )?(?P<part>{_PART})\s{{0,12}}(?:[\]:|]|- |set\b|epoch\b|results?\b|\d+%\|)"
)
_FIRST = re.compile(rf"(?i)(?P<part>{_PART})[. ]")
_TITLE = re.compile(rf"(?i)\W{{0,8}}(?P<part>{_PART})(?: \w{{1,12}}){{0,2}}\W{{0,8}}")
_PLAIN = frozenset({"loss", "accuracy", "f1", "top1", "top5", "accuracy_1", "accuracy_5", "perplexity", "ppl"})
_WORD = re.compile(rf"(?i)\b(?P<part>{_PART})\b")


@lru_cache(maxsize=64)
def part_of(word: str) -> str:
    """`validation` is val, and so is what a program calls its evaluation."""
    word = word.lower()
    return TEST if word.startswith("test") else TRAIN if word.startswith("train") else VAL


def head_part(text: str) -> str:
    """The part that a whole line belongs to; nothing if it does not begin with one, or with the training."""
    found = _HEAD.match(text)
    part = part_of(found["part"]) if found else ""
    return "" if part == TRAIN else part


def title_part(text: str) -> str:
    """The part on a line that contains nothing else: `Test Error:` above the figures of the test."""
    found = _TITLE.fullmatch(text.strip()) if len(text) < 60 else None
    part = part_of(found["part"]) if found else ""
    return "" if part == TRAIN else part


def first_part(name: str) -> str:
    """The part that a name of several words begins with: `Val Loss`, and not `val_loss`."""
    found = _FIRST.match(name)
    return part_of(found["part"]) if found else ""


def named_part(text: str) -> str:
    """The part that a phrase mentions: `on the 10000 test images`."""
    found = _WORD.search(text)
    return part_of(found["part"]) if found else ""


def of_part(name: str, part: str) -> str:
    """`val_accuracy` for an `accuracy` of val; a name that says its part itself stays."""
    return f"{part}_{name}" if part and name in _PLAIN else name
