"""A diff as it may be kept: without secrets, and without files that hold nothing else."""

from __future__ import annotations

import re

from assay.facts.secret_table import is_private
from assay.facts.secrets import mask_text

_FILE = re.compile(r'(?m)^diff --git "?a/(?P<old>.*?)"? "?b/(?P<new>[^"\n]*)"?$')
#: in these an unquoted word after `password =` is code
_CODE = re.compile(r"\.(?:pyi?|[jt]sx?|cc?|cpp|cu|h|hpp|go|rs|java|kt|jl|r|lua|pl|rb|m)$", re.IGNORECASE)


def kept_diff(diff: str) -> tuple[str, bool, list[str]]:
    """(what may be kept of it, whether a secret was hidden in it, the private files that were left out)."""
    heads = list(_FILE.finditer(diff))
    ends = [head.start() for head in heads[1:]] + [len(diff)]
    kept, left_out, masked = [diff[: heads[0].start()] if heads else diff], [], False
    for head, end in zip(heads, ends, strict=True):
        part = diff[head.start() : end]
        if is_private(head["new"]) or is_private(head["old"]):
            left_out.append(head["new"])
            continue
        shown = part if "\nGIT binary patch\n" in part else mask_code(part, head["new"])
        masked = masked or shown != part
        kept.append(shown)
    return "".join(kept), masked, left_out


def mask_code(text: str, path: str) -> str:
    """The text of a file, by what kind of file it is."""
    return mask_text(text, code=_CODE.search(path) is not None)
