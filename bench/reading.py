"""How fast logs are read and how much memory it takes, and TensorBoard files beside TensorBoard's own loader.

    python bench/reading.py [--quick] [NAME…]        a gigabyte a log; 64 MB with --quick

Two kinds of log: one where one line in a hundred says something, as a verbose framework's does, and one where every
line does. Both are read twice: by the readers alone, and end to end by `assay ingest`, whose peak memory is what the
kernel says of that process.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from table import ASSAY, PYTHON, interleaved, row

MEGABYTE = 1_000_000
BLOCK_BYTES = 1 << 20
MOST_MEMORY_BYTES = 200 * MEGABYTE
#: what stands between the lines that matter; some of it has a word in it that a reader has to look at
NOISE = (
    "DEBUG:   grpc channel to worker-{a} idle for {b} ms, keepalive sent",
    "INFO:    dataloader worker {a} prefetched shard data/part-{b:05d}.tar in {c} ms",
    "WARNING: /opt/venv/lib/python3.11/site-packages/torch/nn/modules/module.py:{a}: UserWarning: buffer is read-only",
    "DEBUG:   allocator: {b} blocks in use, {c} free, fragmentation 0.{a}",
    "INFO:    [rank {a}] all-reduce bucket {b} took {c} us over ring 0",
    "DEBUG:   cache miss for key {b:08x}{c:08x}, fetching from host {a}",
    "INFO:    heartbeat from node{a:03d}: temperature {a} C, fan {b} rpm",
    "DEBUG:   telemetry flushed {b} counters to /var/run/agent.sock",
    "INFO:    garbage collector freed {c} objects in generation {a}",
    "DEBUG:   retrying request {b} ({a} of 5): connection reset, no error reported",
)
STEP = (
    "2024-03-30 {h:02d}:{m:02d}:{s:02d},{ms:03d} INFO:   | Train Device=CSX, Step={step}, Loss={loss:.5f}, "
    "Rate={rate:.2f} samples/sec, GlobalRate={rate:.2f} samples/sec\n"
)
PLAIN = (
    "2024-03-30 {h:02d}:{m:02d}:{s:02d} INFO train: epoch 3 step {step} loss {loss:.5f} accuracy {accuracy:.4f} "
    "lr 0.0003 {rate:.1f} samples/s\n"
)


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast logs are read.")
    parser.add_argument("--quick", action="store_true", help="64 MB a log instead of a gigabyte")
    parser.add_argument("names", nargs="*", metavar="NAME", help="sparse, dense, plain, tensorboard (default: all)")
    options = parser.parse_args()
    size = 64 * MEGABYTE if options.quick else 1000 * MEGABYTE
    benches: dict[str, Callable[[int], None]] = {
        "sparse": sparse, "dense": dense, "plain": plain, "tensorboard": tensorboard,
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as place:
        os.chdir(place)
        for name in options.names or benches:
            benches[name](size)


def sparse(size: int) -> None:
    _write("sparse.log", size, _sparse_lines)
    _log_rows("1 line in 100 matters", "sparse.log", reader_mb_s=100, whole_mb_s=None)


def dense(size: int) -> None:
    _write("dense.log", size, partial(_step_lines, STEP))
    _log_rows("every line matters", "dense.log", reader_mb_s=25, whole_mb_s=8)


def plain(size: int) -> None:
    """Lines of no known system, as most scripts print them."""
    _write("plain.log", size // 4, partial(_step_lines, PLAIN))
    _log_rows("every line matters, generic", "plain.log", reader_mb_s=None, whole_mb_s=None)


def _log_rows(what: str, log: str, *, reader_mb_s: float | None, whole_mb_s: float | None) -> None:
    """The readers alone, then the command; both also by CPU time, which a busy machine distorts less."""
    megabytes = Path(log).stat().st_size / MEGABYTE
    _child([PYTHON, __file__, "--read-one", log])
    took_s, cpu_s = map(float, Path("took").read_text().split())
    figures = f"{megabytes / took_s:.0f} MB/s ({megabytes / cpu_s:.0f} by CPU time) of {megabytes:.0f} MB"
    held = None if reader_mb_s is None else megabytes / took_s >= reader_mb_s
    row(f"{what}, reader" + _bar(reader_mb_s), figures, held)
    took_s, cpu_s, peak_bytes = _child([*ASSAY, "ingest", log, "--runs-dir", "runs", "--json"])
    figures = (
        f"{megabytes / took_s:.1f} MB/s ({megabytes / cpu_s:.1f} by CPU time), {peak_bytes / MEGABYTE:.0f} MB of memory"
    )
    flat = peak_bytes < MOST_MEMORY_BYTES
    row(f"{what}, ingest" + _bar(whole_mb_s), figures, flat and megabytes / took_s >= (whole_mb_s or 0))
    shutil.rmtree("runs")
    Path(log).unlink()


def _bar(least_mb_s: float | None) -> str:
    return f" ({least_mb_s:.0f} MB/s)" if least_mb_s else ""


def _child(command: list[str]) -> tuple[float, float, int]:
    """Seconds, CPU seconds and peak resident bytes of a process, from the kernel."""
    begin_s = time.perf_counter()
    to_file = (os.POSIX_SPAWN_OPEN, 1, "out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=[to_file])
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"`{' '.join(command)}` ended with {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - begin_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def read_one(log: str) -> None:
    """The readers alone, as a process of its own: bytes in, events out."""
    from assay import systems
    from assay.reading.stream import Stream

    events = 0
    begin_s, begin_cpu_s = time.perf_counter(), time.process_time()
    stream = Stream(lambda draft: None, systems.kit())
    with open(log, "rb") as file:
        while block := file.read(BLOCK_BYTES):
            stream.feed(block)
            draft = stream.splitter.draft
            events += len(draft.events) + len(draft.generic_events)
            draft.events, draft.generic_events = [], []
    stream.finish()
    Path("took").write_text(f"{time.perf_counter() - begin_s} {time.process_time() - begin_cpu_s}")
    assert events > 0


def _write(name: str, size: int, lines: Callable[[], Iterator[str]]) -> None:
    written = 0
    with open(name, "w", buffering=BLOCK_BYTES) as file:
        for line in lines():
            written += file.write(line)
            if written >= size:
                return


def _step_lines(form: str) -> Iterator[str]:
    step = 0
    while True:
        step += 1
        s, rate = step % 86400, 2900 + step % 97
        yield form.format(
            h=s // 3600, m=s // 60 % 60, s=s % 60, ms=step % 1000, step=step, loss=2 + 7 / (1 + step / 1000),
            rate=rate, accuracy=step % 9973 / 9973,
        )  # fmt: skip


def _sparse_lines() -> Iterator[str]:
    """A few thousand lines of noise, made once, with a step after every ninety-nine."""
    chance, steps = random.Random(1), _step_lines(STEP)
    noise = [
        f"2024-03-30 15:{i // 60 % 60:02d}:{i % 60:02d},{i % 1000:03d} "
        + chance.choice(NOISE).format(a=chance.randrange(100), b=chance.randrange(10**4), c=chance.randrange(10**4))
        + "\n"
        for i in range(9900)
    ]
    while True:
        for at in range(0, len(noise), 99):
            yield "".join(noise[at : at + 99])
            yield next(steps)


def tensorboard(size: int) -> None:
    """Scalars of a long training in one file; both sides read it to the last one."""
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
    from torch.utils.tensorboard import SummaryWriter

    count = 20_000 if size < 1000 * MEGABYTE else 100_000
    with SummaryWriter("board") as board:
        for step in range(count):
            board.add_scalar("train/loss", 1 / (step + 1), step)
            board.add_scalar("val/accuracy", step / count, step)
    (path,) = map(str, Path("board").iterdir())

    def ours() -> float:
        from assay.reading.tensorboard import scalars

        begin_s = time.perf_counter()
        found = sum(1 for _ in scalars([Path(path).read_bytes()]))
        assert found == 2 * count
        return time.perf_counter() - begin_s

    def theirs() -> float:
        begin_s = time.perf_counter()
        found = sum(len(event.summary.value) for event in EventFileLoader(path).Load())
        assert found == 2 * count
        return time.perf_counter() - begin_s

    our_s, their_s = map(statistics.median, interleaved(5, ours, theirs))
    figures = f"{our_s:.2f} s, its own loader {their_s:.2f} s, {our_s / their_s:.2f} x (median of 5)"
    row(f"{2 * count:,} TensorBoard scalars", figures, None)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read-one"]:
        read_one(sys.argv[2])
    else:
        main()
