"""Are the latencies of `assay run endpoint` those that the server dated itself, and what CPU does the client take?

    python bench/serving.py [--rounds 3]

A server with known delays (tests/serving/known_server.py) dates every token as it sends it, on the clock that all
processes of a machine share, and its kernel dates every request as it arrives: 64 requests at once wait to be read, and
that is part of their TTFT. Held against it: TTFT and ITL at p50 and p99 with 1, 8 and 64 requests in flight. The bar is
1 ms or 2 %, whichever is more.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "serving")]

from known import Known, serving_known  # noqa: E402

from assay.serving.figures import quantile  # noqa: E402

TTFT_MS, ITL_MS, TOKENS, WARMUP = 200, 20, 100, 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    print(f"TTFT {TTFT_MS} ms, ITL {ITL_MS} ms, {TOKENS} tokens; client against server, in ms; {os.cpu_count()} cores")
    print(f"{'in flight':>9} {'':>8} {'server':>9} {'client':>9} {'off by':>8}   CPU per token, CPU of a core")
    bad = 0
    with tempfile.TemporaryDirectory() as folder, serving_known(Path(folder)) as server:
        for at_once in [1, 8, 64] * rounds:
            bad += show(at_once, server)
    sys.exit(1 if bad else 0)


def show(at_once: int, server: Known) -> int:
    """A line for each figure; how many are off by more than the bar."""
    result = measure(server, at_once, max(8, at_once * 2))
    told = sorted((one for one in server.answers() if len(one["sent_s"]) == TOKENS), key=lambda one: one["came_s"])
    told = told[WARMUP:]  # which the client leaves out, too
    cpu_us = 1e4 * result["client_cpu_pct"] * result["measured_s"] / result["output_tokens"]
    ttft = sorted(1e3 * (one["sent_s"][0] - one["arrived_s"]) for one in told)
    itl = sorted(1e3 * (b - a) for one in told for a, b in zip(one["sent_s"], one["sent_s"][1:], strict=False))
    bad = 0
    for name, values in (("ttft", ttft), ("itl", itl)):
        for key, share in (("p50", 0.5), ("p99", 0.99)):
            own, true = result[f"{name}_{key}_ms"], quantile(values, share)
            off = abs(own - true) > max(1.0, 0.02 * true)
            bad += off
            cost = f"   {cpu_us:.0f} µs, {result['client_cpu_pct']:.1f} %" if (name, key) == ("ttft", "p50") else ""
            print(
                f"{at_once:>9} {name} {key} {true:>9.2f} {own:>9.2f} {own - true:>+8.2f}{' *' if off else '  '}{cost}"
            )
    return bad


def measure(server: Known, at_once: int, requests: int) -> dict[str, Any]:
    """The result that the client reports, heard as a recorder hears it."""
    with tempfile.TemporaryDirectory() as folder:
        words = [f"url={server.url}", f"model=known/ttft={TTFT_MS}/itl={ITL_MS}", f"concurrency={at_once}"]
        words += [f"requests={requests}", f"output_len={TOKENS}", "input_len=256", f"warmup={WARMUP}"]
        subprocess.run(
            [sys.executable, "-m", "assay.serving.endpoint", *words], check=True, stdout=subprocess.DEVNULL,
            env={**os.environ, "ASSAY_EVENTS": f"{folder}/events.jsonl"},
        )  # fmt: skip
        lines = [line for path in Path(folder).glob("*.jsonl") for line in path.read_text().splitlines()]
    result: dict[str, Any] = {}
    for event in map(json.loads, lines):
        result.update(event if event["kind"] == "result" else {})
    return result


if __name__ == "__main__":
    main()
