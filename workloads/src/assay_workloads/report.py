"""What a workload prints while it trains: phases, figures now and then, a bar for people, the result.

Seconds of training are those inside the phase `train` without what is nested in it (eval, checkpoint), so a rate is
samples over the seconds that were spent on them. Figures are made every `log_every` weight updates and at no other
time: a GPU is not waited for more often.
"""

from __future__ import annotations

import math
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import assay
from assay_workloads.board import Board
from assay_workloads.failure import Failure

#: dense peak of one chip in FLOP/s, by precision, as its maker states it
PEAKS: dict[str, dict[str, float]] = {
    "H200": {"fp8": 1979e12, "bf16": 989e12, "fp16": 989e12, "tf32": 494.5e12, "fp32": 67e12},
    "H100": {"fp8": 1979e12, "bf16": 989e12, "fp16": 989e12, "tf32": 494.5e12, "fp32": 67e12},
    "A100": {"bf16": 312e12, "fp16": 312e12, "tf32": 156e12, "fp32": 19.5e12},
    "L40S": {"bf16": 362e12, "fp16": 362e12, "tf32": 183e12, "fp32": 91.6e12},
    "V100": {"fp16": 125e12, "fp32": 15.7e12},
}


class Reporter:
    """The output of one workload. A silent one (`speaks=False`, for ranks above 0) keeps time and prints nothing."""

    def __init__(
        self,
        *,
        total_steps: int,
        log_every: int,
        device: str = "cpu",
        precision: str = "fp32",
        flops_per_sample: float | None = None,
        board: Board | None = None,
        speaks: bool = True,
    ) -> None:
        self.total_steps, self.log_every, self.device, self.board = total_steps, max(1, log_every), device, board
        self.flops_per_sample, self.peak = flops_per_sample, peak_flops(device, precision)
        self.speaks = speaks
        self.train_s = 0.0
        self._running_since: float | None = None
        self._inside: list[str] = []
        self._at_start = 0  # samples of a resumed run whose seconds are not known: not ours
        self._logged = (0, 0.0)
        self._bar = Bar(total_steps) if speaks and sys.stderr.isatty() else None
        self.last: dict[str, float] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """A span of the run; the clock of training runs in `train` and stops in all that is inside it."""
        self._pause()
        self._inside.append(name)
        self._go_on()
        try:
            if self.speaks:
                with assay.phase(name):
                    yield
            else:
                yield
        finally:
            self._pause()
            self._inside.pop()
            self._go_on()

    def due(self, step: int) -> bool:
        return step % self.log_every == 0 or step == self.total_steps

    def log(self, *, step: int, samples: int, losses: Sequence[float], **more: float) -> None:
        """Figures of the interval that ends here: `losses` are those of its weight updates, `samples` counts all."""
        for back, loss in enumerate(losses):
            if not math.isfinite(loss):
                raise NotFinite(step - len(losses) + 1 + back)
        train_s = self.seconds()
        before, before_s = self._logged
        figures: dict[str, float] = {"loss": sum(losses) / len(losses), **more}
        if train_s > before_s:
            figures["samples_per_s"] = (samples - before) / (train_s - before_s)
        if train_s > 0:
            figures["samples_per_s_avg"] = (samples - self._at_start) / train_s
        figures.update(self._utilisation(figures.get("samples_per_s")))
        self._logged = (samples, train_s)
        self.last = figures
        if not self.speaks:
            return
        assay.log(step=step, samples=samples, **figures)
        if self.board is not None:
            self.board.scalars(step, figures)
        self._show(step, figures)

    def tell(self, step: int, **figures: float) -> None:
        """Figures of another kind than the interval's: an accuracy."""
        if not self.speaks:
            return
        assay.log(step=step, **figures)
        if self.board is not None:
            self.board.scalars(step, figures)
        self.say(f"step {step}/{self.total_steps}  " + "  ".join(f"{n} {_figure(v)}" for n, v in figures.items()))

    def go_on_from(self, samples: int, train_s: float = 0.0) -> None:
        """Count on from where another process stopped: rates cover both."""
        self._logged, self.train_s = (samples, train_s), train_s
        self._at_start = samples if train_s == 0 else 0

    def result(self, *, samples: int, **values: Any) -> dict[str, Any]:
        """The figures of the whole run: printed, sent, and given back."""
        train_s, done = self.seconds(), samples - self._at_start
        found: dict[str, Any] = {"loss": self.last.get("loss"), "samples": samples, "train_s": round(train_s, 6)}
        if train_s > 0 and done:
            found["samples_per_s_avg"] = round(done / train_s, 3)
            found.update(self._utilisation(done / train_s))
        found["peak_memory_bytes"] = peak_memory_bytes(self.device)
        found.update(values)
        found = {name: value for name, value in found.items() if value is not None}
        if self.speaks:
            self.say("result:")
            for name, value in found.items():
                self.say(f"  {name}={_figure(value)}")
            assay.result(**found)
        return found

    def say(self, text: str) -> None:
        """A line for people; ranks above 0 have none."""
        if self.speaks:
            if self._bar is not None:
                self._bar.clear()
            print(text, flush=True)

    def seconds(self) -> float:
        """Seconds of training so far."""
        running = 0.0 if self._running_since is None else time.perf_counter() - self._running_since
        return self.train_s + running

    def _pause(self) -> None:
        if self._running_since is not None:
            self.train_s += time.perf_counter() - self._running_since
            self._running_since = None

    def _go_on(self) -> None:
        if self._inside[-1:] == ["train"]:
            self._running_since = time.perf_counter()

    def _utilisation(self, samples_per_s: float | None) -> dict[str, float]:
        if not samples_per_s or not self.peak or not self.flops_per_sample:
            return {}
        return {"utilisation": self.flops_per_sample * samples_per_s / self.peak}

    def _show(self, step: int, figures: dict[str, float]) -> None:
        rate = figures.get("samples_per_s")
        words = f"loss {figures['loss']:.4f}" + (f"  {rate:,.0f} samples/s" if rate else "")
        if self._bar is not None:
            self._bar.show(step, words)
        else:
            average = figures.get("samples_per_s_avg")
            print(f"step {step}/{self.total_steps}  {words}" + (f" (average {average:,.0f})" if average else ""))
            sys.stdout.flush()


class NotFinite(Failure):
    """The loss became NaN or infinite. The caller adds the last good checkpoint, if it keeps any."""

    def __init__(self, step: int) -> None:
        super().__init__("diverged", f"the loss is not a finite number at step {step}", "a smaller lr may help")
        self.step = step


class Bar:
    """One line that is drawn over itself, for a person at a terminal."""

    def __init__(self, total: int) -> None:
        self.total, self._drawn_s = max(1, total), 0.0
        self._begin_s = time.monotonic()

    def show(self, step: int, words: str) -> None:
        now = time.monotonic()
        if now - self._drawn_s < 0.1 and step < self.total:
            return
        self._drawn_s = now
        share = min(1.0, step / self.total)
        left_s = (now - self._begin_s) * (1 - share) / share if share else 0.0
        filled = int(24 * share)
        sys.stderr.write(
            f"\r\x1b[K{'█' * filled}{'░' * (24 - filled)} {100 * share:3.0f} %  {words}  {left_s:.0f} s left"
        )
        if step >= self.total:
            sys.stderr.write("\n")
        sys.stderr.flush()

    def clear(self) -> None:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def peak_flops(device: str, precision: str) -> float | None:
    """What the chip could do at most, where its maker says so; the peak of a CPU is not known."""
    if device != "cuda":
        return None
    import torch

    if not torch.cuda.is_available():
        return None
    name = torch.cuda.get_device_name()
    return next((peaks.get(precision) for chip, peaks in PEAKS.items() if chip in name), None)


def peak_memory_bytes(device: str) -> int:
    """The peak memory of the GPU if there is one, else of this process."""
    if device == "cuda":
        import torch

        return int(torch.cuda.max_memory_allocated())
    own = _high_water_bytes()
    if own is not None:
        return own
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024


def _high_water_bytes() -> int | None:
    """Linux counts it for each program; getrusage would begin with the memory of the process that started us."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            lines = [line.split() for line in status if line.startswith("VmHWM:")]
        return int(lines[0][1]) * 1024
    except (OSError, IndexError, ValueError):
        return None


def _figure(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6g}" if isinstance(value, float) else str(value)
