"""CPU time and memory of reading and judging large pages, by what they are made of. Not part of `make bench`.

    python bench/pages.py [KILOBYTES] [MAKE …]

Twice the page must not take more than about twice the time; a megabyte takes two seconds at most.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

SENTENCES = (
    "Increasing the batch size to {a} raised the throughput from {b}.5 to {c}.1 samples/s, a gain of 12 %.",
    "With {a} epochs the test accuracy was 9{d}.{d}% and the loss ended at 0.{c}.",
    "We changed the learning rate from 0.0{d} to 0.{d} and the training took {b} seconds, which is 1.{d} times longer.",
    "The Cerebras run took longer because the compile took {c} s.",
    "A larger batch size decreased the accuracy by {d}.2 % in the second run.",
)
LOG = (
    "2024-03-30 15:{m:02d}:{s:02d},123 INFO:   | Train Device=CSX, Step={a}, Loss=7.{b}, Rate={c}.10 samples/sec, "
    "GlobalRate={c}.77 samples/sec"
)


def _figures(at: int) -> dict[str, int]:
    return {
        "a": 8 + at % 997,
        "b": 100 + at % 883,
        "c": 1000 + at % 7919,
        "d": at % 9 + 1,
        "m": at // 60 % 60,
        "s": at % 60,
    }


def claims() -> Iterator[str]:
    """One sentence after the other, each with a claim."""
    for at in count():
        yield SENTENCES[at % len(SENTENCES)].format(**_figures(at)) + "\n\n"


def table() -> Iterator[str]:
    """One table that never ends."""
    yield "# Results on Groq\n\n| batch size | accuracy | throughput (samples/s) | time (s) | speedup | increase |\n"
    yield "|---|---|---|---|---|---|\n"
    for at in count(1):
        yield "| {a} | 9{d}.{b} % | {c}.{b} | {b}.{c} | 1.{d} | {d}.5 % |\n".format(**_figures(at))


def tables() -> Iterator[str]:
    """Many small ones, each under its heading."""
    for at in count(1):
        yield f"## Run {at} on the IPU\n\n| epochs | accuracy | loss |\n|---|---|---|\n"
        for row in range(4):
            yield "| {a} | 9{d}.{b} % | 0.{c} |\n".format(**_figures(4 * at + row))
        yield "\n"


def fences() -> Iterator[str]:
    """A log of a few lines in each fence, a claim above it."""
    for at in count(1):
        yield "Now with batch size {a}:\n\n```\n".format(**_figures(at))
        for step in range(3):
            yield LOG.format(**_figures(at * 3 + step)) + "\n"
        yield "2024-03-30 15:00:00,000 INFO:   Processed 1024 training sample(s) in {b}.5 seconds.\n```\n\n".format(
            **_figures(at)
        )


def session() -> Iterator[str]:
    """A shell session in a page with prose between its commands."""
    for at in count(1):
        values = _figures(at)
        yield f"## Experiment {at}\n\n{SENTENCES[at % 5].format(**values)}\n\n"
        yield "(venv) [user@cer-login ~]$ python run.py CSX --params params.yaml --batch_size {a}\n".format(**values)
        for step in range(5):
            yield LOG.format(**_figures(at * 5 + step)) + "\n"
        yield "2024-03-30 15:00:00,000 INFO:   Training completed successfully!\n\n"
        yield "That was it. It took {b} s.\n\n".format(**values)


def prose() -> Iterator[str]:
    """Long paragraphs under headings, little of it about figures."""
    for at in count(1):
        yield f"### Section {at}\n\n"
        yield "The model was trained on the system as described in the handout and nothing else was changed. " * 4
        yield SENTENCES[at % 5].format(**_figures(at)) + "\n\n"


def code() -> Iterator[str]:
    """Fenced code, settings in it."""
    for at in count(1):
        yield "The script:\n\n```python\nimport torch\nbatch_size = {a}\nepochs = {d}\n```\n\n".format(**_figures(at))


MAKES: dict[str, Callable[[], Iterator[str]]] = {
    "claims": claims, "table": table, "tables": tables, "fences": fences, "session": session, "prose": prose,
    "code": code,
}  # fmt: skip


def page(make: str, size_bytes: int) -> bytes:
    """A page of about this size; `notebook` has the same cells as a session, and `cells` tiny ones."""
    if make in ("notebook", "cells"):
        return _notebook(make, size_bytes)
    parts, size = [], 0
    for part in MAKES[make]():
        parts.append(part)
        size += len(part)
        if size >= size_bytes:
            return "".join(parts).encode()
    raise AssertionError


def _notebook(make: str, size_bytes: int) -> bytes:
    cells: list[dict[str, object]] = []
    size = 0
    for at in count(1):
        if make == "cells":
            cells.append({"cell_type": "code", "source": ["x"], "outputs": []})
            size += 52
        else:
            text = SENTENCES[at % 5].format(**_figures(at))
            printed = [LOG.format(**_figures(at * 3 + step)) + "\n" for step in range(3)]
            cells.append({"cell_type": "markdown", "source": [text]})
            outputs = [{"output_type": "stream", "text": printed}]
            cells.append({"cell_type": "code", "source": ["train(batch_size=8)"], "outputs": outputs})
            size += len(text) + sum(map(len, printed)) + 200
        if size >= size_bytes:
            return json.dumps({"cells": cells}).encode()
    raise AssertionError


def suffix(make: str) -> str:
    return ".ipynb" if make in ("notebook", "cells") else ".md"


def spent(path: Path, what: str) -> float:
    """CPU seconds of reading a page, or of judging it as well."""
    from assay.auditing.audit import judge, load
    from assay.reading.sources import Source
    from assay.ingest.hold import hold

    began = time.process_time()
    if what == "ingest":
        hold(Source(name=str(path), path=path)).read()
    else:
        judge(load([str(path)], path.parent)[0])
    return time.process_time() - began


def main(words: list[str]) -> None:
    if words[:1] == ["--one"]:
        print(spent(Path(words[2]), words[1]), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return
    size_kb = int(words[0]) if words else 1000
    makes = words[1:] or [*MAKES, "notebook", "cells"]
    print(f"{'page of':10} {'kB':>6} {'ingest s':>9} {'MB':>6} {'audit s':>9} {'MB':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for make in makes:
            for size in (size_kb // 2, size_kb):
                path = Path(folder, f"page{suffix(make)}")
                path.write_bytes(page(make, size * 1000))
                shown = []
                for what in ("ingest", "audit"):
                    command = [sys.executable, __file__, "--one", what, str(path)]
                    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=600, check=True)
                    cpu_s, peak_mb = map(float, done.stdout.split())
                    shown += [f"{cpu_s:9.2f}", f"{peak_mb:6.0f}"]
                print(f"{make:10} {size:6d} {' '.join(shown)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
