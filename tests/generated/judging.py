"""Asks the library about both pages of a pair, and holds the answer against the truth."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import assay
from assay.errors import AssayError
from assay.model.finding import Finding

from .experiments import Run
from .pages import Pair

#: where a summary may hold a figure: name and what it is multiplied with
_FIELDS: dict[str, tuple[tuple[str, float], ...]] = {
    "accuracy": (("accuracy", 1.0),),
    "loss": (("loss", 1.0),),
    "test_loss": (("test_loss", 1.0),),
    "samples_per_s": (("samples_per_s", 1.0), ("samples_per_s_avg", 1.0), ("samples_per_s_own", 1.0)),
    "tokens_per_s": (("tokens_per_s", 1.0), ("tokens_per_s_per_device", 1.0)),
    "seconds": (("train_s", 1.0), ("wall_s", 1.0)),
    "serve_s": (("wall_s", 1.0), ("train_s", 1.0)),
    "memory_mib": tuple((f"{name}_bytes_max", 1 / 1024**2) for name in ("memory", "rss", "pss", "gpu_mem")),
    "latency_ms": (("latency_ms", 1.0),),
    "inferences_per_s": (("inferences_per_s", 1.0),),
    "output_tokens_per_s": (("output_tokens_per_s", 1.0),),
    "requests_per_s": (("requests_per_s", 1.0),),
    "ttft_mean_ms": (("ttft_mean_ms", 1.0),),
    "tpot_mean_ms": (("tpot_mean_ms", 1.0),),
    "cpu_pct": (("cpu_pct_mean", 1.0),),
}
_STEPS = "steps"  # a setting of ours, and a count of the summary's


@dataclass(frozen=True, kw_only=True)
class Facts:
    """How many of the true facts of an honest page were read: settings in effect, claims, figures, runs."""

    params: tuple[int, int] = (0, 0)
    claims: tuple[int, int] = (0, 0)
    figures: tuple[int, int] = (0, 0)
    runs: tuple[int, int] = (0, 0)  # found, true
    false_claims: int = 0
    missed: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the audit made of a pair."""

    pair: Pair
    found: tuple[Finding, ...]  # of the lie, by a code that counts
    elsewhere: tuple[Finding, ...]  # new in the lying twin, by another code
    accused: tuple[Finding, ...]  # of the honest page: wrong or doubtful
    facts: Facts
    crashed: str = ""  # why a page could not be read

    @property
    def called_wrong(self) -> bool:
        return any(one.severity == "wrong" for one in self.accused)

    @property
    def called_doubtful(self) -> bool:
        return bool(self.accused) and not self.called_wrong


def judge(pair: Pair, folder: Path) -> Verdict:
    honest, lying = written(pair, folder)
    (accused, crashed), (lied, crashed_too) = _audited(honest), _audited(lying)
    before = {_key(one) for one in accused}
    new = [one for one in lied if _key(one) not in before]
    return Verdict(
        pair=pair,
        found=tuple(one for one in new if one.code in pair.lie.codes),
        elsewhere=tuple(one for one in new if one.code not in pair.lie.codes),
        accused=tuple(accused),
        facts=read(pair, honest),
        crashed=crashed or crashed_too,
    )


def _audited(page: Path) -> tuple[list[Finding], str]:
    """What the audit accuses a page of; and its words where it could not read the page at all."""
    try:
        return [one for one in assay.audit(page) if one.severity != "note"], ""
    except AssayError as problem:
        return [], problem.message.partition("cannot be read: ")[2] or problem.message
    except Exception as problem:  # a rule that fails: one page more that cannot be read, and the next one is tried
        return [], f"{type(problem).__name__}: {problem}"


def written(pair: Pair, folder: Path) -> tuple[Path, Path]:
    """Both pages as files of the same name, each in a folder of its own."""
    paths = []
    for name, text in (("honest", pair.honest), ("lying", pair.lying)):
        path = folder / name / f"page{pair.layout.suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        paths.append(path)
    return paths[0], paths[1]


def _key(finding: Finding) -> tuple[object, ...]:
    return finding.code, finding.severity, tuple((one.line, one.text) for one in finding.evidence)


def read(pair: Pair, page: Path) -> Facts:
    """How much of what is true of the runs `assay.load` reads in a page."""
    logs = _logs(pair, page)
    counts = {name: [0, 0] for name in ("params", "claims", "figures")}
    missed: list[str] = []
    for _, fact, right in _all_held(pair, logs):
        part = fact.partition(" ")[0]
        counts[part][1] += 1
        counts[part][0] += right
        if not right:
            missed.append(f"{pair.form.job.name}: {fact}")
    told = {name: (right, total) for name, (right, total) in counts.items()}
    runs = pair.runs
    false = sum(_false_claims(run, log.get("claims") or {}) for run, log in zip(runs, logs, strict=False))
    return Facts(**told, runs=(len(logs), len(runs)), false_claims=false, missed=tuple(missed))


def facts_of(pair: Pair, page: Path) -> list[tuple[int, str, bool]]:
    """Each true fact of each run, and whether it was read: `(0, "params epochs", True)`."""
    return list(_all_held(pair, _logs(pair, page)))


def _all_held(pair: Pair, logs: list[dict[str, Any]]) -> Iterator[tuple[int, str, bool]]:
    for place, run in enumerate(pair.runs):
        for part, fact, right in _held(pair, run, logs[place] if place < len(logs) else {}):
            yield run.number, f"{part} {fact}", right


def _logs(pair: Pair, page: Path) -> list[dict[str, Any]]:
    """Runs in the order of their logs; of a table of two devices, the one that is spoken of."""
    logs = sorted(_summaries(page), key=lambda one: one["lines"])
    return [one for one in logs if one.get("device") != "groq"] if pair.form.job.name == "groq" else logs


def _summaries(page: Path) -> list[dict[str, Any]]:
    """The runs whose log stands in a page; those that only prose tells of are left out."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a page that cannot be read
            runs = assay.load(page)
    except AssayError:  # a page in which no run was seen
        return []
    told = [run.summary.as_json() for run in runs]
    return [one for one in told if one.get("lines") and not one.get("prose")]


def _held(pair: Pair, run: Run, summary: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Each fact of a run: its part, its name, whether it was read."""
    params, claims = summary.get("params") or {}, summary.get("claims") or {}
    for name in pair.form.job.shows:
        shown = params.get(name, params.get("max_steps", summary.get("steps")) if name == _STEPS else None)
        yield "params", name, _close(shown, run.settings[name]) if not run.failed else True
    varied = pair.experiment.varied
    named = pair.naming != "together" or varied in pair.form.flags or f"{{{varied}}}" in pair.form.command
    if named:  # by its heading, its sentence or its command
        yield "claims", varied, _close(claims.get(varied), run.settings[varied])
    for name, value in run.figures.items():
        told = [summary.get(field) for field, _ in _FIELDS[name]]
        scales = [scale for _, scale in _FIELDS[name]]
        read_as = [one * scale for one, scale in zip(told, scales, strict=True) if isinstance(one, (int, float))]
        read_as += [(summary.get("phases") or {}).get("train")] if name == "seconds" else []
        yield "figures", name, any(_close(one, value) for one in read_as)


def _false_claims(run: Run, claims: Mapping[str, Any]) -> int:
    """Settings that are held to be claimed of a run, with a value that nobody gave it."""
    return sum(1 for name, value in claims.items() if name in run.settings and not _close(value, run.settings[name]))


def _close(read_as: object, value: float) -> bool:
    if not isinstance(read_as, (int, float)):
        return False
    return math.isclose(read_as, value, rel_tol=0.005) or (
        value > 1 and abs(read_as - value) <= 0.5 and value == int(value)
    )
