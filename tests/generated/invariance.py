"""The same page written another way: which facts are lost by that, which accusations come, which lies are lost or found.

A page says the same whether its lines are wrapped, its sentences are a list, or it is a notebook; what is read of it
should be the same too. `python -m tests.generated.invariance --pages 60 --seed N` prints what is not.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import SystemRandom

from .judging import facts_of, judge, written
from .layouts import Block, Grid, Heading, Layout, Said, Text
from .lies import LIES
from .pages import Pair, make

BASE = Layout()


def _layout(**changes: object) -> Callable[[Pair], Pair]:
    return lambda pair: replace(pair, layout=replace(pair.layout, **changes))


def _as_lists(pair: Pair) -> Pair:
    return _each(pair, lambda block: replace(block, listed=True) if isinstance(block, Text) else block)


def _without_tables(pair: Pair) -> Pair:
    """Each row of a table as an item of a list."""
    return _each(pair, lambda block: _rows_as_items(block) if isinstance(block, Grid) else block)


def _rows_as_items(grid: Grid) -> Text:
    def item(row: Sequence[Said], lying: bool) -> str:
        cells = [f"{name}: {cell.of(lying)}" for name, cell in zip(grid.header[1:], row[1:], strict=True)]
        return f"{grid.header[0]} {row[0].of(lying)}: {', '.join(cells)}"

    items = [Said(true=item(row, False), false=item(row, True)) for row in grid.rows]
    return Text(sentences=tuple(items), listed=True)


def _reversed(pair: Pair) -> Pair:
    """The sections of the runs in the other order; where runs have no headings, the page as it is."""
    if pair.naming in ("sentence", "together"):
        return pair
    head: list[Block] = []
    sections: list[list[Block]] = []
    for block in pair.blocks:
        if isinstance(block, Heading) and block.level == 2:
            sections.append([block])
        else:
            (sections[-1] if sections else head).append(block)
    sections.reverse()
    return replace(pair, blocks=(*head, *(block for section in sections for block in section)), turned=True)


def _reworded(pair: Pair) -> Pair:
    other = make(pair.seed, pair.lie.name, wording=1)
    same_runs = other.experiment == pair.experiment
    return replace(other, layout=BASE) if same_runs else pair


def _each(pair: Pair, change: Callable[[Block], Block]) -> Pair:
    return replace(pair, blocks=tuple(change(block) for block in pair.blocks))


VARIANTS: dict[str, Callable[[Pair], Pair]] = {
    "wrapped at 66": _layout(width=66),
    "HTML": _layout(form="html"),
    "notebook": _layout(form="ipynb"),
    "plain text": _layout(form="txt"),
    "another prompt": _layout(prompt="(venv) [anna@login1 mnist]$ "),
    "no command shown": _layout(prompt=None),
    "sentences as lists": _as_lists,
    "tables as lists": _without_tables,
    "sections in reverse": _reversed,
    "reworded": _reworded,
}


@dataclass(kw_only=True)
class Tally:
    """What one way of writing changes, added up over pages."""

    pages: int = 0
    facts: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    gained: int = 0
    accused: list[str] = field(default_factory=list)
    lies_lost: list[int] = field(default_factory=list)
    lies_found: int = 0


def compared(pairs: Iterable[Pair], folder: Path) -> dict[str, Tally]:
    """Every variant of every page against the page as it was."""
    tallies = {name: Tally() for name in VARIANTS}
    for pair in pairs:
        base = replace(pair, layout=BASE)
        verdict, facts = judge(base, folder), _facts(base, folder)
        codes = {(one.code, one.severity) for one in verdict.accused}
        for name, change in VARIANTS.items():
            other = change(base)
            if other.honest == base.honest:
                continue
            tally, (told, again) = tallies[name], _told_and_read(other, folder)
            seen = judge(other, folder)
            tally.pages += 1
            tally.facts += len(facts)
            tally.lost.update(f"{pair.form.job.name}: {fact}" for _, fact in sorted((facts & told) - again))
            tally.gained += len(again - facts)
            new = [one for one in seen.accused if (one.code, one.severity) not in codes]
            tally.accused += [f"seed {pair.seed} --kind {pair.lie.name}: {one.severity} {one.code}" for one in new]
            tally.lies_lost += [pair.seed] * (bool(verdict.found) and not seen.found)
            tally.lies_found += bool(seen.found) and not verdict.found
    return tallies


def _facts(pair: Pair, folder: Path) -> set[tuple[int, str]]:
    return _told_and_read(pair, folder)[1]


def _told_and_read(pair: Pair, folder: Path) -> tuple[set[tuple[int, str]], set[tuple[int, str]]]:
    """What stands on the page, and what of it was read: a page in other words may name its runs all at once."""
    honest, _ = written(pair, folder)
    facts = list(facts_of(pair, honest))
    return {one[:2] for one in facts}, {one[:2] for one in facts if one[2]}


def table(tallies: dict[str, Tally], *, few: int = 3) -> str:
    head = (
        f"{'written as':22}{'pages':>6}{'facts':>7}{'lost':>6}{'gained':>8}{'accused':>9}{'lies lost':>11}{'found':>7}"
    )
    lines = [head, "-" * len(head)]
    for name, one in tallies.items():
        counts = f"{one.pages:6d}{one.facts:7d}{one.lost.total():6d}{one.gained:8d}{len(one.accused):9d}"
        lines.append(f"{name:22}{counts}{len(one.lies_lost):11d}{one.lies_found:7d}")
    for name, one in tallies.items():
        told = [f"  lost {count} times: {fact}" for fact, count in one.lost.most_common(few)]
        told += [f"  accused: {what}" for what in one.accused[:few]]
        told += [f"  lie no longer found: seed {seed}" for seed in one.lies_lost[:few]]
        lines += [f"\n{name}", *told] if told else []
    return "\n".join(lines)


def some(pages: int, seed: int) -> list[Pair]:
    kinds = list(LIES)
    return [make(seed + n, kinds[(seed + n) % len(kinds)]) for n in range(pages)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.generated.invariance", description=__doc__)
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--seed", type=int)
    asked = parser.parse_args()
    seed = asked.seed if asked.seed is not None else SystemRandom().randrange(1_000_000)
    with tempfile.TemporaryDirectory(prefix="assay-generated-") as folder:
        print(f"{asked.pages} pages from seed {seed}, as Markdown and written another way\n")
        print(table(compared(some(asked.pages, seed), Path(folder))))


if __name__ == "__main__":
    main()
