"""MLPerf training: lines of MLCommons' logger.

    :::MLLOG {"namespace": "", "time_ms": 1759407488307, "event_type": "INTERVAL_START", "key": "run_start", "value":
        null, "metadata": {"file": "/workspace/ssd/train.py", "lineno": 578}}
    0: :::MLLOG {…, "key": "eval_accuracy", "value": 0.3467, "metadata": {"epoch_num": 4}}
    :::MLLOG {…, "key": "tracked_stats", "value": {"throughput": 3987.33}, "metadata": {"step": 5}}
    :::MLLOG {…, "key": "run_stop", "value": null, "metadata": {"status": "success", "samples_count": 172032}}

The trap: a figure has its name in one member and its value in another; `eval_accuracy` is what the rules call accuracy,
which is a log perplexity for a language model, an error rate for speech and a distance for images; the score is the
time from `run_start` to `run_stop`; and an `epoch_num` of a language model counts samples.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from assay.model.values import number
from assay.readers.objects import settings_of
from assay.readers.told import NOTHING, Told

MARK = ":::MLLOG "
WORDS = (MARK,)
#: benchmarks whose quality is a loss, an error rate, a distance
_LOSS = re.compile(r"(?i)gpt|llama|flux|deepseek|mixtral|moe|gpt_?oss|lora")
_OTHERS = (
    (re.compile(r"(?i)rnnt|speech"), "wer"),
    (re.compile(r"(?i)stable_?diffusion"), "quality"),
    (re.compile(r"(?i)ncf|recommendation"), "hit_rate"),
    (re.compile(r"(?i)minigo|reinforcement"), "win_rate"),
)
_EMPTY = re.compile(r"(?i)placeholder|unknown|^\s*$")
_LOSS_KEYS = ("train_loss", "reduced_train_loss", "loss", "training_loss")
_LARGEST_EPOCH = 10_000


class MLPerf:
    """What the lines of one run say; `over` once its last word was read."""

    def __init__(self) -> None:
        self.over = False
        self._benchmark = ""
        self._start_t: float | None = None
        self._trained = False  # a loss of the training was logged
        self._read: dict[str, Callable[[object, Mapping[str, object], float | None], Told | None]] = {
            "submission_benchmark": self._model,
            "submission_platform": self._platform,
            "run_start": self._run_start,
            "run_stop": self._run_stop,
            "eval_accuracy": self._quality,
            "tracked_stats": self._stats,
            **dict.fromkeys(_LOSS_KEYS, self._loss),
        }

    def begins_anew(self, text: str) -> bool:
        return self.over and any(f'"key": "{key}"' in text for key in ("cache_clear", "init_start", "run_start"))

    def read(self, value: Mapping[str, object]) -> Told | None:
        key, one, about = str(value.get("key", "")), value.get("value"), value.get("metadata")
        time_ms = number(value.get("time_ms"))
        t = None if time_ms is None else time_ms / 1000
        about = about if isinstance(about, dict) else NOTHING
        handler = self._read.get(key)
        if handler is not None:
            return handler(one, about, t)
        known = settings_of({key: one})
        return Told(settings=known, t=t) if known else Told(t=t)

    def _model(self, value: object, about: Mapping[str, object], t: float | None) -> Told:
        self._benchmark = str(value)
        return Told(words={"model": self._benchmark}, t=t)

    def _platform(self, value: object, about: Mapping[str, object], t: float | None) -> Told:
        return Told(words={} if _EMPTY.search(str(value)) else {"device": str(value)}, t=t)

    def _run_start(self, value: object, about: Mapping[str, object], t: float | None) -> Told:
        self._start_t = self._start_t or t
        return Told(t=t)

    def _run_stop(self, value: object, about: Mapping[str, object], t: float | None) -> Told:
        self.over = True
        results: dict[str, object] = _counted(about)
        if t is not None and self._start_t is not None:
            results["wall_s"] = round(t - self._start_t, 3)
        done = about.get("status") == "success"
        return Told(results=results, completed=done, status="" if done else "failed", t=t)

    def _quality(self, value: object, about: Mapping[str, object], t: float | None) -> Told:
        if isinstance(value, dict):
            figures = {f"eval_{name}".lower(): one for name, one in value.items() if number(one) is not None}
            return Told(facts={**_counted(about), **figures}, t=t)
        quality = number(value)
        if quality is None:
            return Told(t=t)
        name = next((name for pattern, name in _OTHERS if pattern.search(self._benchmark)), "eval_accuracy")
        facts = {**_counted(about), name: quality}
        if name == "eval_accuracy" and (quality > 1 or _LOSS.search(self._benchmark)):
            facts = {**_counted(about), "val_loss": quality}
            if not self._trained:
                facts["loss"] = quality  # the only loss that such a log has
        return Told(facts=facts, t=t)

    def _stats(self, value: object, about: Mapping[str, object], t: float | None) -> Told:
        if not isinstance(value, dict):
            return Told(t=t)
        facts: dict[str, object] = {}
        if number(value.get("throughput")) is not None:
            facts["samples_per_s"] = value["throughput"]
        loss = next((value[name] for name in _LOSS_KEYS if number(value.get(name)) is not None), None)
        if loss is not None:
            facts["loss"], self._trained = loss, True
        return Told(facts={**_counted(about), **facts}, t=t) if facts else Told(t=t)

    def _loss(self, value: object, about: Mapping[str, object], t: float | None) -> Told:
        loss = number(value)
        if loss is None:
            return Told(t=t)
        self._trained = True
        return Told(facts={**_counted(about), "loss": loss}, t=t)


def _counted(about: Mapping[str, object]) -> dict[str, object]:
    """How far the training has come: by samples, else by epochs."""
    samples, epoch = number(about.get("samples_count")), number(about.get("epoch_num"))
    if samples is not None:
        return {"samples": samples}
    return {"epoch": epoch} if epoch is not None and epoch < _LARGEST_EPOCH else {}
