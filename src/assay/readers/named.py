"""The named figures of a line: `loss: 0.41`, `Acc@1 38.1`, `img/s: 431`, `2512 tokens/s`, and its step and epoch.

The trap: numbers beside words are everywhere. `eta: 0:04:12` is a clock, `Map: 100%|` a bar, `0.1  img/s: 26.5` no rate
of 0.1, `Error 2` the exit code of make, and `validation loss at iteration 1000` no loss of 1000.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from assay.core.dates import timed
from assay.quantities import BY_NAME, RATE, TOTAL, of_kind
from assay.readers.counted import BAR, counts
from assay.readers.sizes import PEAK, peak
from assay.readers.split import first_part, head_part, named_part, of_part
from assay.readers.told import NOTHING
from assay.reading.reader import figure, fraction
from assay.reading.shapes import NUMBER, Recipe, follow, scaled

#: no digit may follow: a number is taken whole or not at all, so that none is tried at every one of its lengths
NUMBER_TEXT = r"[-+]?(?:\d+(?:,\d+)*(?:\.\d*)?(?:[eE][-+]?\d+)?(?!\d)|\.\d+(?:[eE][-+]?\d+)?(?!\d)|nan|inf)"
_PAIR = re.compile(
    rf"(?<![\w./])(?P<name>[A-Za-z][\w/.@-]{{0,40}}(?: [A-Za-z][\w/-]{{0,20}}){{0,2}}?)"
    rf"(?:\s*(?P<sep>[=:])\s*|\s+)\[?(?P<value>{NUMBER_TEXT})"
    r"(?![\w.]*[A-Za-z_])(?P<percent>\s*%)?",
    re.IGNORECASE,
)
#: what follows a number that is the beginning of a clock
_CLOCK = re.compile(r":\d")
_MEASURED = re.compile(
    r"(?i)(?:^|[_/. -])(?:(?:m?log|bce|mse)?loss|acc|accuracy|ppl|perplexity|f1|bleu|rouge\w*|mae|mse|rmse|auc|map|"
    r"top[-_ ]?[15]|accuracy[15]|spearman|wer|throughput|error|reward|iou|dice|psnr|mcc|mfu)(?:$|[_/. @-])"
    r"|^(?:train|val|test)_score$|^(?:samples|tokens|requests|inferences)_per_s(?:_avg|_per_device)?$"
)
_UNIT = (
    r"(?:samples?|images?|imgs?|seqs?|sequences|examples?|tokens?|toks?|requests?|reqs?|queries|inferences)"
    r"/s(?:ec(?:ond)?)?"
)
_PER_S = (
    ("tok", "tokens_per_s"), ("req", "requests_per_s"), ("quer", "requests_per_s"), ("inf", "inferences_per_s"),
)  # fmt: skip
_EACH = r"(?P<each>(?:/| per )(?:gpu|device|rank|worker)\b)"
_RATE = re.compile(
    rf"(?<!\d)(?<!\d,)(?P<value>{NUMBER_TEXT})\s{{0,8}}(?P<unit>{_UNIT})\b(?!\s*[:=]){_EACH}?",
    re.IGNORECASE,
)
_RATE_NAMED = re.compile(
    rf"(?P<unit>{_UNIT})(?: on \d+ \S{{1,12}})?{_EACH}?\s*[:=]\s*(?P<value>{NUMBER_TEXT})",
    re.IGNORECASE,
)
#: `loss 2.316 tokens/s 47398 lr 0.1`: the number before the unit has a name of its own, and the one behind it has
#: neither name nor unit, for a word that a number follows is the next name
_RATE_BEHIND = re.compile(
    rf"(?P<unit>{_UNIT}){_EACH}?\s{{1,8}}(?P<value>{NUMBER_TEXT})(?![\w.,]*\w)(?!\s?[%/])"
    r"(?!\s?[^\W\d]\w{0,20}\b(?![.:=\s]{0,3}[-+]?\d))",
    re.IGNORECASE,
)
_HITS = re.compile(r"(?i)accuracy:?\s*(?P<right>\d+)/(?P<all>\d+)")
#: `Accuracy of the network on the 10000 test images: 54 %`
_ACCURACY_OF = re.compile(r"(?i)\baccuracy (?:of|on|over|for)\b[^:=%]{0,60}[:=]\s*(?P<percent>\d+(?:\.\d+)?)\s*%")
#: `metrics.py:345]` names a line of a program
_SOURCE = re.compile(r"\.(?:py|cc?|cpp|cu|h|rs|go|js|java)$", re.IGNORECASE)
#: `46.7% bf16 MFU`, as llm.c prints it
_MFU = re.compile(r"(?<![\w.])(?P<value>\d{1,3}(?:\.\d{1,9})?) ?% (?:\w{2,8} )?MFU\b")
_THOUSANDS = re.compile(r"\d,\d")
_COUNTS = {"epoch", "epochs", "step", "steps", "iter", "iteration", "it", "global_step", "update", "num_updates"}
_COUNTED = ("_epoch", "_step", "_iteration", "_iter", "_batch")


Names = Mapping[str, tuple[str, float]]
_LEFT_OUT = ("", 1.0)


def pairs(text: str, names: Names = NOTHING) -> tuple[dict[str, object], Recipe | None]:
    """Every named figure of a line, if at least one of them is a measurement; and how to read its like again.

    `names` are those with a special meaning in this line: what each is, and the factor of its unit.
    """
    places = {found.start(): place for place, found in enumerate(NUMBER.finditer(text))}
    facts, figures = _named(text, names, places)
    bar, again = BAR.search(text), True
    whole_accuracy = _accuracy(text)
    if whole_accuracy is not None:
        facts, figures = {**(facts if _HITS.search(text) else {}), **whole_accuracy}, []
        again = False
    rate = _rate(text, known_bar=bar is not None and not any(map(measured, facts)))
    if rate is not None:
        _add_rate(rate, places, facts, figures)
    if rate is None and not any(map(measured, facts)):
        return {}, None
    figures += [(name, places[at], factor) for name, at, factor in _beside(text, facts) if at in places]
    whole = [(name, place) for name, place in counts(text, facts, places) if names.get(name) != _LEFT_OUT]
    for name, known in names.items():
        if known == _LEFT_OUT:
            facts.pop(name, None)
    recipe = Recipe(tuple(figures), tuple(whole))
    again = again and bar is None and recipe.holds and _THOUSANDS.search(text) is None
    return facts, recipe if again and follow(recipe, text) == facts else None


def _named(text: str, names: Names, places: dict[int, int]) -> tuple[dict[str, object], list[tuple[str, int, float]]]:
    """The figures of a line with a name each, and where they stand among its numbers."""
    facts: dict[str, object] = {}
    figures: list[tuple[str, int, float]] = []
    head = head_part(text)
    part = head
    for found in _PAIR.finditer(text):
        name, value = canonical(found["name"]), figure(found["value"])
        part = first_part(found["name"]) or part
        known = names.get(name)
        name, unit = known or (of_part(name, part), 1.0)
        if value is None or not name or name in facts or (not known and _is_no_figure(text, found, name)):
            continue
        factor = unit * (0.01 if found["percent"] and _is_fraction(name) else 1.0)
        facts[name] = scaled(value, factor)
        figures.append((name, places.get(found.start("value"), -1), factor))
    if "loss" in facts and "top5" in facts:
        facts["train_top5"] = facts.pop("top5")  # printed beside a training loss
    return facts, figures


def _accuracy(text: str) -> dict[str, object] | None:
    """`Accuracy: 9832/10000`, `Accuracy of the network on the 10000 test images: 54 %`."""
    hits, of = _HITS.search(text), _ACCURACY_OF.search(text)
    if of:
        return {of_part("accuracy", named_part(of[0])): fraction(float(of["percent"]))}
    if hits and int(hits["all"]):
        return {of_part("accuracy", head_part(text)): int(hits["right"]) / int(hits["all"])}
    return None


def _add_rate(
    rate: tuple[str, float | None, int],
    places: dict[int, int],
    facts: dict[str, object],
    figures: list[tuple[str, int, float]],
) -> None:
    """In the place of what the same number was called before: `throughput 7815.8 samples/s` is one figure."""
    name, value, at = rate
    place = places.get(at, -1)
    for one in [one for one in figures if one[0] == name or (one[0] == "throughput" and one[1] == place)]:
        figures.remove(one)
        facts.pop(one[0], None)
    facts[name] = value
    figures.append((name, place, 1.0))


def _beside(text: str, facts: dict[str, object]) -> list[tuple[str, int, float]]:
    """What a line of figures says beside them: the most memory, and how long a step or an epoch took."""
    found = []
    memory, took, share = peak(text), timed(text), _MFU.search(text) if "MFU" in text else None
    if share is not None and "mfu" not in facts:
        found.append(("mfu", share.start("value"), 0.01))
    if memory is not None:
        found.append((PEAK, *memory))
    if took is not None and took[0] not in facts:
        found.append(took)
    for name, at, factor in found:
        number = NUMBER.match(text, at)
        if number is not None:
            facts[name] = scaled(float(number[0]), factor)
    return found


def _rate(text: str, *, known_bar: bool) -> tuple[str, float | None, int] | None:
    """The name, value and position of a speed; next to a progress bar alone it measures something else."""
    found = _RATE_NAMED.search(text) or _RATE.search(text)
    if found is None or known_bar:  # how fast something is read, written or mapped
        return None
    named = next((one["name"] for one in _PAIR.finditer(text) if one.start("value") == found.start("value")), None)
    if named is not None:
        behind = _RATE_BEHIND.match(text, found.start("unit"))
        if behind is None and ("loss" in named.lower() or _is_fraction(canonical(named))):
            return None  # `loss 0.4 samples/s n/a`: the loss is no speed
        found = behind or found
    unit = found["unit"].lower()
    name = next((name for word, name in _PER_S if unit.startswith(word)), "samples_per_s")
    return name + ("_per_device" if found["each"] else ""), figure(found["value"]), found.start("value")


def _is_no_figure(text: str, found: re.Match[str], name: str) -> bool:
    is_measured = measured(name)
    if name.startswith("loss_scal"):
        return True  # what the loss is multiplied with
    if found["sep"] is None and (not is_measured or name == "error"):
        return True
    if name in _COUNTS or name.endswith(_COUNTED) or _SOURCE.search(found["name"]):
        return True
    if not is_measured and text.startswith("/", found.end("value")):
        return True  # how many of how many
    drawn = found["percent"] is not None and text.startswith("|", found.end())
    return drawn or _CLOCK.match(text, found.end()) is not None


#: `Acc@1`, `Prec@5`
_AT_ONE, _AT_FIVE = re.compile(r"(?:accuracy|prec)_1$"), re.compile(r"(?:accuracy|prec)_5$")
_SAME = {spelling: one.name for one in of_kind(RATE, TOTAL) for spelling in one.spellings}
_SAME |= {spelling: name for name in ("samples", "tokens", "loss") for spelling in BY_NAME[name].spellings}


@lru_cache(maxsize=4096)
def measured(name: str) -> bool:
    return _MEASURED.search(name) is not None


@lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    """`Val Acc` is `val_accuracy`; `Average loss` is `loss`."""
    words = [word for word in re.split(r"[\s/@.-]+", name.strip().lower()) if word]
    drop = {"average", "avg", "mean", "current", "the", "final", "running", "total", "is", "of", "batch", "and", "with"}
    if words[-2:] != ["batch", "size"]:
        words = [word for word in words if word not in drop] or words
    joined = "_".join(words)
    joined = re.sub(r"(?<![a-z])acc(?![a-z])", "accuracy", joined)
    joined = re.sub(r"^(?:training|tr)_", "train_", joined)
    joined = re.sub(r"^(?:validation|valid|dev)_", "val_", joined)
    joined = re.sub(r"^(train|val|test)_(?:set|\d)_", r"\1_", joined)
    if "@" in name:
        joined = _AT_ONE.sub("accuracy", _AT_FIVE.sub("top5", joined))
    if joined in _SAME:
        return _SAME[joined]
    return joined if re.fullmatch(r"[a-z_]\w*", joined) else ""


def _is_fraction(name: str) -> bool:
    return any(word in name for word in ("accuracy", "f1", "auc", "top", "error", "iou", "dice", "mfu"))
