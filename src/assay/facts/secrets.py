"""Mask what looks like a token, a key or a password, so that it never reaches a record or a screen.

The trap: `--max-tokens 128`, `--tokenizer bert` and `--pad-token [PAD]` are settings, not secrets. Where a name leaves
a doubt, the value decides: a secret is long and looks random.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

MASK = "***"

#: parts of a name that leave no doubt, wherever they stand in it
_CERTAIN = re.compile(r"passw|passwd|passphrase|secret|credential|apikey|privatekey|(?:^|_)pwd?$", re.IGNORECASE)
_PASS = re.compile(r"(?:^|[_-])pass$", re.IGNORECASE)
_KEY_BEFORE = {
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "account",
    "encryption",
    "signing",
    "wandb",
    "hf",
    "openai",
}
#: shapes that are secret whatever they are called
_SHAPES = re.compile(
    r"""hf_[A-Za-z0-9]{16,} | sk-[A-Za-z0-9_-]{16,} | gh[pousr]_[A-Za-z0-9]{20,} | github_pat_\w{20,}
    | glpat-[\w-]{16,} | xox[abprs]-[\w-]{10,} | AKIA[0-9A-Z]{16} | AIza[\w-]{30,} | pypi-[\w-]{32,}
    | eyJ(?:(?!eyJ)[\w-]){10,}\.[\w-]{10,}\.[\w-]*""",
    re.VERBOSE,
)
#: of curl, which takes `user:password` after them; `docker run --user 0:0` means something else
_USER_FLAGS = ("-u", "--user", "-U", "--proxy-user")
_IN_URL = re.compile(r"(?P<head>\b[a-z][a-z0-9+.-]{1,20}://[^/\s:@]{0,100}:)[^/\s@]{1,500}(?=@)", re.IGNORECASE)
_BEARER = re.compile(r"(?P<head>\b(?:bearer|basic)\s{1,4})[\w.~+/=-]{8,}", re.IGNORECASE)
#: the beginning of `--name value`, `--name=value`, `NAME=value`, `name: value`, `"name": "value"` somewhere in a text
_NAME = r"[A-Za-z][\w.-]{1,60}"
_HEAD = re.compile(rf"(?<![\w-])(?:-{{1,2}}(?P<flag>{_NAME})\s+|-{{0,2}}(?P<name>{_NAME})[\"']?\s?[=:]\s?)")
_VALUE = re.compile(r"'[^']*'|\"[^\"]*\"|[^\s'\"]+")
#: what any name that may belong to a secret hides
_PROBE = "aB3dE6gH9jK2mN5p"


def mask_arguments(arguments: Sequence[str]) -> list[str]:
    """The command line with every secret value replaced by `***`."""
    masked: list[str] = []
    for index, argument in enumerate(arguments):
        before = arguments[index - 1] if index else ""
        if before.startswith("-") and "=" not in before and secret(before.lstrip("-"), argument):
            masked.append(MASK)
        elif before in _USER_FLAGS and ":" in argument and os.path.basename(arguments[0]) == "curl":
            masked.append(argument.partition(":")[0] + ":" + MASK)
        else:
            masked.append(mask_text(argument))
    return masked


def mask_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings and variables: by their names, and by what their values look like."""
    return {
        name: value if not isinstance(value, str) else MASK if secret(name, value) else mask_text(value)
        for name, value in values.items()
    }


def mask_text(text: str) -> str:
    """One argument, which may be a whole command line: `name=secret`, a token by its shape, a password in a URL."""
    if "://" in text:
        text = _IN_URL.sub(lambda found: found["head"] + MASK, text)
    text = _mask_named(text)
    text = _BEARER.sub(lambda found: found["head"] + MASK, text)
    return _SHAPES.sub(MASK, text)


def _mask_named(text: str) -> str:
    """Goes on right after a name that hides nothing: in `export KEY=…` or `--env KEY=…` its value is the next name."""
    kept, at = [], 0
    while head := _HEAD.search(text, at):
        kept.append(text[at : head.end()])
        at = head.end()
        name = head["flag"] or head["name"]
        value = _VALUE.match(text, at) if secret(name, _PROBE) else None
        if value and secret(name, value[0].strip("'\"")):
            kept.append(MASK)
            at = value.end()
    return "".join(kept) + text[at:]


def secret(name: str, value: str) -> bool:
    """Whether a setting of this name and value is one to hide."""
    if not value:
        return False
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    if _CERTAIN.search(spaced.replace("-", "_")) or _PASS.search(spaced):
        return not value.startswith("--")
    words = [word for word in re.split(r"[^a-z0-9]+", spaced.lower()) if word]
    last, before = words[-1] if words else "", words[-2] if len(words) > 1 else ""
    if last == "key":
        return before in _KEY_BEFORE
    # `--eos-token "</s>"`, `--token 5`, `--eos-token endoftext`: a real token is long and looks random
    return last in ("token", "jwt", "pat") and _looks_random(value)


def _looks_random(value: str) -> bool:
    if re.fullmatch(r"[\w.~+/=:-]{12,}", value) is None:
        return False
    counts = Counter(value.lower())
    entropy = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    return any(c.isdigit() for c in value) and entropy > 2.5
