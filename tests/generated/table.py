"""The verdicts as a table by kind of lie, and examples of misses that can be made again from their seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from .judging import Facts, Verdict

_HEAD = ("kind of lie", "pages", "found", "other code", "wrong", "doubtful", "not read")


def share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def table(verdicts: Sequence[Verdict], seed: int, spent_s: float) -> str:
    kinds = list(dict.fromkeys(one.pair.lie.name for one in verdicts))
    rows = [_row(kind, [one for one in verdicts if one.pair.lie.name == kind]) for kind in sorted(kinds)]
    rows.append(_row("all", verdicts))
    widths = [max(len(row[n]) for row in (_HEAD, *rows)) for n in range(len(_HEAD))]
    lines = [
        "  ".join(
            cell.ljust(w) if n == 0 else cell.rjust(w) for n, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in (_HEAD, *rows)
    ]
    head = f"{len(verdicts)} pairs from seed {seed}, {spent_s:.1f} s of CPU\n"
    return (
        head
        + "\n".join([lines[0], "-" * len(lines[0]), *lines[1:-1], "-" * len(lines[0]), lines[-1]])
        + "\n"
        + _facts(verdicts)
    )


def _row(name: str, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    pages = len(verdicts)
    found = sum(1 for one in verdicts if one.found)
    other = sum(1 for one in verdicts if one.elsewhere and not one.found)
    accused = sum(one.called_wrong for one in verdicts), sum(one.called_doubtful for one in verdicts)
    counts = (found, other, *accused, sum(1 for one in verdicts if one.crashed))
    return name, str(pages), *(f"{count} ({100 * share(count, pages):.0f} %)" for count in counts)


def _facts(verdicts: Sequence[Verdict]) -> str:
    """Of the honest pages: what was read of what stands there."""
    parts = []
    for name in ("params", "claims", "figures"):
        right, total = added(name, [one.facts for one in verdicts])
        parts.append(f"{name} {right}/{total} ({100 * share(right, total):.1f} %)")
    same = sum(1 for one in verdicts if one.facts.runs[0] == one.facts.runs[1])
    false = sum(one.facts.false_claims for one in verdicts)
    return f"facts read: {', '.join(parts)}; {same} of {len(verdicts)} pages with as many runs as logs; {false} false claims"


def added(name: str, facts: Iterable[Facts]) -> tuple[int, int]:
    pairs = [getattr(one, name) for one in facts]
    return sum(right for right, _ in pairs), sum(total for _, total in pairs)


def examples(verdicts: Sequence[Verdict], *, verbose: bool) -> str:
    """Misses and false accusations, a few of each kind, or all of them."""
    few = None if verbose else 3
    lines: list[str] = []
    by_kind: dict[str, list[str]] = {}
    for one in verdicts:
        if one.crashed:
            told = f"  seed {one.pair.seed} --kind {one.pair.lie.name}: {one.crashed}"
            by_kind.setdefault("a page that cannot be read", []).append(told)
        if not one.found:
            told = f"  seed {one.pair.seed} ({one.pair.form.job.name}, {one.pair.layout.form}, {one.pair.voice}): {one.pair.said.false!r} for {one.pair.said.true!r}"
            by_kind.setdefault(f"not found: {one.pair.lie.name}", []).append(told)
        for finding in one.accused:
            place = next((place.text for place in finding.evidence), "")
            told = f"  seed {one.pair.seed} --kind {one.pair.lie.name}: {finding.message} | {place.strip()[:160]}"
            by_kind.setdefault(f"honest page called {finding.severity}: {finding.code}", []).append(told)
    for name, told in sorted(by_kind.items()):
        lines += [f"\n{name} ({len(told)})", *told[:few]]
    missed = Counter(fact for one in verdicts for fact in one.facts.missed)
    lines += [
        "\nfacts not read most often",
        *(f"  {count:4d}  {fact}" for fact, count in missed.most_common(15 if few else None)),
    ]
    return "\n".join(lines)
