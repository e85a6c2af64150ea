"""Simulated experiments whose truth is known: settings, what came of them, and how much repeats differ.

An experiment varies one setting of one kind of job. Every figure is rounded here to the digits that its log prints,
so that truth is what stands on the page.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

#: settings that a kind of job may vary, with values that people try
POOLS: dict[str, tuple[tuple[float, ...], ...]] = {
    "batch_size": ((8, 16, 32), (16, 64, 256), (32, 64, 128), (32, 128), (64, 256), (512, 1024, 2048), (16, 32)),
    "lr": ((0.1, 0.01, 0.001), (0.01, 0.001), (0.05, 0.005), (3e-4, 1e-3, 1e-2), (2e-5, 2e-4)),
    "epochs": ((2, 5, 10), (5, 10), (10, 20, 40), (3, 6), (4, 12)),
    "num_procs": ((1, 2, 4), (1, 4), (2, 4, 8), (1, 2)),
    "num_tasks": ((4, 8, 16), (8, 16), (4, 16)),
    "seq_len": ((128, 256), (64, 128, 512), (128, 512)),
    "concurrency": ((1, 8, 32), (4, 16), (8, 32, 64), (16, 64)),
}


@dataclass(frozen=True, kw_only=True)
class Job:
    """A kind of job: what it varies, what its log shows of settings, and the digits of each figure it prints."""

    name: str
    work: str  # training, serving or inference
    varies: tuple[str, ...]
    shows: tuple[str, ...]  # settings that stand in the log itself
    digits: Mapping[str, int]  # figure to decimals, in the unit of its name
    top_rate: tuple[float, float] = (900, 6000)
    common: tuple[str, ...] = ("batch_size", "epochs", "lr")
    batches: tuple[tuple[float, ...], ...] = ()
    samples: tuple[int, ...] = (12_000, 50_000, 60_000)


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run: what was in effect, and what its log prints. A failed one has no figures."""

    settings: Mapping[str, float]
    figures: Mapping[str, float]
    losses: tuple[float, ...]  # one an epoch, or ten of them
    accuracies: tuple[float, ...]
    samples: int
    failed: bool = False
    number: int = 0


@dataclass(frozen=True, kw_only=True)
class Group:
    """All runs of one value of what varies."""

    value: float
    runs: tuple[Run, ...]

    def values(self, figure: str) -> list[float]:
        return [run.figures[figure] for run in self.runs if figure in run.figures]

    def mean(self, figure: str) -> float:
        values = self.values(figure)
        return sum(values) / len(values)


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Runs of one job with one setting varied; `flat` where it made no difference beyond the noise."""

    job: Job
    varied: str
    groups: tuple[Group, ...]
    flat: bool = False

    @property
    def runs(self) -> list[Run]:
        return [run for group in self.groups for run in group.runs]

    @property
    def good(self) -> list[Group]:
        return [group for group in self.groups if not any(run.failed for run in group.runs)]

    @property
    def repeats(self) -> int:
        return max(len(group.runs) for group in self.groups)


@dataclass(frozen=True, kw_only=True)
class World:
    """What is fixed for all runs of an experiment: the machine, the data, the model."""

    top_rate: float
    half_batch: float
    start_loss: float
    end_loss: float
    best: float
    best_lr: float
    samples: int
    noise: float  # share by which rates of repeats differ
    spread: float  # points of 1 by which accuracies of repeats differ
    memory_mib: float


def simulate(job: Job, rng: Random, *, repeats: int = 1, flat: bool = False, failing: bool = False) -> Experiment:
    """An experiment of this job; `flat`: what varies changes the outcome less than repeats differ."""
    varied = rng.choice([name for name in job.varies if not flat or name in ("lr", "batch_size")] or job.varies)
    varied = "batch_size" if failing else varied  # what does not fit in memory
    world = _world(job, rng)
    common = _common(job, rng)
    values = _values(job, varied, rng)
    if flat:
        values = values[:2]
    groups = []
    number = 0
    failed_at = values.index(max(values)) if failing else -1
    for place, value in enumerate(values):
        runs = []
        for _ in range(1 if place == failed_at else repeats):
            settings = {**common, varied: value}
            runs.append(_run(job, world, settings, number, rng, flat=flat, failed=place == failed_at))
            number += 1
        groups.append(Group(value=value, runs=tuple(runs)))
    return Experiment(job=job, varied=varied, groups=tuple(groups), flat=flat)


def _values(job: Job, varied: str, rng: Random) -> list[float]:
    values = list(rng.choice(job.batches if varied == "batch_size" and job.batches else POOLS[varied]))
    if rng.random() < 0.3:
        values.reverse()
    return values


def _common(job: Job, rng: Random) -> dict[str, float]:
    common: dict[str, float] = {}
    for name in job.common:
        pools = job.batches if name == "batch_size" and job.batches else POOLS.get(name, ((1000,),))
        common[name] = rng.choice(rng.choice(pools))
    if "epochs" in common:
        common["epochs"] = rng.choice((3, 5, 8, 10))
    if "lr" in common:
        common["lr"] = rng.choice((0.1, 0.05, 0.01, 0.001, 3e-4))
    return common


def _world(job: Job, rng: Random) -> World:
    low, high = job.top_rate
    language = "steps" in job.common
    return World(
        top_rate=math.exp(rng.uniform(math.log(low), math.log(high))),
        half_batch=rng.choice((12.0, 30.0, 90.0)),
        start_loss=rng.uniform(8.8, 10.9) if language else rng.uniform(1.9, 2.4),
        end_loss=rng.uniform(6.4, 7.4) if language else rng.uniform(0.08, 0.6),
        best=rng.uniform(0.86, 0.985),
        best_lr=rng.choice((0.02, 0.004, 0.0015)),
        samples=rng.choice(job.samples),
        noise=rng.uniform(0.004, 0.012),
        spread=rng.uniform(0.001, 0.0025),
        memory_mib=rng.uniform(700, 2600),
    )


def _run(
    job: Job, world: World, settings: Mapping[str, float], number: int, rng: Random, *, flat: bool, failed: bool
) -> Run:
    batch = settings.get("batch_size", 32)
    epochs = int(settings.get("epochs", 1))
    samples = int(settings["steps"] * batch) if "steps" in settings else epochs * world.samples
    samples = int(samples * settings.get("num_tasks", 1))
    rate = _rate(world, settings) * (1 + rng.gauss(0, world.noise))
    accuracy = _accuracy(world, settings, flat) + rng.gauss(0, world.spread)
    loss = world.end_loss * (1.0 if flat else 1 + 6 * (world.best - _accuracy(world, settings, flat)))
    if "steps" in settings and not flat:  # as many steps of larger batches learn more
        loss *= 1 - 0.025 * math.log2(batch / 512)
    loss *= 1 + rng.gauss(0, 0.01 if "epochs" in settings else 0.002)
    raw = {
        "accuracy": accuracy,
        "loss": loss,
        "test_loss": loss * 1.07,
        "samples_per_s": rate,
        "seconds": samples / rate,
        "memory_mib": world.memory_mib * (1 + 0.006 * batch) * (1 + rng.gauss(0, 0.004)),
        **_served(world, settings, rng),
    }
    if "tokens_per_s" in job.digits:
        raw["tokens_per_s"] = rate * settings.get("seq_len", 512)
    figures = {name: round(raw[name], places) for name, places in job.digits.items()}
    points = epochs if "epochs" in settings else 10
    return Run(
        settings=settings,
        figures={} if failed else figures,
        losses=_losses(world, figures.get("loss", raw["loss"]), points, rng),
        accuracies=_accuracies(figures.get("accuracy", accuracy), points, rng),
        samples=samples,
        failed=failed,
        number=number,
    )


def _rate(world: World, settings: Mapping[str, float]) -> float:
    batch = settings.get("batch_size", 32)
    rate = world.top_rate * batch / (batch + world.half_batch)
    rate *= settings.get("num_procs", 1) ** 0.86
    rate *= settings.get("num_tasks", 1) ** 0.97
    return rate * (128 / settings.get("seq_len", 128)) ** 0.8


def _accuracy(world: World, settings: Mapping[str, float], flat: bool) -> float:
    if flat:
        return world.best
    away = abs(math.log10(settings.get("lr", world.best_lr) / world.best_lr))
    few = math.exp(-settings.get("epochs", 10) / 4.5)
    return world.best - 0.05 * away - 0.11 * few


def _served(world: World, settings: Mapping[str, float], rng: Random) -> dict[str, float]:
    """What a server does under so many requests at once, and a chip for one input."""
    users = settings.get("concurrency", 1)
    tokens = world.top_rate * users / (users + 14) * (1 + rng.gauss(0, world.noise))
    latency = 2.1 * (settings.get("seq_len", 128) / 128) ** 0.85 * (1 + rng.gauss(0, world.noise))
    return {
        "output_tokens_per_s": tokens,
        "requests_per_s": tokens / 128,
        "ttft_mean_ms": (38 + 6.1 * users) * (1 + rng.gauss(0, world.noise)),
        "tpot_mean_ms": 1000 * users / tokens,
        "serve_s": 200 * 128 / tokens,
        "latency_ms": latency,
        "inferences_per_s": 1000 / latency,
        "cpu_pct": 100 + 38 * math.log2(settings.get("batch_size", 32)) * (1 + rng.gauss(0, world.noise)),
    }


def _losses(world: World, last: float, points: int, rng: Random) -> tuple[float, ...]:
    """Falling towards the last one, never below it."""
    height = max(world.start_loss - last, last * 0.3)
    curve = [last + height * math.exp(-3.2 * (place + 1) / points) for place in range(points - 1)]
    return (*(value * (1 + abs(rng.gauss(0, 0.004))) for value in curve), last)


def _accuracies(last: float, points: int, rng: Random) -> tuple[float, ...]:
    curve = [last - 0.35 * last * math.exp(-3.0 * (place + 1) / points) for place in range(points - 1)]
    return (*(value - abs(rng.gauss(0, 0.004)) for value in curve), last)
