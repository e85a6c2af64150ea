"""Questions that no page of ours asks: addresses with strange words in every place."""

from __future__ import annotations

from random import Random
from urllib.parse import quote

#: what each address reads of its query
_READS = {
    "/api/runs": ("q", "where", "sort", "group", "offset", "limit"),
    "/api/run/RUN/log": ("from", "end", "lines", "limit", "find", "at", "line"),
    "/api/compare": ("runs", "where", "by", "baseline", "axis"),
    "/api/findings": ("runs", "where"),
    "/api/run/RUN/events": ("after",),
    "/api/changes": ("after",),
    "/api/run/RUN": (),
    "/api/fields": (),
    "/api/studies": (),
    "/run/RUN": ("token",),
    "/": ("q",),
}
_NUMBERS = ("²", "½", "-1", "1e999", "9" * 5000, "0x10", "nan", "١٢", "1_000", "+1", "1.5", "0", " 3", "9" * 20)
_WORDS = (
    "", " " * 3000, "a" * 3000, "status=", "=x", "loss>", "loss>x", "loss<1;loss>0", "a=b;" * 50, "name~(", "params.",
    "params.lr<0.1", "..", "../..", "%00", "\x00", "\ud800", "-started", "started", "-", "loss", "phases", "claims",
    "tags", "error", "host", "x" * 20_000, "[", "[[]]", "{}", "null", "'", '"', "<script>", "\n", "True", "samples",
    "status!=completed", "error=unknown", "seconds", "x,y", "energy", "end", "RUN", "RUN,RUN", "last", "loss=²",
    ";" * 500,
)  # fmt: skip


def question(chance: Random) -> str:
    """A path with a query; RUN stands for the folder of a run."""
    path = chance.choice([*_READS, *list(_READS)[:3] * 3])
    names = (*_READS[path], *_READS[path], "x")
    if chance.random() < 0.1:
        path = path.replace("RUN", _quoted(chance.choice(_WORDS)) or "none")
    if chance.random() < 0.1:
        path += "/" + _quoted(chance.choice(_WORDS))
    values = chance.choices((*_NUMBERS, *_WORDS), k=chance.randint(0, 4))
    pairs = [f"{chance.choice(names)}={_quoted(value)}" for value in values]
    return path + ("?" + "&".join(pairs) if pairs else "")


def condition(chance: Random) -> str:
    """Something like a condition of `--where`."""
    name = chance.choice((*_WORDS, "status", "loss", "params.x", "started"))
    return (
        name
        + chance.choice(("=", "!=", ">", "<", ">=", "<=", "~", "", "==", " "))
        + chance.choice((*_NUMBERS, *_WORDS))
    )


def _quoted(word: str) -> str:
    return word if word == "RUN" else quote(word.encode("utf-8", "surrogatepass"), safe="")
