"""The settings of BERT-tiny on sentences about films."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay_workloads.engines import ENGINES
from assay_workloads.failure import BadSetting
from assay_workloads.settings import Common, setting


@dataclass(frozen=True, kw_only=True)
class Settings(Common):
    """Of the training, then of the table."""

    MODULE = "assay_workloads.bert_classify"
    SIZES: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "full": {},
        "demo": {"max_steps": 150, "lr": 2e-3, "engines": "eager,onnxruntime", "sentences": 300},
    }

    precision: str = setting(
        "fp32", "precision of the training; each engine has its own", choices=("fp32", "tf32", "bf16")
    )
    size: str = setting("full", "`demo` takes about a minute", choices=("full", "demo"))
    batch_size: int = setting(64, "sentences per weight update", least=1, flags=("-b",))
    lr: float = setting(1e-3, "peak learning rate; it rises over a tenth of the steps and then falls to 0", least=0.0)
    epochs: int = setting(2, "passes over the phrases", least=0)
    dropout: float = setting(0.1, "dropout rate", least=0.0, most=0.9)
    weight_decay: float = setting(0.01, "weight decay of AdamW", least=0.0)
    weights: str = setting("", "use these weights instead of training: a checkpoint, or the folder of a run")
    engines: str = setting("all", f"engines to measure, separated by commas: {', '.join(ENGINES)}; or none", free=True)
    seq_len: int = setting(128, "longest sentence in tokens, and the length of a padded one", least=3, most=512)
    inference_batch: int = setting(1, "sentences per call", least=1, free=True)
    padding: str = setting(
        "both", "how sentences are given to an engine", choices=("both", "padded", "unpadded"), free=True
    )
    sentences: int = setting(0, "number of test sentences to measure with (0: all)", least=0, free=True)

    def check(self) -> None:
        super().check()
        if self.precision == "tf32" and self.device != "cuda":
            raise BadSetting("`precision=tf32` exists on a GPU alone", "choose fp32, or device=cuda")
        for name in self.chosen():
            if name not in ENGINES:
                raise BadSetting(f"no engine called `{name}`", "choose one of: " + ", ".join([*ENGINES, "all", "none"]))

    def chosen(self) -> list[str]:
        """The engines to measure; `eager` is always the first where there is any, since the others stand beside it."""
        if self.engines == "none":
            return []
        if self.engines == "all":
            return [name for name, (_, _, devices, _) in ENGINES.items() if self.device in devices]
        named = [name for name in self.engines.replace("+", ",").split(",") if name]
        return list(dict.fromkeys(["eager", *named]))
