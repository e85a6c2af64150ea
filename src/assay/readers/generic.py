"""What most training scripts print, whoever wrote them.

    Epoch [3], val_loss: 0.41, val_acc: 0.88
    {'loss': 0.512, 'learning_rate': 4.6e-05, 'epoch': 0.24}                            Hugging Face Trainer
    1875/1875 [======] - 3s 2ms/step - loss: 0.2041 - accuracy: 0.9387                  Keras
    Epoch 3: 100%|███| 469/469 [00:09<00:00, 48.1it/s, v_num=0, train_loss=0.0412]      Lightning, tqdm

The trap: numbers beside words are everywhere. A line counts only if it names something that is measured.
"""

from __future__ import annotations

import ast
import json
import re
from functools import lru_cache
from typing import Any

from assay.events import Event
from assay.lines import Line
from assay.readers.base import Answer, Reader, figure, fraction
from assay.readers.moments import clock_seconds, moment
from assay.readers.recipes import NUMBER, Places, Recipe, follow, has_digit_word, scaled
from assay.readers.settings import SETTING_NAMES, setting_value

_NUMBER = r"[-+]?(?:\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf)"
_PAIR = re.compile(
    rf"(?<![\w./])(?P<name>[A-Za-z][\w/.@-]{{0,40}}(?: [A-Za-z][\w/-]{{0,20}}){{0,2}}?)\s*"
    rf"(?P<sep>[=:]|\s)\s*\[?(?P<value>{_NUMBER})"
    r"(?![\w.]*[A-Za-z_])(?P<percent>\s*%)?",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"(?i)(?:^|[_/. -])(?:loss|acc|accuracy|ppl|perplexity|f1|bleu|rouge\w*|mae|mse|rmse|auc|map|top[-_ ]?[15]|"
    r"spearman|wer|throughput|error|reward|iou|dice|psnr|mcc)(?:$|[_/. @-])|^(?:samples|tokens)_per_s$"
)
_RATE = re.compile(
    rf"(?P<value>{_NUMBER})\s*(?P<unit>(?:samples|images?|imgs?|seqs?|sequences|examples|tokens)/s(?:ec(?:ond)?)?)\b",
    re.IGNORECASE,
)
_EPOCHS = re.compile(r"(?i)\bepochs?\b[ :\[#]*(?P<done>\d+)\s*(?:/|of)\s*(?P<total>\d+)")
_EPOCH = re.compile(r"(?i)\bepochs?\b[ :=\[#]*(?P<done>\d+)(?!\s*%)")
_STEP = re.compile(
    r"(?i)\b(?:global[ _])?(?:step|iter(?:ation)?|update)s?\b[ :=\[#]*(?P<done>\d[\d,]*)(?:\s*/\s*(?P<total>\d[\d,]*))?"
)
_BAR = re.compile(r"(?P<percent>\d+)%\|[^|]*\|\s*(?P<done>\d+)/(?P<total>\d+)\s*\[(?P<elapsed>[\d:]+)<(?P<rest>[^\]]*)")
#: what Hugging Face logs stands behind the bar that it is drawn over
_BAR_BEFORE = re.compile(r"[^{%]{0,60}\d+%\|[^{]*(?=\{['\"])")
_KERAS_BAR = re.compile(r"^\s*\d+/\d+ (?:\[[=>.]+\]|[━╸╺─ ]+)")
_HITS = re.compile(r"(?i)accuracy:?\s*(?P<right>\d+)/(?P<all>\d+)")
#: `Accuracy of the network on the 10000 test images: 54 %`
_ACCURACY_OF = re.compile(r"(?i)\baccuracy (?:of|on|over|for)\b[^:=%]{0,60}[:=]\s*(?P<percent>\d+(?:\.\d+)?)\s*%")
_SETTING_LINE = re.compile(rf"^\s*(?:--)?(?P<name>[A-Za-z][\w -]{{1,40}}?)\s*(?:=|:)\s*(?P<value>{_NUMBER})\s*,?$")
_LIGHTNING_END = re.compile(r"`?Trainer\.fit`? stopped: `?max_(?P<what>epochs|steps)=(?P<value>\d+)`? reached")
#: `metrics.py:345]` names a line of a program
_SOURCE = re.compile(r"\.(?:py|cc?|cpp|cu|h|rs|go|js|java)$", re.IGNORECASE)
_NAMESPACE = re.compile(r"(?P<name>[a-z_]\w*)=(?P<value>[^,()\s]+)")


ANCHORS = (
    "loss", "accuracy", "acc:", "acc=", "acc ", "acc'", 'acc"', "epoch", "step", "iter", "it/s", "s/it", "samples/s",
    "images/s", "image/s", "img/s", "imgs/s", "seq/s", "seqs/s", "sequences/s", "examples/s", "tokens/s", "_per_s",
    "perplexity", "ppl", "throughput", "f1", "bleu", "rouge", "batch_size", "batch size", "namespace(", "args:",
    "config:", "learning", "lr=", "lr:", "lr ", "lr'", 'lr"', "auc", "error", "reward", "mse", "mae", "iou", "dice",
    "psnr", "mcc", "wer", "top1", "top5", "top-1", "top-5", "top 1", "top 5", "map", "spearman", "seed", "dropout",
    "seq_len", "weight_decay", "warmup", "world_size", "num_", "nproc", "nodes", "ntasks", "max_", "msl", "bs:", "bs=",
)  # fmt: skip
_THOUSANDS = re.compile(r"\d,\d")
_MEMBER = re.compile(rf"""["'](?P<name>[^"'\\]{{1,60}})["']\s*:\s*(?P<value>{NUMBER.pattern})(?=\s*[,}}])""")
_SHAPES_KEPT = 2000


class Generic(Reader):
    """Metrics of any script. Weak by nature: one line alone is no run."""

    name = "generic"
    system = "generic"
    anchors = ANCHORS

    def __init__(self) -> None:
        super().__init__()
        self.failed = False
        self.measured = 0
        self._completed = False  # it said itself that it came to its end
        self._epoch: int | None = None
        self._epochs = 0  # how many there are to be, as far as the log says
        self._last_epoch: float | None = None
        self._once = True  # no epoch has had more than one line
        self._full: bool | None = None  # whether what the last epoch's last line counts has come to its end
        # lines of a log differ in their numbers alone: what was worked out for one of them serves all
        self._shapes: dict[str, Recipe | None] = {}
        self.recipe: Recipe | None = None  # of the line that was read last

    def begins_anew(self, text: str) -> bool:
        """Another training of the same script: its settings once more, or its first epoch after its last."""
        if not self.strong:
            return False
        if text.lstrip().startswith("Namespace("):
            return True
        found = _EPOCHS.search(text) if self._at_end and "poch" in text else None
        return found is not None and int(found["done"]) < min(2, self._epochs)

    @property
    def _at_end(self) -> bool:
        return 0 < self._epochs == self._last_epoch

    def read(self, line: Line) -> Answer:
        text = line.text.strip()
        self.recipe = None
        if not text or len(text) > 4000:
            return None
        bar = _BAR_BEFORE.match(text) if text[-1] == "}" and "%|" in text else None
        text = text[bar.end() :] if bar else text
        if text[0] == "{" and text[-1] in "},":
            return self._object(line, text.rstrip(","))
        shape = NUMBER.sub("#", text)
        if shape in self._shapes:
            self.recipe = self._shapes[shape]
            return None if self.recipe is None else [self._measure(line, follow(self.recipe, text))]
        settings = self._settings(line, text)
        if settings is not None:
            return settings
        facts, recipe = _pairs(text)
        if facts:
            if recipe is not None:
                self._keep(shape, recipe)
            self.recipe = recipe
            return [*self._of_how_many(line, text), self._measure(line, facts)]
        answer = self._epoch_line(line, text)
        if answer is None:
            self._keep(shape, None)
        return answer

    def read_placed(self, places: Places, raw: bytes, line: Line) -> Event | None:
        """A line like one that was read before, quickly; None to have it read the long way."""
        t = None
        if self._at_end and self._epochs > 1:
            return None  # it may begin anew
        if places.stamp is not None:
            t = places.moment(raw)
            if t is None:
                return None
        return self._measured(line, places.facts(raw), places.kind, t)

    def _keep(self, shape: str, recipe: Recipe | None) -> None:
        if has_digit_word(shape.replace("#", "0")):
            return
        if len(self._shapes) >= _SHAPES_KEPT:
            self._shapes.clear()
        self._shapes[shape] = recipe

    def _measure(self, line: Line, facts: dict[str, Any], kind: str = "metric") -> Event:
        return self._measured(line, facts, kind, moment(line.text))

    def _measured(self, line: Line, facts: dict[str, Any], kind: str, t: float | None) -> Event:
        self.measured += 1
        self.strong = self.measured > 1 or self._completed
        if self._epoch is not None:
            facts.setdefault("epoch", self._epoch)
        if "epoch" in facts:
            self._once = self._once and facts["epoch"] != self._last_epoch
            self._last_epoch = facts["epoch"]
            self._full = _is_full(line.text) if self._at_end else None
        return self.fact(kind, line, t, **facts)

    def _object(self, line: Line, text: str) -> Answer:
        """A JSON line, or a Python dictionary as Hugging Face prints it."""
        value = _parse(text)
        if not isinstance(value, dict):
            return None
        facts: dict[str, Any] = {}
        for key, one in value.items():
            number = figure(one) if isinstance(one, str) else one
            if isinstance(number, (int, float)) and not isinstance(number, bool):
                facts[_canonical(str(key))] = number
        facts.pop("", None)
        if not any(_measured(name) for name in facts):
            return None
        final = any(name.startswith(("train_runtime", "train_s", "eval_", "test_")) for name in facts)
        kind = "result" if final else "metric"
        self._completed = self._completed or "train_s" in facts  # Hugging Face's last word
        self.recipe = _of_object(text, facts, kind)
        return [self._measure(line, facts, kind)]

    def _settings(self, line: Line, text: str) -> Answer:
        if text.startswith(("Namespace(", "args:", "Args:", "config:", "Config:")):
            known = {n: setting_value(n, v) for n, v in _NAMESPACE.findall(text) if n.lower() in SETTING_NAMES}
            facts = {SETTING_NAMES[n.lower()]: v for n, v in known.items() if v is not None}
            return [self.fact("param", line, **facts)] if facts else None
        found = _LIGHTNING_END.search(text)
        if found:
            self._completed = True
            return [
                self.fact(
                    "param", line, **{"epochs" if found["what"] == "epochs" else "max_steps": int(found["value"])}
                )
            ]
        found = _SETTING_LINE.match(text)
        if found is None:
            return None
        name = SETTING_NAMES.get(re.sub(r"[\s-]+", "_", found["name"].strip().lower()))
        value = setting_value(name or "", found["value"])
        return [self.fact("param", line, **{name: value})] if name and value is not None else None

    def _epoch_line(self, line: Line, text: str) -> Answer:
        """Keras names the epoch on a line of its own."""
        found = _EPOCHS.match(text)
        if found and len(text) < 40:
            self._epoch = int(found["done"])
            return self._of_how_many(line, text)
        return None

    def _of_how_many(self, line: Line, text: str) -> list[Event]:
        """`Epoch 2/20`: how many there are to be, told once."""
        found = _EPOCHS.search(text)
        total = int(found["total"]) if found else 0
        if found is None or total in (0, self._epochs) or int(found["done"]) > total:
            return []
        self._epochs = total
        return [self.fact("param", line, epochs=total)]

    def finish(self) -> list[Event]:
        whole = self._at_end and (self._once and self._epochs > 1 if self._full is None else self._full)
        status = "failed" if self.failed else "completed" if self._completed or whole else "unfinished"
        return [self.fact("end", 0, status=status)] if self.measured else []


def _is_full(text: str) -> bool | None:
    """Whether every count in a line has come to its end, beside that of the epochs; None if it counts nothing else."""
    counts = re.findall(r"(?<![\d./])(\d+)/(\d+)(?![\d./])", _EPOCHS.sub("", text))
    return all(done == total for done, total in counts) if counts else None


def _of_object(text: str, facts: dict[str, Any], kind: str) -> Recipe | None:
    """How to read the like of a flat object; None where its members do not give back what was read of it."""
    places = {found.start(): place for place, found in enumerate(NUMBER.finditer(text))}
    figures: list[tuple[str, int, float]] = []
    whole: list[tuple[str, int]] = []
    for found in _MEMBER.finditer(text):
        name, place = _canonical(found["name"]), places.get(found.start("value"), -1)
        if name and found["value"].lstrip("+-").isdigit():
            whole.append((name, place))
        elif name:
            figures.append((name, place, 1.0))
    recipe = Recipe(tuple(figures), tuple(whole), kind)
    return recipe if text.count("{") == 1 and recipe.holds and follow(recipe, text) == facts else None


def _pairs(text: str) -> tuple[dict[str, Any], Recipe | None]:
    """Every named figure of a line, if at least one of them is a measurement; and how to read its like again."""
    facts: dict[str, Any] = {}
    places = {found.start(): place for place, found in enumerate(NUMBER.finditer(text))}
    figures: list[tuple[str, int, float]] = []
    again = True
    for found in _PAIR.finditer(text):
        name, value = _canonical(found["name"]), figure(found["value"])
        if value is None or not name or (found["sep"].isspace() and not _measured(name)):
            continue
        if name in facts or name in _COUNTS or name.endswith(("_epoch", "_step")) or _SOURCE.search(found["name"]):
            continue
        factor = 0.01 if found["percent"] and _is_fraction(name) else 1.0
        facts[name] = scaled(value, factor)
        figures.append((name, places.get(found.start("value"), -1), factor))
    hits, rate, bar = _HITS.search(text), _RATE.search(text), _BAR.search(text)
    if hits and int(hits["all"]):
        facts["accuracy"] = int(hits["right"]) / int(hits["all"])
        again = False
    of = _ACCURACY_OF.search(text)
    if of:
        facts = {"accuracy": fraction(float(of["percent"]))}
        again = False
    if rate:
        name = "tokens_per_s" if rate["unit"].lower().startswith("token") else "samples_per_s"
        facts[name] = figure(rate["value"])
        figures = [one for one in figures if one[0] != name]
        figures.append((name, places.get(rate.start("value"), -1), 1.0))
    if not rate and not any(_measured(name) for name in facts):
        return {}, None
    whole = _counts(text, facts, places)
    if bar and _KERAS_BAR.match(text) is None and bar["done"] == bar["total"]:
        facts["bar_s"] = clock_seconds(bar["elapsed"])
        again = False
    recipe = Recipe(tuple(figures), tuple(whole))
    again = again and bar is None and recipe.holds and _THOUSANDS.search(text) is None
    return facts, recipe if again and follow(recipe, text) == facts else None


def _counts(text: str, facts: dict[str, Any], places: dict[int, int]) -> list[tuple[str, int]]:
    """Which step and epoch a line speaks of."""
    whole: list[tuple[str, int]] = []
    epochs = _EPOCHS.search(text) or _EPOCH.search(text)
    step, bar = _STEP.search(text), _BAR.search(text)
    if epochs:
        facts["epoch"] = int(epochs["done"])
        whole.append(("epoch", places.get(epochs.start("done"), -1)))
    if step:
        facts["step"] = int(step["done"].replace(",", ""))
        whole.append(("step", places.get(step.start("done"), -1)))
    elif bar and not epochs:
        facts["step"] = int(bar["done"])
    return whole


_COUNTS = {"epoch", "epochs", "step", "steps", "iter", "iteration", "it", "global_step", "update"}


@lru_cache(maxsize=4096)
def _measured(name: str) -> bool:
    return _MEASURED.search(name) is not None


@lru_cache(maxsize=4096)
def _canonical(name: str) -> str:
    """`Val Acc` is `val_accuracy`; `Average loss` is `loss`."""
    words = [word for word in re.split(r"[\s/@.-]+", name.strip().lower()) if word]
    drop = {"average", "avg", "mean", "current", "the", "final", "running", "total", "is", "of", "batch", "and"}
    words = [word for word in words if word not in drop] or words
    joined = "_".join(words)
    joined = re.sub(r"(?<![a-z])acc(?![a-z])", "accuracy", joined)
    joined = re.sub(r"^(?:training|tr)_", "train_", joined)
    joined = re.sub(r"^(?:validation|valid|dev)_", "val_", joined)
    if joined in ("train_samples_per_second", "samples_per_second"):
        return "samples_per_s"
    if joined == "train_runtime":
        return "train_s"
    return joined if re.fullmatch(r"[a-z_]\w*", joined) else ""


def _is_fraction(name: str) -> bool:
    return any(word in name for word in ("accuracy", "f1", "auc", "top", "error", "iou", "dice"))


def _parse(text: str) -> Any:
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
    return None
