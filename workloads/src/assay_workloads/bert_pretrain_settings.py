"""The settings of BERT's pretraining."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay_workloads.failure import BadSetting
from assay_workloads.settings import Common, setting

#: tokens that the hand-written attention takes in one block
SHORTEST_FUSED, LONGEST_FUSED = 33, 128  # what the attention kernels can be cut into


@dataclass(frozen=True, kw_only=True)
class Settings(Common):
    """Those of every workload, and BERT's own."""

    MODULE = "assay_workloads.bert_pretrain"
    SIZES: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "tiny": {"batch_size": 32, "lr": 1e-3},
        "base": {"batch_size": 256, "lr": 1e-4},
        "large": {"batch_size": 512, "lr": 1e-4},
    }

    size: str = setting("tiny", "size of the model", choices=("tiny", "base", "large"))
    precision: str = setting("auto", "number format: bf16 on a GPU, else fp32; or fp8 on a Hopper GPU",
                             choices=("auto", "fp32", "tf32", "bf16", "fp8"))  # fmt: skip
    batch_size: int = setting(32, "sequences per weight update", least=1, flags=("-b",))
    lr: float = setting(1e-3, "peak learning rate", least=0.0)
    epochs: int = setting(1, "passes over the text", least=0)
    seq_len: int = setting(128, "tokens per sequence", least=8, most=8192)
    predictions: int = setting(20, "maximum number of hidden words per sequence", least=1)
    dropout: float = setting(0.1, "dropout rate", least=0.0, most=0.9)
    weight_decay: float = setting(0.01, "weight decay of AdamW", least=0.0)
    warmup: float = setting(0.1, "share of the steps over which the learning rate rises", least=0.0, most=1.0)
    clip: float = setting(1.0, "clip gradients to this norm (0: no clipping)", least=0.0)
    accumulate: int = setting(1, "number of parts into which a batch is split", least=1)
    kernels: str = setting("auto", "implementation of the step: torch anywhere, the others on a GPU in bf16",
                           choices=("auto", "torch", "hash", "triton", "products"))  # fmt: skip
    check_replicas_every: int = setting(200, "weight updates between comparisons of replicas", least=1, free=True)

    def check(self) -> None:
        super().check()
        if self.precision == "tf32" and self.device != "cuda":
            raise BadSetting("`precision=tf32` exists on a GPU alone", "choose fp32, or device=cuda")
        if self.batch_size % self.accumulate:
            hint = "choose a divisor of batch_size for accumulate"
            message = f"`batch_size={self.batch_size}` is not {self.accumulate} equal parts"
            raise BadSetting(message, hint, "impossible-request")
        if self.predictions > self.seq_len - 3:
            message = f"`predictions={self.predictions}` are more than the words of {self.seq_len} tokens"
            raise BadSetting(message, f"choose at most {self.seq_len - 3}", "impossible-request")
        if self.kernels in ("triton", "products"):
            self._check_fused()
        if self.precision == "fp8":
            self._check_fp8()

    def _check_fused(self) -> None:
        for name, holds, wanted in (
            ("device", self.device == "cuda", "cuda"),
            ("precision", self.precision in ("auto", "bf16"), "bf16"),
            ("seq_len", SHORTEST_FUSED <= self.seq_len <= LONGEST_FUSED, f"{SHORTEST_FUSED} to {LONGEST_FUSED}"),
        ):
            if not holds:
                raise BadSetting(f"`kernels={self.kernels}` needs {name}={wanted}", "choose kernels=auto")

    def _check_fp8(self) -> None:
        for name, holds, wanted in (
            ("device", self.device == "cuda", "cuda"),
            ("kernels", self.kernels == "auto", "auto"),
            ("seq_len", SHORTEST_FUSED <= self.seq_len <= LONGEST_FUSED, f"{SHORTEST_FUSED} to {LONGEST_FUSED}"),
        ):
            if not holds:
                raise BadSetting(f"`precision=fp8` needs {name}={wanted}", "choose precision=bf16")


def warmup_steps(share: float, total: int) -> int:
    return round(share * total)
