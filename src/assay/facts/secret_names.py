"""Whether a name says that its value is a secret: `api_key`, `HF_TOKEN`, `db.password`."""

from __future__ import annotations

import re
from functools import lru_cache

from . import secret_table as table


@lru_cache(maxsize=4096)
def name_says(name: str, query: bool = False) -> str | None:
    """`sure`; `likely` where the value has to look random, `perhaps` where it has to be; `pair` of `user:password`."""
    name = name[-100:]
    if query and table.IN_QUERY.match(name):
        return "sure"
    words = [word for word in re.split(r"[^a-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()) if word]
    if not words or words[0] in table.SWITCH or words[-1] in table.ABOUT:
        return None
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last == "pass" and before in table.OF_PASSES:
        return None
    if table.SURE.search("_".join(words)):
        return "sure"
    if last in ("token", "jwt", "pat", "bearer"):
        return None if before in table.OF_TOKENIZERS else "likely"
    if last in ("key", "sig", "signature"):
        return "likely" if query else "perhaps"
    return "pair" if last == "auth" else None
