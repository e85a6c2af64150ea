"""`same-figures`: batch 32 and batch 256 with the same CPU, memory and seconds to the last digit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from assay.audit.case import Case, Run
from assay.audit.finding import DOUBTFUL, WRONG, Finding

CODE = "same-figures"
#: figures that never come out equal twice; a result may (a fixed seed, a deterministic chip)
_VOLATILE = (
    "wall_s", "train_s", "reported_s", "samples_per_s", "samples_per_s_avg", "inferences_per_s", "tokens_per_s",
    "cpu_pct_mean", "rss_bytes_mean",
)  # fmt: skip
_PRECISE = 6  # digits that do not repeat by chance


def check(case: Case) -> Iterator[Finding]:
    told: set[frozenset[str]] = set()
    for a, b in combinations([run for run in case.runs if not run.is_fresh], 2):
        if a.system != b.system or a.summary.get("device") != b.summary.get("device") or not _differ(a, b):
            continue
        equal = _equal(a, b)
        if equal and frozenset((a.id, b.id)) not in told:
            told.add(frozenset((a.id, b.id)))
            yield _finding(a, b, equal)


def _differ(a: Run, b: Run) -> bool:
    """They are told apart by a setting that both are said to have."""
    shared = a.claims.keys() & b.claims.keys()
    return any(a.claims[name] != b.claims[name] for name in shared)


def _equal(a: Run, b: Run) -> list[str]:
    shared = [name for name in _VOLATILE if a.value(name) is not None and b.value(name) is not None]
    if not shared or any(a.value(name) != b.value(name) for name in shared):
        return []
    digits = sum(len(f"{a.value(name):.12g}".replace(".", "").strip("0")) for name in shared)
    return shared if len(shared) > 1 or digits >= _PRECISE else []


def _finding(a: Run, b: Run, equal: list[str]) -> Finding:
    setting = next(name for name in a.claims if name in b.claims and a.claims[name] != b.claims[name])
    said = ", ".join(_shown(name, a.value(name) or 0) for name in equal[:3])
    return Finding(
        code=CODE,
        severity=WRONG if len(equal) > 1 else DOUBTFUL,
        message=f"{setting} = {a.claims[setting]} and {setting} = {b.claims[setting]} carry the same figures ({said})",
        hint="one of them was pasted under the wrong setting, or never run: run it again",
        source=b.source,
        evidence=tuple(run.showing(name) for run in (a, b) for name in equal[:2]),
        run=b.id,
    )


def _shown(name: str, value: float) -> str:
    if name.startswith("rss_bytes"):
        return f"memory {value / 1024**2:,.2f} MiB"
    if name.startswith("cpu_pct"):
        return f"CPU load {value:g} %"
    return f"{value:,.6g} {'s' if name in ('wall_s', 'train_s', 'reported_s') else name.replace('_per_s', '/s')}"
