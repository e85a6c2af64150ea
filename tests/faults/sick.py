"""`sick.py FAULT WORDS…`: `assay WORDS` with a fault inside this one process; what it starts is well.

Each fault replaces something of ours by what raises, or lies, from some moment on. Nothing of the command's own
environment is touched.
"""

import random
import sys
import time
from typing import Any

INJECTED = "injected by the test of faults"


class Injected(Exception):
    pass


def raising(function: Any, after: int) -> Any:
    """The same for so many calls; then it raises."""
    calls = [0]

    def sick(*given: Any, **named: Any) -> Any:
        calls[0] += 1
        if calls[0] > after:
            raise Injected(INJECTED)
        return function(*given, **named)

    return sick


def readers(chance: random.Random) -> None:
    """All of them fail from some line on: in reading a line, in their last words, or all at once."""
    from assay import systems

    if chance.random() < 0.2:
        from assay.reading.stream import Stream

        Stream.feed = raising(Stream.feed, chance.choice((0, 3)))  # type: ignore[method-assign]
    for reader in systems.readers().values():
        name = chance.choice(("read", "finish"))
        setattr(reader, name, raising(getattr(reader, name), chance.choice((0, 1, 30))))


def probes(chance: random.Random) -> None:
    from assay.probes.memory import MemoryProbe
    from assay.probes.process import ProcessProbe

    for probe in (MemoryProbe, ProcessProbe):
        probe.sample = raising(probe.sample, chance.choice((0, 1, 3)))  # type: ignore[method-assign]


def facts(chance: random.Random) -> None:
    """What is true before the start cannot be found out: /proc and git answer nonsense."""
    from assay.probes import gpu

    state = gpu.look()
    gpu.look = lambda *given, **named: state  # loaded before the rest fails

    import subprocess

    real = subprocess.run

    def sick(words: Any, *given: Any, **named: Any) -> Any:
        if words and str(words[0]).endswith("git"):
            raise chance.choice((OSError(5, "Input/output error"), subprocess.TimeoutExpired(words, 1)))
        return real(words, *given, **named)

    subprocess.run = sick  # type: ignore[assignment]


def clock(chance: random.Random) -> None:
    """The wall clock jumps: by a second, an hour, a day or forty years, forth or back."""
    real, jumps_at = time.time, time.monotonic() + chance.uniform(0.0, 0.6)
    jump_s = chance.choice((1.0, 3600.0, 86400.0, 1.2e9)) * chance.choice((1, -1))
    time.time = lambda: real() + (jump_s if time.monotonic() > jumps_at else 0.0)  # type: ignore[assignment]


def summary(chance: random.Random) -> None:
    """All is recorded, and then it cannot be summed up."""
    from assay.summary.tally import Tally

    Tally.add = raising(Tally.add, chance.choice((0, 5)))  # type: ignore[method-assign]


FAULTS = {"readers": readers, "probes": probes, "facts": facts, "clock": clock, "summary": summary}

if __name__ == "__main__":
    fault, _, seed = sys.argv[1].partition("=")
    del sys.argv[:1]
    sys.path[0] = ""
    FAULTS[fault](random.Random(seed))
    from assay.cli import main

    main()
