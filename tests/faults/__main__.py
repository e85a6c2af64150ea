"""`python tests/faults`: a thousand faults and five thousand strange inputs, then a table of what was wrong."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])

from faults.case import COLUMNS, Case  # noqa: E402
from faults.one import do, report  # noqa: E402
from faults.table import KINDS  # noqa: E402


def main() -> int:
    words = argparse.ArgumentParser(prog="python tests/faults", description=__doc__)
    words.add_argument("--count", type=int, default=1000, help="how many faults (default: 1000)")
    words.add_argument("--kind", default="", help="this kind, or those that contain this text")
    words.add_argument("--seed", type=int, default=None, help="of the first fault; the next ones count up from it")
    words.add_argument("--jobs", type=int, default=2, help="how many at once (default: 2)")
    words.add_argument("--list", action="store_true", help="only name the kinds")
    asked = words.parse_args()
    kinds = [asked.kind] if asked.kind in KINDS else [kind for kind in KINDS if asked.kind in kind]
    if asked.list or not kinds:
        print("\n".join(KINDS))
        return 0 if kinds else 2
    seed = random.SystemRandom().randrange(1_000_000) if asked.seed is None else asked.seed
    print(f"seed {seed}", flush=True)
    return faults(kinds, seed, asked.count, asked.jobs)


def faults(kinds: list[str], seed: int, count: int, jobs: int) -> int:
    within = Path(tempfile.mkdtemp(prefix="assay-faults-"))
    plan = [(kinds[index % len(kinds)], seed + index) for index in range(count)]
    tried: Counter[str] = Counter()
    wrong: Counter[tuple[str, str]] = Counter()
    with ThreadPoolExecutor(jobs) as pool:
        for case in pool.map(lambda one: do(*one, within), plan):
            tried[case.kind] += 1
            wrong.update((case.kind, column) for column in {column for column, _ in case.wrongs})
            _say(case, sum(tried.values()), count)
    print(_table(kinds, tried, wrong))
    if not wrong:
        within.rmdir()
    return 1 if wrong else 0


def _say(case: Case, done: int, count: int) -> None:
    if case.wrongs:
        print(report(case), flush=True)
    if done % 50 == 0:
        print(f"{done} of {count}", flush=True)


def _table(kinds: list[str], tried: Counter[str], wrong: Counter[tuple[str, str]]) -> str:
    """kind, tried, and how many of them had each thing wrong; a last line for all."""
    rows = [[kind, str(tried[kind]), *(str(wrong[kind, column]) for column in COLUMNS)] for kind in kinds]
    sums = [str(sum(wrong[kind, column] for kind in kinds)) for column in COLUMNS]
    rows = [["kind", "tried", *COLUMNS], *rows, ["all", str(sum(tried.values())), *sums]]
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if not index else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


if __name__ == "__main__":
    sys.exit(main())
