"""`python tests/faults`: a thousand faults and five thousand strange inputs, then a table of what was wrong."""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])

from faults.case import COLUMNS, Case  # noqa: E402
from faults.fuzz.campaign import campaign  # noqa: E402
from faults.fuzz.inputs import SOURCES  # noqa: E402
from faults.fuzz.session import Session  # noqa: E402
from faults.one import do, report  # noqa: E402
from faults.table import KINDS  # noqa: E402


def main() -> int:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # under nohup, or behind `&`, these are ignored, and
    for number in (signal.SIGQUIT, signal.SIGHUP):  # what is started from here would ignore them, too
        signal.signal(number, signal.SIG_DFL)
    words = argparse.ArgumentParser(prog="python tests/faults", description=__doc__)
    words.add_argument("--count", type=int, default=1000, help="how many faults (default: 1000)")
    words.add_argument("--kind", default="", help="this kind, or those that contain this text, and no inputs")
    words.add_argument("--inputs", type=int, default=5000, help="how many inputs (default: 5000)")
    words.add_argument("--target", default="", help="inputs for this target alone, and no faults")
    words.add_argument(
        "--seed", type=int, default=None, help="of the first fault or input; the next ones count up from it"
    )
    words.add_argument("--jobs", type=int, default=2, help="how many at once (default: 2)")
    words.add_argument("--list", action="store_true", help="only name the kinds and targets")
    asked = words.parse_args()
    kinds = [asked.kind] if asked.kind in KINDS else [kind for kind in KINDS if asked.kind in kind]
    targets = [asked.target] if asked.target in SOURCES else [] if asked.target or asked.kind else list(SOURCES)
    if asked.list or not (kinds and (targets or not asked.target)):
        print("\n".join([*KINDS, "", *SOURCES]))
        return 0 if asked.list else 2
    seed = random.SystemRandom().randrange(1_000_000) if asked.seed is None else asked.seed
    print(f"seed {seed}", flush=True)
    wrong = 0
    if targets and asked.inputs:
        wrong += inputs(targets, seed, asked.inputs, asked.jobs)
    if not asked.target and asked.count:
        wrong += faults(kinds, seed, asked.count, asked.jobs)
    return 1 if wrong else 0


def inputs(targets: list[str], seed: int, count: int, jobs: int) -> int:
    """How many were not survived. Each process feeds its share of the targets."""
    shares = [share for share in (targets[index::jobs] for index in range(jobs)) if share]

    def feed(share: list[str]) -> tuple[Counter[str], int, float, int]:
        with Session() as session:
            each = count * len(share) // len(targets)
            found = campaign(session, seed, each, lambda fault: print(fault, flush=True), share)
            return found, session.fed, session.most_cpu_s, session.most_bytes

    with ThreadPoolExecutor(jobs) as pool:
        done = list(pool.map(feed, shares))
    found = sum((one[0] for one in done), Counter[str]())
    print(
        f"{sum(one[1] for one in done)} inputs to {len(targets)} targets: {sum(found.values())} not survived; "
        f"at most {max(one[2] for one in done):.1f} s of CPU time and {max(one[3] for one in done) / 1e6:.0f} MB",
        flush=True,
    )
    return sum(found.values())


def faults(kinds: list[str], seed: int, count: int, jobs: int) -> int:
    """How many had anything wrong; what is wrong is told as it is found, and all of it in a table."""
    within = Path(tempfile.mkdtemp(prefix="assay-faults-"))
    plan = [(kinds[index % len(kinds)], seed + index) for index in range(count)]
    tried: Counter[str] = Counter()
    wrong: Counter[tuple[str, str]] = Counter()
    with ThreadPoolExecutor(jobs) as pool:
        for case in pool.map(lambda one: do(*one, within), plan):
            tried[case.kind] += 1
            wrong.update((case.kind, column) for column in {column for column, _ in case.wrongs})
            _say(case, sum(tried.values()), count)
    print(_table([kind for kind in kinds if tried[kind]], tried, wrong))
    if not wrong:
        within.rmdir()
    return sum(wrong.values())


def _say(case: Case, done: int, count: int) -> None:
    if case.wrongs:
        print(report(case), flush=True)
    if done % 50 == 0:
        print(f"{done} of {count} faults", flush=True)


def _table(kinds: list[str], tried: Counter[str], wrong: Counter[tuple[str, str]]) -> str:
    """kind, tried, and how many of them had each thing wrong; a last line for all."""
    rows = [[kind, str(tried[kind]), *(str(wrong[kind, column]) for column in COLUMNS)] for kind in kinds]
    sums = [str(sum(wrong[kind, column] for kind in kinds)) for column in COLUMNS]
    rows = [["kind", "tried", *COLUMNS], *rows, ["all", str(sum(tried.values())), *sums]]
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    lines = []
    for first, *rest in rows:
        cells = [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
