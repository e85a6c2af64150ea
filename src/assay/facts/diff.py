"""A diff as it may be kept: without secrets, and without files that hold nothing else."""

from __future__ import annotations

import re
from typing import Any

from assay.facts.secret_table import PRIVATE_FILE
from assay.facts.secrets import mask_text

_FILE = re.compile(r'(?m)^diff --git "?a/(?P<old>.*?)"? "?b/(?P<new>[^"\n]*)"?$')
#: in these an unquoted word after `password =` is code
_CODE = re.compile(r"\.(?:pyi?|[jt]sx?|cc?|cpp|cu|h|hpp|go|rs|java|kt|jl|r|lua|pl|rb|m)$", re.IGNORECASE)


def kept_diff(diff: str) -> dict[str, Any]:
    """`diff`; `diff_masked` where a secret was hidden in it, `diff_left_out` with the names of private files."""
    heads = list(_FILE.finditer(diff))
    ends = [head.start() for head in heads[1:]] + [len(diff)]
    kept, left_out, masked = [diff[: heads[0].start()] if heads else diff], [], False
    for head, end in zip(heads, ends, strict=True):
        part = diff[head.start() : end]
        if PRIVATE_FILE.search(head["new"]) or PRIVATE_FILE.search(head["old"]):
            left_out.append(head["new"])
            continue
        shown = part if "\nGIT binary patch\n" in part else mask_code(part, head["new"])
        masked = masked or shown != part
        kept.append(shown)
    facts: dict[str, Any] = {"diff": "".join(kept)}
    if masked:
        facts["diff_masked"] = True
    if left_out:
        facts["diff_left_out"] = left_out
    return facts


def mask_code(text: str, path: str) -> str:
    """The text of a file, by what kind of file it is."""
    return mask_text(text, code=_CODE.search(path) is not None)
