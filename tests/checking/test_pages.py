"""A page against its own figures: what is true is left alone, and its twin with one figure changed is found."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from assay.checking.audit import findings
from assay.checking.evidence import page_of
from assay.ingest.document import parse
from assay.model.finding import Finding

SPEEDUPS = """# Scaling

| Threads | Time (s) | Speedup | Efficiency |
|---|---|---|---|
| 1 | 81.20 | 1.00 | 1.00 |
| 2 | 42.10 | 1.93 | 0.96 |
| 4 | 22.60 | 3.59 | 0.90 |
| 8 | 13.90 | 5.84 | 0.73 |
| 16 | 9.80 | 8.29 | 0.52 |

With 16 threads it is the fastest, and the speedup increases with the number of threads.
"""
ENGINES = """# Engines

| Engine | Throughput (req/s) | Latency (ms) | vs blaze |
|---|---|---|---|
| blaze | 410.0 | 12.40 | 1.00x |
| cinder | 533.0 | 9.10 | 1.30x |
| ember | 287.0 | 21.70 | 0.70x |
| total | 1230.0 | | |

Cinder is the fastest. Ember is slower than blaze. Cinder is 1.3x faster than blaze.
Latency fell from 12.40 ms to 9.10 ms (27 % lower).
"""
RUNS = """# Repeats

Seeds of the baseline:
- 41.2
- 39.8
- 44.7
- 40.3
Average: 41.5

| Model | Run 1 | Run 2 | Run 3 | Average | Change (%) |
|---|---|---|---|---|---|
| small | 10.2 | 10.4 | 10.3 | 10.3 | |
| base | 14.1 | 14.4 | 14.1 | 14.2 | +37.9 |
| large | 22.9 | 23.1 | 23.3 | 23.1 | +124.3 |
| huge | 40.8 | 41.0 | 41.5 | 41.1 | +299.0 |

Got 7216 / 10000 correct (72.16). The three parts took 12.5 + 30.1 + 7.4 = 50.0 s.
"""
BUNDLE = """# Bundle

- **Before**: 10.35 MB
- **After**: 7.08 MB
- **Savings**: 3.27 MB (31.6% reduction)

| Step | Cost |
|---|---|
| parse | 41.0 → **20.5** (2.00x) |
| link | 63.2 → **15.8** (4.00x) |
| emit | 18.0 → **12.0** (1.50x) |
| pack | 30.0 → **12.5** (2.40x) |
"""
#: a page, what is true on it, and what its twin says instead
TWINS = [
    (SPEEDUPS, "3.59", "3.95"),
    (SPEEDUPS, "0.73", "0.37"),
    (SPEEDUPS, "With 16 threads it is", "With 2 threads it is"),
    (SPEEDUPS, "the speedup increases with", "the speedup decreases with"),
    (ENGINES, "1.30x", "1.90x"),
    (ENGINES, "| 1230.0 |", "| 1320.0 |"),
    (ENGINES, "Cinder is the fastest", "Ember is the fastest"),
    (ENGINES, "Ember is slower than", "Ember is faster than"),
    (ENGINES, "1.3x faster than", "1.8x faster than"),
    (ENGINES, "(27 % lower)", "(47 % lower)"),
    (RUNS, "Average: 41.5", "Average: 45.1"),
    (RUNS, "23.3 | 23.1", "23.3 | 21.3"),
    (RUNS, "+37.9", "+73.9"),
    (RUNS, "(72.16)", "(76.12)"),
    (RUNS, "= 50.0 s", "= 60.0 s"),
    (BUNDLE, "3.27 MB", "3.72 MB"),
    (BUNDLE, "(4.00x)", "(3.00x)"),
]  # fmt: skip


def checked(text: str, name: str = "page.md") -> list[Finding]:
    return findings(page_of(parse(name, list(enumerate(text.encode().split(b"\n"), 1))), name))


@pytest.mark.parametrize("page", [SPEEDUPS, ENGINES, RUNS, BUNDLE], ids=["speedups", "engines", "runs", "bundle"])
def test_a_page_that_agrees_with_itself_is_left_alone(page: str) -> None:
    assert checked(page) == []


@pytest.mark.parametrize(("page", "true", "false"), TWINS, ids=[f"{true} as {false}" for _, true, false in TWINS])
def test_a_changed_figure_is_found_on_its_own_line(page: str, true: str, false: str) -> None:
    assert page.count(true) == 1
    changed = page.replace(true, false)
    line = next(at for at, text in enumerate(changed.split("\n"), 1) if false in text)
    assert line in {one.evidence[0].line for one in checked(changed)}


#: supposed, planned, denied, of others or of something that is not here: nobody's mistake
UNTOLD = [
    "Ember should be the fastest after the rewrite.",
    "We expect cinder to be 4x faster than blaze.",
    "Cinder is not the slowest.",
    "The paper claims that ember is 9x faster than blaze.",
    "For tiny requests ember is the fastest.",
    "Ember is the best compromise.",
    "Our laptop is 3x slower.",
    "Its successor is 40 % faster, which is not measured here.",
    "Is ember the fastest?",
    "We raised the batch from 8 to 64 and got 4.5x the throughput.",
]


@pytest.mark.parametrize("sentence", UNTOLD)
def test_what_nobody_says_was_so_is_left_alone(sentence: str) -> None:
    assert checked(f"{ENGINES}\n{sentence}\n") == []


def _table(rng: random.Random) -> tuple[list[list[str]], list[float]]:
    times = [20 * 1.3**n * rng.uniform(1.0, 1.1) for n in range(rng.randrange(5, 9))]
    rows = [
        [f"v{n}", f"{one:.3f}", f"{float(f'{times[0]:.3f}') / float(f'{one:.3f}'):.2f}"] for n, one in enumerate(times)
    ]
    return rows, times


def _page(rows: list[list[str]]) -> str:
    lines = ["| Version | Time (s) | Speedup |", "|---|---|---|", *("| " + " | ".join(row) + " |" for row in rows)]
    return "# Versions\n\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(40))
def test_a_column_made_from_its_neighbours_holds_and_one_changed_cell_does_not(seed: int) -> None:
    rng = random.Random(seed)
    rows, _ = _table(rng)
    assert checked(_page(rows)) == []
    at = rng.randrange(1, len(rows))
    rows[at][2] = f"{float(rows[at][2]) * rng.choice((0.5, 1.8)):.2f}"
    assert [one.evidence[0].line for one in checked(_page(rows))] == [at + 5]


@pytest.mark.parametrize("seed", range(40))
def test_a_claim_made_from_two_rows_holds(seed: int) -> None:
    rng = random.Random(seed)
    rows, _ = _table(rng)
    a, b = sorted(rng.sample(range(len(rows)), 2), key=lambda at: float(rows[at][1]))
    times = float(rows[a][1]), float(rows[b][1])
    best = min(rows, key=lambda row: float(row[1]))[0]
    said = (
        f"{rows[a][0]} is {times[1] / times[0]:.2f}x faster than {rows[b][0]}. "
        f"{rows[b][0]} is slower than {rows[a][0]}. "
        f"{best} is the fastest. {rows[b][0]} took {rows[b][1]} s."
    )
    assert checked(f"{_page(rows)}\n{said}\n") == []


def test_rounding_and_cutting_are_no_mistakes() -> None:
    rows = [["a", "100.0", "1.00"], ["b", "60.0", "1.66"], ["c", "30.0", "3.33"], ["d", "15.0", "6.67"]]
    assert checked(_page(rows)) == []


def test_the_output_of_a_program_is_no_page() -> None:
    lines = "".join(f"epoch {n}/3 loss=3.9 images/sec=28{n}.4 ({30 + n}/31 100%)\n" for n in range(1, 4))
    assert checked(lines, "train.log") == []


def test_a_long_page_is_checked_at_once(tmp_path: Path) -> None:
    said = "Cinder is 1.3x faster than blaze, and the p99 latency stays below 40 ms. " * 2000
    assert checked(ENGINES + "\n" + "\n\n".join(said[at : at + 730] for at in range(0, len(said), 730))) is not None
