"""What most training scripts print, whoever wrote them.

    Epoch [3], val_loss: 0.41, val_acc: 0.88
    {'loss': 0.512, 'learning_rate': 4.6e-05, 'epoch': 0.24}                            Hugging Face Trainer
    1875/1875 [======] - 3s 2ms/step - loss: 0.2041 - accuracy: 0.9387                  Keras
    Epoch 3: 100%|███| 469/469 [00:09<00:00, 48.1it/s, v_num=0, train_loss=0.0412]      Lightning, tqdm

The trap: numbers beside words are everywhere. A line counts only if it names something that is measured.
"""

from __future__ import annotations

import re
from typing import Any

from assay.lines import Line
from assay.model.event import Event
from assay.readers.base import Answer, Reader
from assay.readers.columns import Columns, head
from assay.readers.moments import moment
from assay.readers.named import EPOCHS, NUMBER_TEXT, counts, measured, pairs, without_rank
from assay.readers.objects import MARKS, Told, read_marked, read_object, recipe_of
from assay.readers.recipes import NUMBER, Places, Recipe, follow, has_digit_word
from assay.readers.settings import SETTING_NAMES, setting_value

#: what Hugging Face logs stands behind the bar that it is drawn over
_BAR_BEFORE = re.compile(r"[^{%]{0,60}(?<!\d)\d+%\|[^{]*(?=\{['\"])")
#: also `learning_rate = 1e-3 # a comment`, and `train_batch_size ............. 32` as DeepSpeed and Megatron set it
_SETTING_LINE = re.compile(
    rf"^\s*(?:--)?(?P<name>[A-Za-z][\w -]{{1,40}}?)(?<!\s)\s*[=:]\s*(?P<value>{NUMBER_TEXT})(?:\s*,)?(?:\s*|\s+# .*)$"
)
_DOTTED = re.compile(rf"(?:^|\s)(?P<name>[a-z]\w{{1,40}}) \.{{3,}} ?(?P<value>{NUMBER_TEXT})$")
#: `train | step: 100 | output: {'loss': 6.91}`: what stands before it counts
_OBJECT_BEHIND = re.compile(r"\{['\"]\w")
_BAR_DONE = re.compile(r"%\|[^|]*\|\s*(?P<done>\d+)/\d+")
#: what a script says when it is through, as a line of its own or behind the head of a logger
_OVER = re.compile(
    r"(?i)(?:^|[\])|:-]\s+(?!\s))\W{0,4}(?:finished training|training (?:is )?(?:done|completed?|finished|over)|"
    r"done training|"
    r"(?:the )?end of training|after training is done|\d+ epochs completed in|(?:total )?training time:? \d)|^done[.!]$"
)
_LIGHTNING_END = re.compile(r"`?Trainer\.fit`? stopped: `?max_(?P<what>epochs|steps)=(?P<value>\d+)`? reached")
_SETTINGS_HEAD = re.compile(r"(?i:args|config|arguments|options):|(?:.{0,80}[\s:\]])?Namespace\(")
_NAMESPACE = re.compile(r"(?<!\w)(?P<name>[a-z_]\w*)=(?P<value>[^,()\s]+)")


ANCHORS = (
    "loss", "accuracy", "acc:", "acc=", "acc ", "acc'", 'acc"', "epoch", "step", "iter", "it/s", "s/it", "samples/s",
    "images/s", "image/s", "img/s", "imgs/s", "seq/s", "seqs/s", "sequences/s", "examples/s", "tokens/s", "_per_s",
    "perplexity", "ppl", "throughput", "f1", "bleu", "rouge", "batch_size", "batch size", "namespace(", "args:",
    "config:", "learning", "lr=", "lr:", "lr ", "lr'", 'lr"', "auc", "error", "reward", "mse", "mae", "iou", "dice",
    "psnr", "mcc", "wer", "top1", "top5", "top-1", "top-5", "top 1", "top 5", "map", "spearman", "seed", "dropout",
    "seq_len", "weight_decay", "warmup", "world_size", "num_", "nproc", "nodes", "ntasks", "max_", "msl", "bs:", "bs=",
    "acc@", "acc1", "acc_", "batch-size", "tok/s", "tokens_", "img/", "mllog", "dlll", "finished training",
    "done training", "is done", "training done", "training complete", "training finished", "training over",
    "of training", "training time", "done!", "done.",
)  # fmt: skip
_SHAPES_KEPT = 2000
_FEWEST_LISTED = 2


class Generic(Reader):
    """Metrics of any script. Weak by nature: one line alone is no run."""

    name = "generic"
    system = "generic"
    anchors = ANCHORS

    def __init__(self) -> None:
        super().__init__()
        self.measured = 0
        self._completed = False  # it said itself that it came to its end
        self._over = False  # so it did in words, which may be of an epoch: more training takes them back
        self._asked: dict[str, Any] = {}  # what it was told to do, as far as it counts for its end
        self._epoch: int | None = None
        self._epochs = 0  # how many there are to be, as far as the log says
        self._last_epoch: float | None = None
        self._once = True  # no epoch has had more than one line
        self._full: bool | None = None  # whether what the last epoch's last line counts has come to its end
        # lines of a log differ in their numbers alone: what was worked out for one of them serves all
        self._shapes: dict[str, Recipe | None] = {}
        self.recipe: Recipe | None = None  # of the line that was read last
        self.columns: Columns | None = None  # of the table that goes on

    def begins_anew(self, text: str) -> bool:
        """Another training of the same script: its settings once more, or its first epoch after its last."""
        if not self.strong:
            return False
        if "Namespace(" in text and _SETTINGS_HEAD.match(text.strip()):
            return True
        found = EPOCHS.search(text) if self._at_end and "poch" in text else None
        return found is not None and int(found["done"]) < min(2, self._epochs)

    @property
    def _at_end(self) -> bool:
        return 0 < self._epochs == self._last_epoch

    def read(self, line: Line) -> Answer:
        text = line.text.strip()
        self.recipe = None
        if not text or len(text) > 4000:
            return None
        if self.columns is not None:
            row = self.columns.row(text)
            if row is not None:
                return [self._measure(line, row)] if any(map(measured, row)) else []
            self.columns = None
        if text[-1] == "}" and (text[0] == "{" or _OBJECT_BEHIND.search(text)):
            answer = self._object(line, text)
            if answer is not None or text[0] == "{":
                return answer
        if text[0] == "{" and text[-1] == ",":
            return self._object(line, text.rstrip(","))
        shape = NUMBER.sub("#", text)
        if shape in self._shapes:
            self.recipe = self._shapes[shape]
            known = None if self.recipe is None else follow(self.recipe, text)
            return None if known is None else [self._measure(line, known)]
        if "│" in text:
            text = text.replace("│", " ")  # a table that is drawn
        settings = self._settings(line, without_rank(text))
        if settings is not None:
            return settings
        facts, recipe = pairs(text)
        if facts:
            if recipe is not None:
                self._keep(shape, recipe)
            self.recipe = recipe
            events = [*self._of_how_many(line, text), *self._set_beside(line, facts), self._measure(line, facts)]
            self._over = self._over or self._is_over(text)
            return events
        answer = self._epoch_line(line, text)
        if answer is None and self._is_over(text):
            self._over = self.strong = True
            return []
        if answer is None:
            answer = self._listed(line, text)
        if answer is None:
            self.columns = head(text) if shape == text else None
        if answer is None and self.columns is None:
            self._keep(shape, None)
        return [] if self.columns else answer

    def _is_over(self, text: str) -> bool:
        return self.measured > 0 and len(text) < 200 and _OVER.search(text) is not None

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
        if self._over and ("loss" in facts or "train_loss" in facts):
            self._over = False
        self.strong = self.measured > 1 or self._completed
        if self._epoch is not None:
            facts.setdefault("epoch", self._epoch)
        if "epoch" in facts and not facts.get("rank"):
            again = facts["epoch"] == self._last_epoch
            self._once = self._once and not again
            self._last_epoch = facts["epoch"]
            full = _is_full(line.text) if self._at_end else None
            self._full = self._full if again and full is None else full  # a line that counts nothing takes nothing back
        return self.fact(kind, line, t, facts)

    def _object(self, line: Line, text: str) -> Answer:
        """A JSON line, a Python dictionary as Hugging Face prints it, perhaps behind a bar or a logger's mark."""
        marked = any(mark in text for mark in MARKS)
        bar = _BAR_BEFORE.match(text) if "%|" in text else None
        text = text[bar.end() :] if bar else text
        behind = None if marked or text[0] == "{" else _OBJECT_BEHIND.search(text)
        before, text = (text[: behind.start()], text[behind.start() :]) if behind else ("", text)
        told = read_marked(text) if marked else read_object(text)
        if told is None:
            return None
        done = _BAR_DONE.search(bar[0]) if bar and told.facts else None
        if done:
            told.facts.setdefault("step", int(done["done"]))
        if before and told.facts:
            counts(before, told.facts, {})
        return self._told(line, told, None if marked or bar or before else text)

    def _told(self, line: Line, told: Told, text: str | None) -> Answer:
        self._completed = self._completed or told.completed
        settings = [self.fact("param", line, told.t, told.settings)] if told.settings else []
        if told.completed and told.facts.get("epoch", 0) >= self._asked.get("epochs", float("inf")):
            told.facts.update({"step": self._asked["max_steps"]} if "max_steps" in self._asked else {})
        if not told.facts:
            return settings
        kind = "result" if told.final else "metric"
        self.recipe = recipe_of(text, told.facts, kind) if text else None
        return [*settings, self._measured(line, told.facts, kind, moment(line.text) if told.t is None else told.t)]

    def _settings(self, line: Line, text: str) -> Answer:
        if _SETTINGS_HEAD.match(text):
            known = {n: setting_value(n, v) for n, v in _NAMESPACE.findall(text) if n.lower() in SETTING_NAMES}
            facts = {SETTING_NAMES[n.lower()]: v for n, v in known.items() if v is not None}
            return [self.fact("param", line, None, facts)] if facts else None
        found = _LIGHTNING_END.search(text)
        if found:
            self._completed = True
            asked = "epochs" if found["what"] == "epochs" else "max_steps"
            return [self.fact("param", line, None, {asked: int(found["value"])})]
        found = _SETTING_LINE.match(text) or (_DOTTED.search(text) if " ..." in text else None)
        if found is None:
            return None
        name = SETTING_NAMES.get(re.sub(r"[\s-]+", "_", found["name"].strip().lower()))
        value = setting_value(name or "", found["value"])
        if not name or value is None:
            return None
        self._asked[name] = value
        return [self.fact("param", line, None, {name: value})]

    def _listed(self, line: Line, text: str) -> Answer:
        """`train: data=coco.yaml, epochs=2, batch_size=16`: several settings in a row, and nothing measured."""
        if text.count("=") < _FEWEST_LISTED:
            return None
        known = {n: setting_value(n, v) for n, v in _NAMESPACE.findall(text) if n in SETTING_NAMES}
        facts = {SETTING_NAMES[n]: v for n, v in known.items() if v is not None}
        return [self.fact("param", line, None, facts)] if len(facts) >= _FEWEST_LISTED else None

    def _set_beside(self, line: Line, facts: dict[str, Any]) -> list[Event]:
        """`global batch size: 64` among the figures of a line."""
        value = facts.get("global_batch_size", facts.get("batch_size"))
        return [self.fact("param", line, batch_size=int(value))] if value and float(value).is_integer() else []

    def _epoch_line(self, line: Line, text: str) -> Answer:
        """Keras names the epoch on a line of its own."""
        found = EPOCHS.match(text)
        if found and len(text) < 40:
            self._epoch = int(found["done"])
            return self._of_how_many(line, text)
        return None

    def _of_how_many(self, line: Line, text: str) -> list[Event]:
        """`Epoch 2/20`: how many there are to be, told once."""
        found = EPOCHS.search(text)
        total = int(found["total"]) if found else 0
        if found is None or total in (0, self._epochs) or int(found["done"]) > total:
            return []
        self._epochs = total
        return [self.fact("param", line, epochs=total)]

    def finish(self) -> list[Event]:
        whole = self._at_end and (self._once and self._epochs > 1 if self._full is None else self._full)
        status = "failed" if self.failed else "completed" if self._completed or self._over or whole else "unfinished"
        return [self.fact("end", 0, status=status)] if self.measured else []


def _is_full(text: str) -> bool | None:
    """Whether every count in a line has come to its end, beside that of the epochs; None if it counts nothing else."""
    counts = re.findall(r"(?<![\d./])(\d+)/(\d+)(?![\d./])", EPOCHS.sub("", text))
    return all(done == total for done, total in counts) if counts else None
