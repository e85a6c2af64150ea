"""Callbacks that let other training loops report to Assay: one line in a script, without cost outside `assay run`.

    trainer.add_callback(assay.callbacks.huggingface())              # Hugging Face Trainer
    Trainer(callbacks=[assay.callbacks.lightning()])                 # Lightning

Like `assay` itself this runs inside the measured program: standard library and that program's own packages, Python 3.8.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import assay


def huggingface() -> Any:
    """A TrainerCallback: the settings in effect, every logged figure, results of evaluations, the train phase."""
    from transformers import TrainerCallback

    class Callback(TrainerCallback):  # type: ignore[misc, unused-ignore]
        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            batch_size = args.train_batch_size * args.gradient_accumulation_steps * args.world_size
            assay.params(batch_size=batch_size, lr=args.learning_rate, seed=args.seed, max_steps=state.max_steps)
            self._train = assay.phase("train").__enter__()

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            assay.log(**{"step": state.global_step, **_numbers(logs)})

        def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Any = None, **_: Any) -> None:
            assay.result(**_numbers(metrics))

        def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self._train.__exit__()

    return Callback()


def lightning(every_n_steps: int = 50) -> Any:
    """A Lightning Callback: what the module logs, every so many steps and after each validation."""
    try:
        from lightning.pytorch import Callback as Base
    except ImportError:
        from pytorch_lightning import Callback as Base  # type: ignore[assignment, unused-ignore]

    class Callback(Base):  # type: ignore[misc, valid-type, unused-ignore]
        def on_train_start(self, trainer: Any, module: Any) -> None:
            self._train = assay.phase("train").__enter__()

        def on_train_batch_end(self, trainer: Any, module: Any, outputs: Any, batch: Any, index: int) -> None:
            if trainer.global_step % every_n_steps == 0:
                loss = outputs.get("loss") if isinstance(outputs, dict) else outputs
                figures = _numbers(trainer.callback_metrics)
                if loss is not None and "loss" not in figures:
                    figures["loss"] = float(loss)
                assay.log(**{"step": trainer.global_step, "epoch": trainer.current_epoch, **figures})

        def on_validation_end(self, trainer: Any, module: Any) -> None:
            if not trainer.sanity_checking:
                assay.result(**_numbers(trainer.callback_metrics))

        def on_train_end(self, trainer: Any, module: Any) -> None:
            self._train.__exit__()

    return Callback()


def _numbers(metrics: Any) -> dict[str, float]:
    """What is one number, under a name that is text: nothing that a program logs may end it here."""
    found: dict[str, float] = {}
    for name, value in (metrics or {}).items():
        with suppress(TypeError, ValueError, RuntimeError):  # a tensor of several; a word
            found[str(name)] = value if isinstance(value, (int, float)) else float(value)
    return found
