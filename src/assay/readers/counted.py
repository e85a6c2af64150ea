"""What a line counts: its rank, its epoch, its step, and of how many.

    [rank 1] epoch 3 loss 0.41        [default0]:Epoch 1/2 | loss 2.11        Epoch [2/5], Step [100/600], Loss: 0.31
    Epoch: [1][ 5/20]  Loss 4.1       40/40 ━━━━ 1ms/step - loss: 0.4         Epoch 3/3: 100%|███| 25/25 [00:00<00:00]

The trap: a bar may count the batches of a test, or whole epochs.
"""

from __future__ import annotations

import re

from assay.readers.split import head_part

EPOCHS = re.compile(r"(?i)\bepochs?\b[ :\[#]*(?P<done>\d+)\s*(?:/|of)\s*(?P<total>\d+)")
_EPOCH = re.compile(r"(?i)\bepochs?\b[ :=\[#]*(?P<done>\d+)(?!\d)(?!\s*%)")
#: the head of all that is printed of an epoch: `Epoch 3/10`, `Epoch: 03 | Epoch Time: 0m 4s`, `=== Epoch 3 ===`
EPOCH_LINE = re.compile(r"(?i)\W{0,8}(?:training |train )?epoch[ :=\[#]{0,3}(?P<done>\d{1,6})\b(?![.,]\d)(?!\s*%)")
STEP = re.compile(
    r"(?i)\b(?:global[ _])?(?:step|iter(?:ation)?|(?:num_)?update)s?\b[ :=\[#]*(?P<done>\d[\d,]*)(?![\d,])(?!\s*%)"
    r"(?:\s*/\s*(?P<total>\d[\d,]*))?"
)
#: `[99]	train-logloss:0.012`, as boosting prints it
#: `[2,  4000] loss: 1.834`, as PyTorch's tutorial prints epoch and step
_BOTH_FIRST = re.compile(r"\s{0,8}\[(?P<epoch>\d{1,6}), {1,8}(?P<done>\d{1,9})\] {0,3}\w{0,10} ?loss")
_STEP_FIRST = re.compile(r"(?:^|\] )\[(?P<done>\d+)\]\s")
BAR = re.compile(
    r"(?<!\d)(?P<percent>\d+)%\|[^|]*\|\s*(?P<done>\d+)/(?P<total>\d+)\s*\[(?P<elapsed>[\d:]+)<(?P<rest>[^\]]*)"
)
KERAS_BAR = re.compile(r"^\s*(?P<done>\d+)/(?P<total>\d+) (?:\[[=>.]+\]|[━╸╺─ ]+|- )")
#: `Epoch: [1][ 5/20]`, `Epoch [1/5][5/20]`: a step of an epoch that has so many
_IN_EPOCH = re.compile(
    r"(?i)\bepoch\b[ :=]{0,3}\[? {0,4}\d{1,9}(?:/\d{1,9})?\]?[ ,|:]{0,3}\[ {0,6}(?P<done>\d{1,9})/(?P<total>\d{1,9})"
    r"(?!\d)(?! ?\()"
)
#: `Train Epoch: 1 [640/60000 (1%)]`, which the MNIST example of PyTorch made a habit: samples, not steps
_SAMPLES_BEHIND = re.compile(
    r"(?i)\s{0,8}loss[:=] {0,3}[\d.e+-]{1,20} {1,4}\[ {0,8}(?P<done>\d{1,12})/(?P<total>\d{3,12})\]$"
)
_SAMPLES_IN_EPOCH = re.compile(
    r"(?i)\btrain(?:ing)? epoch[ :=]{0,3}\d{1,9} {0,3}\[ {0,6}(?P<done>\d{1,12})/(?P<total>\d{1,12}) {0,3}\( {0,3}\d"
)
#: which of several processes prints, as torchrun and mpirun mark it, or as people do
RANK = re.compile(
    r"\[(?:default|1,) ?(?P<rank>\d+)\](?:<std(?:out|err)>)?:\s*|\[(?i:rank|gpu)[ :=]?(?P<named>\d+)\][:, ]?\s*|"
    r"(?i:rank) (?P<bare>\d+) ?[:|]\s*"
)
#: a bar that is drawn over the epochs themselves: `Epochs: 40%|████      | 4/10`
_BEST = re.compile(r"(?i)\bbest\b")
_OF_EPOCHS = re.compile(r"(?i)\W{0,4}(?:train(?:ing)?\W{1,3})?epochs?\W{0,4}\d+%\|")
_SEVERAL = re.compile(r"(?=\[(?:rank|gpu)[ :=]?\d+\])", re.IGNORECASE)


def rank_of(text: str) -> tuple[int, int, int] | None:
    """(rank, where its number stands, where the line itself begins) of a line that says who prints it."""
    found = RANK.match(text) if text[:1] in "[rR" else None
    name = found.lastgroup if found else None
    return (int(found[name]), found.start(name), found.end()) if found and name else None


def without_rank(text: str) -> str:
    found = rank_of(text)
    return text[found[2] :] if found else text


def by_rank(text: str) -> list[str]:
    """The lines of a line: several processes that print at once may put theirs into one."""
    return [part for part in _SEVERAL.split(text) if part.strip()]


def counts(text: str, facts: dict[str, object], places: dict[int, int]) -> list[tuple[str, int]]:
    """Which rank, epoch and step a line is about."""
    whole: list[tuple[str, int]] = []
    rank, epochs, step, bar = rank_of(text), EPOCHS.search(text) or _EPOCH.search(text), step_of(text), BAR.search(text)
    if rank:
        facts["rank"] = rank[0]
        whole.append(("rank", places.get(rank[1], -1)))
    both, best = _BOTH_FIRST.match(text), _BEST.search(text)
    if best:  # `Best accuracy: 0.92 at epoch 2` is printed at the end
        epochs = epochs if epochs and epochs.start() < best.start() else None
        step = step if step and step.start() < best.start() else None
    if both:
        facts["epoch"] = int(both["epoch"])
        whole.append(("epoch", places.get(both.start("epoch"), -1)))
    elif epochs:
        facts["epoch"] = int(epochs["done"])
        whole.append(("epoch", places.get(epochs.start("done"), -1)))
    samples = samples_of(text)
    if samples:
        facts["samples"] = int(samples["done"])
        whole.append(("samples", places.get(samples.start("done"), -1)))
    if step:
        facts["step"] = int(step["done"].replace(",", ""))
        whole.append(("step", places.get(step.start("done"), -1)))
    elif bar and _OF_EPOCHS.match(text):
        facts["epoch"] = int(bar["done"])
    elif bar and not head_part(text):  # else it counts the batches of a test
        facts["step"] = int(bar["done"])
    return whole


def samples_of(text: str) -> re.Match[str] | None:
    """How many samples of how many, as PyTorch's examples count them."""
    return (
        _SAMPLES_IN_EPOCH.search(text) if "poch" in text else _SAMPLES_BEHIND.match(text) if text[-1:] == "]" else None
    )


def step_of(text: str) -> re.Match[str] | None:
    """The step that a line names, in words or by where it stands."""
    in_epoch = _IN_EPOCH.search(text) if "[" in text else None
    return _BOTH_FIRST.match(text) or STEP.search(text) or _STEP_FIRST.search(text) or in_epoch or KERAS_BAR.match(text)


def of_how_many(text: str) -> tuple[str, int] | None:
    """(what is counted, how many of it there are) where a line counts its way through an epoch."""
    samples = samples_of(text)
    if samples:
        return "samples", int(samples["total"])
    for found in (step_of(text), None if head_part(text) else BAR.search(text)):
        if found is not None:
            total = found.groupdict().get("total")
            return ("step", int(total.replace(",", ""))) if total else None
    return None
