"""The named figures of a line: `loss: 0.41`, `Acc@1 38.1`, `img/s: 431`, `2512 tokens/s`, and its step and epoch.

The trap: numbers beside words are everywhere. `eta: 0:04:12` is a clock, `Map: 100%|` a bar, `0.1  img/s: 26.5` no rate
of 0.1, `Error 2` the exit code of make, and `validation loss at iteration 1000` no loss of 1000.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from assay.quantities import BY_NAME, RATE, TOTAL, of_kind
from assay.readers.base import figure, fraction
from assay.readers.moments import clock_seconds
from assay.readers.recipes import NUMBER, Recipe, follow, scaled
from assay.readers.sizes import PEAK, peak
from assay.readers.told import NOTHING

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
    r"|^(?:samples|tokens)_per_s(?:_avg|_per_device)?$"
)
_UNIT = r"(?:samples?|images?|imgs?|seqs?|sequences|examples?|tokens?|toks?)/s(?:ec(?:ond)?)?"
_EACH = r"(?P<each>(?:/| per )(?:gpu|device|rank|worker)\b)"
_RATE = re.compile(
    rf"(?<!\d)(?<!\d,)(?P<value>{NUMBER_TEXT})\s{{0,8}}(?P<unit>{_UNIT})\b(?!\s*[:=]){_EACH}?",
    re.IGNORECASE,
)
_RATE_NAMED = re.compile(
    rf"(?P<unit>{_UNIT})(?: on \d+ \S{{1,12}})?{_EACH}?\s*[:=]\s*(?P<value>{NUMBER_TEXT})",
    re.IGNORECASE,
)
EPOCHS = re.compile(r"(?i)\bepochs?\b[ :\[#]*(?P<done>\d+)\s*(?:/|of)\s*(?P<total>\d+)")
_EPOCH = re.compile(r"(?i)\bepochs?\b[ :=\[#]*(?P<done>\d+)(?!\d)(?!\s*%)")
STEP = re.compile(
    r"(?i)\b(?:global[ _])?(?:step|iter(?:ation)?|(?:num_)?update)s?\b[ :=\[#]*(?P<done>\d[\d,]*)(?![\d,])(?!\s*%)"
    r"(?:\s*/\s*(?P<total>\d[\d,]*))?"
)
#: `[99]	train-logloss:0.012`, as boosting prints it
_STEP_FIRST = re.compile(r"(?:^|\] )\[(?P<done>\d+)\]\s")
_BAR = re.compile(
    r"(?<!\d)(?P<percent>\d+)%\|[^|]*\|\s*(?P<done>\d+)/(?P<total>\d+)\s*\[(?P<elapsed>[\d:]+)<(?P<rest>[^\]]*)"
)
_KERAS_BAR = re.compile(r"^\s*\d+/\d+ (?:\[[=>.]+\]|[━╸╺─ ]+)")
_HITS = re.compile(r"(?i)accuracy:?\s*(?P<right>\d+)/(?P<all>\d+)")
#: `Accuracy of the network on the 10000 test images: 54 %`
_ACCURACY_OF = re.compile(r"(?i)\baccuracy (?:of|on|over|for)\b[^:=%]{0,60}[:=]\s*(?P<percent>\d+(?:\.\d+)?)\s*%")
#: `Test: [196/196]  Loss 3.72`: what it measures is not the training
_TEST_LINE = re.compile(r"(?i)\W{0,8}(?:(?:test|val|valid|validation|eval)\s*:\s*\[|(?:test|validation) set: )")
#: which of several processes prints, as torchrun and mpirun mark it
_RANK = re.compile(r"\[(?:default|rank|1,) ?(?P<rank>\d+)\](?:<std(?:out|err)>)?:\s*")
#: `metrics.py:345]` names a line of a program
_SOURCE = re.compile(r"\.(?:py|cc?|cpp|cu|h|rs|go|js|java)$", re.IGNORECASE)
_THOUSANDS = re.compile(r"\d,\d")
_COUNTS = {"epoch", "epochs", "step", "steps", "iter", "iteration", "it", "global_step", "update", "num_updates"}
_COUNTED = ("_epoch", "_step", "_iteration", "_iter", "_batch")


Names = Mapping[str, tuple[str, float]]
_LEFT_OUT = ("", 1.0)


def without_rank(text: str) -> str:
    found = _RANK.match(text) if text[:1] == "[" else None
    return text[found.end() :] if found else text


def pairs(text: str, names: Names = NOTHING) -> tuple[dict[str, object], Recipe | None]:
    """Every named figure of a line, if at least one of them is a measurement; and how to read its like again.

    `names` are those that mean something of their own in this line: what each is, and the factor of its unit.
    """
    facts: dict[str, object] = {}
    places = {found.start(): place for place, found in enumerate(NUMBER.finditer(text))}
    figures: list[tuple[str, int, float]] = []
    for found in _PAIR.finditer(text):
        name, value = canonical(found["name"]), figure(found["value"])
        known = names.get(name)
        name, unit = known or (name, 1.0)
        if value is None or not name or name in facts or (not known and _is_no_figure(text, found, name)):
            continue
        factor = unit * (0.01 if found["percent"] and _is_fraction(name) else 1.0)
        facts[name] = scaled(value, factor)
        figures.append((name, places.get(found.start("value"), -1), factor))
    hits, of, bar = _HITS.search(text), _ACCURACY_OF.search(text), _BAR.search(text)
    again = not of and not (hits and int(hits["all"]))
    if hits and int(hits["all"]):
        facts["accuracy"] = int(hits["right"]) / int(hits["all"])
    if of:
        facts = {"accuracy": fraction(float(of["percent"]))}
    rate = _rate(text, known_bar=bar is not None and not any(map(measured, facts)))
    if rate is not None:
        name, value, at = rate
        facts[name] = value
        figures = [*(one for one in figures if one[0] != name), (name, places.get(at, -1), 1.0)]
    if rate is None and not any(map(measured, facts)):
        return {}, None
    if _TEST_LINE.match(text):
        facts = {_TESTED.get(name, name): value for name, value in facts.items()}
        figures = [(_TESTED.get(name, name), place, factor) for name, place, factor in figures]
    memory = peak(text)
    if memory is not None and memory[0] in places:
        at, factor = memory
        facts[PEAK] = scaled(float(NUMBER.match(text, at)[0]), factor)  # type: ignore[index]
        figures.append((PEAK, places[at], factor))
    whole = [(name, place) for name, place in counts(text, facts, places) if names.get(name) != _LEFT_OUT]
    for name, known in names.items():
        if known == _LEFT_OUT:
            facts.pop(name, None)
    if bar and _KERAS_BAR.match(text) is None and bar["done"] == bar["total"]:
        facts["bar_s"] = clock_seconds(bar["elapsed"])
        again = False
    recipe = Recipe(tuple(figures), tuple(whole))
    again = again and bar is None and recipe.holds and _THOUSANDS.search(text) is None
    return facts, recipe if again and follow(recipe, text) == facts else None


def _rate(text: str, *, known_bar: bool) -> tuple[str, float | None, int] | None:
    """What a speed is called, how much it is and where it stands; beside a bar alone it is of something else."""
    found = _RATE_NAMED.search(text) or _RATE.search(text)
    if found is None or known_bar:  # how fast something is read, written or mapped
        return None
    name = "tokens_per_s" if found["unit"].lower().startswith("tok") else "samples_per_s"
    return name + ("_per_device" if found["each"] else ""), figure(found["value"]), found.start("value")


def counts(text: str, facts: dict[str, object], places: dict[int, int]) -> list[tuple[str, int]]:
    """Which step and epoch a line speaks of."""
    whole: list[tuple[str, int]] = []
    epochs = EPOCHS.search(text) or _EPOCH.search(text)
    step, bar, rank = STEP.search(text) or _STEP_FIRST.search(text), _BAR.search(text), _RANK.match(text)
    if rank:
        facts["rank"] = int(rank["rank"])
        whole.append(("rank", places.get(rank.start("rank"), -1)))
    if epochs:
        facts["epoch"] = int(epochs["done"])
        whole.append(("epoch", places.get(epochs.start("done"), -1)))
    if step:
        facts["step"] = int(step["done"].replace(",", ""))
        whole.append(("step", places.get(step.start("done"), -1)))
    elif bar and not epochs:
        facts["step"] = int(bar["done"])
    return whole


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


_TESTED = {"loss": "test_loss", "accuracy": "test_accuracy"}


_SAME = {spelling: one.name for one in of_kind(RATE, TOTAL) for spelling in one.spellings}
_SAME |= {spelling: name for name in ("samples", "tokens", "loss") for spelling in BY_NAME[name].spellings}


@lru_cache(maxsize=4096)
def measured(name: str) -> bool:
    return _MEASURED.search(name) is not None


@lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    """`Val Acc` is `val_accuracy`; `Average loss` is `loss`."""
    words = [word for word in re.split(r"[\s/@.-]+", name.strip().lower()) if word]
    drop = {"average", "avg", "mean", "current", "the", "final", "running", "total", "is", "of", "batch", "and"}
    if words[-2:] != ["batch", "size"]:
        words = [word for word in words if word not in drop] or words
    joined = "_".join(words)
    joined = re.sub(r"(?<![a-z])acc(?![a-z])", "accuracy", joined)
    joined = re.sub(r"^(?:training|tr)_", "train_", joined)
    joined = re.sub(r"^(?:validation|valid|dev)_", "val_", joined)
    if joined in _SAME:
        return _SAME[joined]
    return joined if re.fullmatch(r"[a-z_]\w*", joined) else ""


def _is_fraction(name: str) -> bool:
    return any(word in name for word in ("accuracy", "f1", "auc", "top", "error", "iou", "dice", "mfu"))
