"""The settings of the MNIST workload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay_workloads.failure import BadSetting
from assay_workloads.settings import Common, setting


@dataclass(frozen=True, kw_only=True)
class Settings(Common):
    """The tutorial's, by the names it gives them."""

    MODULE = "assay_workloads.mnist"
    SIZES: ClassVar[Mapping[str, Mapping[str, Any]]] = {"tutorial": {}, "demo": {"epochs": 2, "train_samples": 20000}}

    size: str = setting("tutorial", "settings to start from", choices=("tutorial", "demo"))
    precision: str = setting(
        "auto",
        "number format: fp32, or tf32 on a GPU if there is no kernel for the batch size",
        choices=("auto", "fp32", "tf32", "bf16"),
    )
    device_iterations: int = setting(50, "weight updates per host step", least=1)
    test_batch_size: int = setting(80, "images per step of the test", least=1)
    double_softmax: bool = setting(True, "apply softmax in the model and again in the loss, as in the tutorial")
    train_samples: int = setting(0, "use only the first N training images (0: all)", least=0)
    check_replicas_every: int = setting(500, "weight updates between comparisons of replicas", least=1, free=True)

    def check(self) -> None:
        super().check()
        if self.precision == "tf32" and self.device != "cuda":
            raise BadSetting("`precision=tf32` exists on a GPU alone", "choose fp32, or device=cuda")
