"""One row of the table: how right an engine is, how long a call takes, how many sentences a second.

The latency of a call covers token ids in host memory to logits in host memory; tokenising is not in it. Every call is
timed on its own, one at a time, over the whole test set, after a warm-up; `latency_ms` is the plain mean. Before that
a few thread counts are tried, and the best is used and named.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy

import assay
from assay_workloads.engines import ENGINES
from assay_workloads.engines.base import NotHere, Shape, build, thread_counts

if TYPE_CHECKING:
    from assay_workloads.engines.base import Array, Engine
    from assay_workloads.engines.classifier import Classifier

COVERS = "token ids in host memory to logits in host memory, one call at a time; tokenising is not in it"
_WARM_CALLS, _TRIAL_CALLS = 20, 60


@dataclass(frozen=True, kw_only=True)
class Row:
    """The figures of one engine at one shape; `accuracy` is absent if the labels are random."""

    engine: str
    precision: str
    padded: bool
    inference_batch: int
    seq_len: int
    sentences: int
    threads: int
    accuracy: float | None
    latency_ms: float
    latency_p50_ms: float
    latency_p90_ms: float
    latency_p99_ms: float
    inferences_per_s: float
    build_s: float
    calls: tuple[tuple[float, float], ...] = ()  # when each began, and its seconds

    def values(self) -> dict[str, Any]:
        """For the recorder: nothing that is not known."""
        return {name: value for name, value in asdict(replace(self, calls=())).items() if value not in (None, ())}

    def tell_calls(self) -> None:
        """Each call of one sentence is a request of a closed loop of one: the next is made after its answer."""
        for index, (begin_s, took_s) in enumerate(self.calls if self.inference_batch == 1 else ()):
            assay.request(index=index, sent_mono_s=round(begin_s, 6), e2e_ms=round(1e3 * took_s, 6), in_flight=1)


Call = tuple["Array", "Array | None"]


def calls(sentences: Sequence[Sequence[int]], shape: Shape) -> list[Call]:
    """What the engine is given, call by call: padded to the full length, or as long as the longest of the call."""
    found = []
    for begin in range(0, len(sentences), shape.batch):
        rows = sentences[begin : begin + shape.batch]
        lengths = numpy.array([len(row) for row in rows] + [1] * (shape.batch - len(rows)), numpy.int64)
        width = shape.length if shape.padded else int(lengths.max())
        ids = numpy.zeros((shape.batch, width), numpy.int64)
        for index, row in enumerate(rows):
            ids[index, : len(row)] = row
        found.append((ids, lengths if shape.masked else None))
    return found


def measure(
    name: str,
    model: Classifier,
    sentences: Sequence[Sequence[int]],
    labels: Sequence[int] | None,
    shape: Shape,
    *,
    device: str,
    threads: int,
) -> Row:
    """Build, tune, warm up, time. NotHere where the engine cannot run."""
    given = calls(sentences, shape)
    begin_s = time.perf_counter()
    with assay.phase("compile"):
        used, engine = _tuned(name, model, given, shape, device, threads)
    build_s = time.perf_counter() - begin_s
    with assay.phase("eval"):
        begun_s, took_s, logits = timed(engine, given)
    guesses = numpy.concatenate(logits).argmax(1)[: len(sentences)]
    accuracy = None if labels is None else float((guesses == numpy.asarray(labels)).mean())
    p50, p90, p99 = (float(1e3 * value) for value in numpy.percentile(took_s, (50, 90, 99)))
    return Row(
        engine=name,
        precision=ENGINES[name][3],
        padded=shape.padded,
        inference_batch=shape.batch,
        seq_len=shape.length,
        sentences=len(sentences),
        threads=used,
        accuracy=accuracy,
        latency_ms=float(1e3 * numpy.mean(took_s)),
        latency_p50_ms=p50,
        latency_p90_ms=p90,
        latency_p99_ms=p99,
        inferences_per_s=len(sentences) / float(numpy.sum(took_s)),
        build_s=build_s,
        calls=tuple(zip(begun_s, took_s, strict=True)),
    )


def timed(engine: Engine, given: Sequence[Call]) -> tuple[list[float], list[float], list[Array]]:
    """Begin, seconds and logits of each call. Logits are copied: an engine may give the same memory every time."""
    begun_s, took_s, logits = [], [], []
    for ids, lengths in given[:_WARM_CALLS]:
        engine(ids, lengths)
    for ids, lengths in given:
        begin_s = time.perf_counter()
        found = engine(ids, lengths)
        took_s.append(time.perf_counter() - begin_s)
        begun_s.append(begin_s)
        logits.append(found.copy())
    return begun_s, took_s, logits


def _tuned(
    name: str, model: Classifier, given: Sequence[Call], shape: Shape, device: str, threads: int
) -> tuple[int, Engine]:
    """The engine at the thread count that is asked for, else at the best of those tried."""
    counts = [threads] if threads or device != "cpu" else thread_counts(shape.batch)
    best: tuple[float, int, Engine] | None = None
    for count in counts:
        engine = build(name, model, shape, device=device, threads=count)
        try:
            _, took_s, _ = timed(engine, given[:_TRIAL_CALLS])
        except Exception as problem:  # some compile at the first call
            raise NotHere(f"{type(problem).__name__}: {' '.join(str(problem).split())[:160]}") from problem
        if best is None or numpy.median(took_s) < best[0]:
            best = (float(numpy.median(took_s)), count, engine)
    assert best is not None
    return best[1], best[2]
