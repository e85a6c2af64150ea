"""The summary of a run on 1,000 nodes: seconds of CPU time for each 100,000 events (at most 1), and the peak memory.

python bench/nodes.py        NODES=1000 SAMPLES=110: a file of events for each node, as their recorders write it
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from table import row

from assay.model.event import End, Event, How, Sample, encode
from assay.store.layout import create, write_json
from assay.summary.build import summarise

NODES, SAMPLES = int(os.environ.get("NODES", "1000")), int(os.environ.get("SAMPLES", "110"))
BEGAN_T = 1_700_000_000.0


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as place:
        run = create(Path(place), "many-1")
        write_json(run.run_json, {"v": 1, "id": "many-1", "name": "many", "command": ["train"], "asked_t": BEGAN_T})
        for node in range(NODES):
            (run.events / f"n{node}-1-1.jsonl").write_bytes(b"".join(map(encode, _events(node))))
        events = NODES * (SAMPLES + 2)
        before = resource.getrusage(resource.RUSAGE_SELF)
        summary = summarise(run)
        after = resource.getrusage(resource.RUSAGE_SELF)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    each_s, grown = cpu_s * 100_000 / events, (after.ru_maxrss - before.ru_maxrss) / 1024
    assert len(summary.by_node) == NODES and summary.status == "completed", summary.status
    figures = f"{cpu_s:.2f} s of CPU for {events:,} events, {each_s:.2f} s per 100,000; {grown:.0f} MiB more memory"
    row(f"summary of {NODES:,} nodes (at most 1 s per 100,000)", figures, each_s <= 1)


def _events(node: int) -> Iterator[Event]:
    """A start, samples of half a minute, an end, as a recorder writes them."""
    by: dict[str, Any] = {"source": "launcher", "rank": node, "node": f"n{node}"}
    yield How(**by, t=BEGAN_T, mono_s=10.0, how="executed", host=f"n{node}")
    for at in range(SAMPLES):
        yield Sample(
            **{**by, "source": "probe:process"}, t=BEGAN_T + 0.3 * at, mono_s=10 + 0.3 * at, cpu_pct=90.0 + at % 7,
            cpu_s=0.25 * at, rss_bytes=10**9 + at, processes=3, threads=9,
        )  # fmt: skip
    yield End(**by, t=BEGAN_T + 33, mono_s=43.0, status="completed", exit_code=0, wall_s=33.0)


if __name__ == "__main__":
    sys.exit(main())
