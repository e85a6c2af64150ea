"""`python -m tests.generated --pages 300 --seed N [--kind K] [-v] [--show SEED]`: what the audit makes of made pages."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from random import SystemRandom

from .judging import Verdict, judge, written
from .lies import LIES
from .pages import make
from .table import examples, table


def verdicts(pages: int, seed: int, kind: str | None = None) -> list[Verdict]:
    """Pairs with consecutive seeds; each kind of lie as often as the others."""
    kinds = [kind] if kind else list(LIES)
    with tempfile.TemporaryDirectory(prefix="assay-generated-") as folder:
        return [judge(make(seed + n, kinds[(seed + n) % len(kinds)]), Path(folder)) for n in range(pages)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.generated", description=__doc__)
    parser.add_argument("--pages", type=int, default=300, help="how many pairs of pages")
    parser.add_argument("--seed", type=int, help="the first seed; a fresh one where none is given")
    parser.add_argument("--kind", choices=list(LIES), help="only this kind of lie")
    parser.add_argument("-v", "--verbose", action="store_true", help="every miss and every false accusation")
    parser.add_argument("--show", type=int, metavar="SEED", help="write the pair of this seed to a folder")
    parser.add_argument(
        "--folder", type=Path, help="where --show writes; a new one in the temporary folder where none is named"
    )
    asked = parser.parse_args()
    if asked.show is not None:
        show(asked.show, asked.kind, asked.folder or Path(tempfile.mkdtemp(prefix="assay-pages-")))
        return
    seed = asked.seed if asked.seed is not None else SystemRandom().randrange(1_000_000)
    began_s = time.process_time()
    found = verdicts(asked.pages, seed, asked.kind)
    print(table(found, seed, time.process_time() - began_s))
    print(examples(found, verbose=asked.verbose))


def show(seed: int, kind: str | None, folder: Path) -> None:
    """The pair as two files, and what the audit says of each."""
    kinds = list(LIES)
    pair = make(seed, kind or kinds[seed % len(kinds)])
    paths = written(pair, folder)
    verdict = judge(pair, folder)
    print(f"seed {seed}: {pair.lie.name}, {pair.form.job.name}, voice {pair.voice}, {pair.layout.form}")
    print(f"  true : {pair.said.true}\n  false: {pair.said.false}")
    print(f"  pages: {paths[0]} {paths[1]}")
    for name, findings in (
        ("lie found", verdict.found),
        ("by another code", verdict.elsewhere),
        ("honest page accused", verdict.accused),
    ):
        for one in findings:
            print(f"  {name}: {one.severity} {one.code}: {one.message}")
    print("  not read:", ", ".join(verdict.facts.missed) or "nothing")


if __name__ == "__main__":
    main()
