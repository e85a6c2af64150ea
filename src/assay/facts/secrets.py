"""Mask what looks like a token, a key or a password, so that it never reaches a record or a screen.

The trap: `--max-tokens 128`, `--tokenizer bert` and `--pad-token [PAD]` are settings, not secrets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

MASK = "***"

_ALWAYS = {"password", "passwd", "passphrase", "secret", "credential", "credentials", "apikey"}
_KEY_BEFORE = {"api", "access", "secret", "private", "auth", "account", "encryption", "signing"}
#: shapes that are secret whatever they are called
_SHAPES = re.compile(
    r"""hf_[A-Za-z0-9]{16,} | sk-[A-Za-z0-9_-]{16,} | gh[pousr]_[A-Za-z0-9]{20,} | github_pat_\w{20,}
    | glpat-[\w-]{16,} | xox[abprs]-[\w-]{10,} | AKIA[0-9A-Z]{16} | AIza[\w-]{30,} | pypi-[\w-]{32,}
    | eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*""",
    re.VERBOSE,
)
_IN_URL = re.compile(r"(?P<head>[a-z][a-z0-9+.-]*://[^/\s:@]*:)[^/\s@]+(?=@)", re.IGNORECASE)
_BEARER = re.compile(r"(?P<head>\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}", re.IGNORECASE)
_ASSIGNED = re.compile(r"(?s)(?P<dashes>-{0,2})(?P<name>[A-Za-z][\w.-]*)(?P<sep>[=:])(?P<value>.*)")


def mask_arguments(arguments: Sequence[str]) -> list[str]:
    """The command line with every secret value replaced by `***`."""
    masked: list[str] = []
    for argument in arguments:
        before = masked[-1] if masked else ""
        if before.startswith("-") and "=" not in before and secret(before.lstrip("-"), argument):
            masked.append(MASK)
        else:
            masked.append(mask_text(argument))
    return masked


def mask_values(values: Mapping[str, str]) -> dict[str, str]:
    return {name: MASK if secret(name, value) else mask_text(value) for name, value in values.items()}


def mask_text(text: str) -> str:
    """One argument: `name=secret`, a token by its shape, a password inside a URL."""
    assigned = _ASSIGNED.fullmatch(text)
    if assigned and secret(assigned["name"], assigned["value"]):
        return assigned["dashes"] + assigned["name"] + assigned["sep"] + MASK
    text = _IN_URL.sub(lambda found: found["head"] + MASK, text)
    text = _BEARER.sub(lambda found: found["head"] + MASK, text)
    return _SHAPES.sub(MASK, text)


def secret(name: str, value: str) -> bool:
    """Whether a setting of this name and value is one to hide."""
    words = [word for word in re.split(r"[^a-z0-9]+", _spaced(name).lower()) if word]
    if not words or not value or value.startswith("-"):
        return False
    if _ALWAYS & set(words):
        return True
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last == "key":
        return before in _KEY_BEFORE
    # `--eos-token "</s>"`, `--token 5`: a real token is long and has no brackets
    return last in ("token", "jwt") and re.fullmatch(r"[\w.~+/=-]{12,}", value) is not None


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
