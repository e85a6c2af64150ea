"""Settings as people state them: `batch size of 512`, `512 batch size`, `lr 0.01`, `from 10 to 20 epochs`, a file name.

These are claims: what someone writes about a run, never what the run shows. The table of quantities says what a setting
is called; a number before or behind its name, with at most a small word between, is its value.

The trap: `batch sizes of 8, 16 and 32` states no setting of one run, and neither does what is planned or not done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from assay.core.numbers import Number, numbers, with_points
from assay.quantities import BY_NAME, Quantity, named, settings


@dataclass(frozen=True, kw_only=True)
class Stated:
    """One setting that someone gave one value; `line` 0 is the file's name."""

    name: str
    value: int | float
    line: int = 0
    start: int = 0  # of the name in the text
    end: int = 0
    was: int | float | None = None  # `from 10 to 20 epochs`


#: settings that a sentence may claim of a run; `4 GPUs` may be those of a node, so processes are not among them
_CLAIMED = frozenset((
    "lr", "epochs", "batch_size", "num_tasks", "num_nodes", "seq_len", "max_steps", "concurrency", "request_rate",
    "input_len", "output_len", "grad_accum", "dropout", "weight_decay", "warmup_steps",
))  # fmt: skip
_SHORT = {flag: one for one in settings() for flag in one.flags}
#: between a name and its value
_LINK = re.compile(
    r"[\s\"'`*)]*(?:\((?:in |of )?\w{1,10}\))?[\s\"'`*]*(?:(?:was|is|were|are|set|used|changed|increased|reduced|"
    r"lowered|raised|"
    r"equal|equals|number|value|size|rate|at|to|of|from|with|became|kept|now|only|just|about|up|down|fixed|still|again|=+>?|:|->|→|-+>?)[\s\"'`*(]*){0,4}",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"[\s\"'`*-]*(?:(?:training|total|full|more|concurrent|parallel|different|mpi|as|the|of|is|for|a|=)\s+){0,2}",
    re.IGNORECASE,
)
_ALSO = re.compile(
    r"\s*(?:,|/|and|or|&|vs\.?|versus|to|then|through|-|–)\s*(?:(?:and|or|then|with|finally|even|to)\s+)?(?:[a-z]+ )?",
    re.IGNORECASE,
)
#: what makes a sentence no statement about a run that took place
_SUPPOSED = re.compile(
    r"(?i)\b(?:would|could|should|might|if|unless|plan(?:ned|s)?|will|want(?:ed)?|try(?: to)?$|suppose|expect(?:ed)?|"
    r"estimat\w+|extrapolat\w+|instead of|rather than|default(?:s)?|recommend\w*|never|not|n[o']t|didn.?t|"
    r"wasn.?t|without|"
    r"forgot|unable|other teams?|paper|ask(?:ed)?|e\.g|example|maybe|perhaps|supposed)\b"
)  # fmt: skip
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[\w(*`\"])|\n")
_EACH = re.compile(
    r"(?i)\b(?:per|each|every) (?:of \d+ )?(?:gpu|device|worker|rank|node|process|replica|card|chip|ipu)s?\b"
)
_ENDING = re.compile(r"(?i)\.(?:log|txt|out|md|gz|csv|json|html|ipynb|yaml|yml|py|err)\b")


@cache
def _mention() -> re.Pattern[str]:
    """Every spelling of every setting that a sentence may name, the longest first."""
    spelled = {word for one in settings() if one.name in _CLAIMED for word in (one.name, *one.spellings)}
    spelled |= {"batch sizes", "learning rates", "steps", "epoch", "tasks", "input length", "output length"}
    spelled -= {"b", "e", "n", "t", "c", "batch"}
    plain = sorted((word.replace("_", "[-_ ]?") for word in spelled if len(word) > 1), key=len, reverse=True)
    return re.compile(rf"(?i)(?<![\w/.])(?:{'|'.join(plain)})(?![\w/])")


def _quantity(word: str) -> Quantity | None:
    plain = re.sub(r"[-_ ]+", "_", word.lower()).strip("_")
    for form in (plain, plain.removesuffix("s"), plain.replace("_", "")):  # `batch sizes`, `batch-size`, `batchsize`
        known = named(form)
        if known is not None and known.settable:
            return known
    names = {"steps": "max_steps", "epoch": "epochs", "tasks": "num_tasks", "input_length": "input_len"}
    return BY_NAME.get({**names, "output_length": "output_len"}.get(plain, ""))


def settings_in(text: str, line: int = 0, *, decimal_comma: bool = False) -> list[Stated]:
    """What one text states; a setting with several values at once is not a claim about one run."""
    if not any(letter.isdigit() for letter in text) or len(text) > 4000:
        return []
    text = with_points(text) if decimal_comma else text
    found: list[Stated] = []
    at = 0
    for sentence in _SENTENCE.split(text):
        start = text.find(sentence, at)
        at = start + len(sentence)
        found += _in_sentence(sentence, line, start)
    several = {one.name for one in found if any(two.name == one.name and two.value != one.value for two in found)}
    single: dict[str, Stated] = {}
    for one in found:
        if one.name not in several:
            single.setdefault(one.name, one)
    return list(single.values())


def _in_sentence(text: str, line: int, offset: int) -> Iterator[Stated]:
    mentions = list(_mention().finditer(text))
    if not mentions:
        return
    values = numbers(text)
    used: set[int] = set()
    for mention in mentions:
        known = _quantity(mention[0])
        if known is None:
            continue
        bound = _value(text, mention, values, used, known)
        if bound is None:
            continue
        number, was, listed = bound
        made = as_setting(known, number.value)
        before = text[max(0, mention.start() - 60) : mention.start()]
        if made is None or listed or _SUPPOSED.search(before) or (known.name == "batch_size" and _EACH.search(text)):
            continue
        old = as_setting(known, was.value) if was is not None else None
        yield Stated(
            name=known.name, value=made, line=line, start=offset + min(mention.start(), number.start),
            end=offset + max(mention.end(), number.end), was=old,
        )  # fmt: skip


def _value(
    text: str, mention: re.Match[str], values: list[Number], used: set[int], known: Quantity
) -> tuple[Number, Number | None, bool] | None:
    """The number that belongs to a name: behind it, or before it; with what it was before, and whether more follow."""
    after = next((n for n, one in enumerate(values) if one.start >= mention.end()), None)
    if after is not None and after not in used and not values[after].unit.base:
        number = values[after]
        link = text[mention.end() : number.start]
        if _LINK.fullmatch(link):
            return _of_several(text, values, after, used, forwards=True)
    before = next((n for n in range(len(values) - 1, -1, -1) if values[n].end <= mention.start()), None)
    if (
        before is not None
        and before not in used
        and not values[before].unit.base
        and _BEHIND.fullmatch(text[values[before].end : mention.start()])
    ):
        if known.name == "lr":
            return None
        return _of_several(text, values, before, used, forwards=False)
    return None


def _of_several(
    text: str, values: list[Number], at: int, used: set[int], *, forwards: bool
) -> tuple[Number, Number | None, bool]:
    used.add(at)
    other = at + 1 if forwards else at - 1
    if not 0 <= other < len(values) or values[other].unit.base or (other in used and not forwards):
        return values[at], None, False
    first, second = (at, other) if forwards else (other, at)
    between = text[values[first].end : values[second].start]
    if not _ALSO.fullmatch(between):
        return values[at], None, False
    lead = text[max(0, values[first].start - 12) : values[first].start].lower()
    if re.search(r"\bfrom\s*$", lead) and re.match(r"\s*(?:to|->|→)", between):
        used.update((first, second))
        return values[second], values[first], False
    behind = text[values[second].end :].lstrip()
    is_next_pair = forwards and re.match(r"[A-Za-z]", behind) is not None and _mention().match(behind) is not None
    return values[at], None, not is_next_pair


def is_supposed(text: str) -> bool:
    """Whether a sentence is about what was not done: planned, expected, asked, denied."""
    return _SUPPOSED.search(text) is not None


def as_setting(quantity: Quantity, value: float) -> int | float | None:
    """The number as this setting takes it: whole where only whole numbers make sense, and in the range of reason."""
    if quantity.whole:
        return int(value) if value.is_integer() and 0 < value < 10**9 else None
    return float(f"{value:.12g}") if 0 < value < 100 else None


_ONLY_REST = re.compile(
    r"(?i)[\s,;:|/=+&()\[\]{}<>\"'`*_#.-]*|(?:[\s,;:|/=()*_`\"'-]*\b(?:with|and|number|of|the|training|total|max|per|run|runs|settings?|parameters?|using|used|for|config(?:uration)?|hyperparameters?|size)\b[\s,;:|/=()*_`\"'-]*){1,8}"
)


def is_only(text: str) -> bool:
    """`Epochs: 20`, `BS=512`: a line that gives settings their values, and holds nothing else."""
    if len(text) > 200:
        return False
    found = settings_in(text)
    if not found:
        return False
    rest, at = "", 0
    for one in sorted(found, key=lambda one: one.start):
        rest += text[at : one.start] + " "
        at = max(at, one.end)
    return _ONLY_REST.fullmatch(rest + text[at:]) is not None


def settings_of_command(command: str, line: int = 0) -> list[Stated]:
    """`--batch-size 512`, `--lr=0.1`, `-b 8`, `epochs=10`; of one that is given twice, the first."""
    words = re.split(r"[\s\"',;=]+", command.replace("\\", " "))
    found: dict[str, Stated] = {}
    for word, value in pairwise(words):
        known = _SHORT.get(word) or (
            named(word.lstrip("-+")) if word.startswith("-") or f"{word}=" in command else None
        )
        if known is None or not known.settable or known.name not in _CLAIMED:
            continue
        one = numbers(value)
        made = as_setting(known, one[0].value) if len(one) == 1 and one[0].end - one[0].start == len(value) else None
        if made is not None and known.name not in found:
            found[known.name] = Stated(name=known.name, value=made, line=line)
    return list(found.values())


_PIECE = re.compile(
    r"(?<![A-Za-z])(?:(?P<word>[A-Za-z]{1,16}(?:[_-](?:size|rate|len|length)(?![A-Za-z]))?)(?P<gap>[_=-]?)"
    r"(?P<after>\d{1,9}(?:\.\d{1,9})?(?:e-?\d{1,2})?)(?![A-Za-z\d])|(?P<before>\d{1,9})[_-]?(?P<noun>tasks?|epochs?)(?![A-Za-z]))"
)
#: letters that stand for a setting in names of files alone
_LETTERS = {
    "b": "batch_size", "batch": "batch_size", "bs": "batch_size", "e": "epochs", "ep": "epochs", "epoch": "epochs",
    "seq": "seq_len", "tasks": "num_tasks", "task": "num_tasks", "ntask": "num_tasks", "lr": "lr",
}  # fmt: skip
_IN_NAMES = frozenset(("batch_size", "epochs", "lr", "num_tasks", "seq_len"))
_GPU = re.compile(r"(?i)(?<![a-z\d])g?b[123]00(?![a-z\d])")


def setting_named(head: str) -> str:
    """The setting that the head of a column names: `Batch size`, `batch`, `tasks`; empty where it names none."""
    known = named(head)
    word = head.lower().strip()
    return known.name if known is not None and known.settable else _LETTERS.get(word, "") if len(word) > 1 else ""


def settings_of_name(name: str) -> list[Stated]:
    """`mnist_b12_e20_lr0.01.txt`, `bert_bs1024.log`, `8tasks`; a number without a word is not a setting."""
    found: dict[str, set[int | float]] = {}
    stem = _GPU.sub("", _ENDING.sub("", name))
    for one in _PIECE.finditer(stem):
        word, digits = one["word"] or one["noun"], one["after"] or one["before"]
        known = named(word)
        setting = known.name if known is not None and known.settable else _LETTERS.get(word.lower(), "")
        if setting not in _IN_NAMES or (setting == "lr" and not re.search(r"[.e]", digits)):
            continue
        if one["before"] and (
            digits.startswith("0") or re.search(r"(?i)(?:run|exp|job|test|trial|part)[_-]?$", stem[: one.start()])
        ):
            continue
        made = as_setting(BY_NAME[setting], float(digits))
        if made is not None:
            found.setdefault(setting, set()).add(made)
    return [Stated(name=setting, value=values.pop()) for setting, values in found.items() if len(values) == 1]
