"""The sentences of a report, from a comparison and its runs; nothing is computed here."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.comparing.comparison import Comparison
from assay.model.request import Git, Host
from assay.text import capital, listing
from assay.units import show_number, show_seconds
from assay.views.answer import answers
from assay.views.answer import question as of_study
from assay.views.answer_served import by_load
from assay.views.judging import tests_used
from assay.views.served import job_words
from assay.views.words import result_words, status_words

if TYPE_CHECKING:
    from assay.views.report.data import ReportData, RunRecord

_MOST = 3


def asked(data: ReportData) -> str:
    """One sentence: how many runs, of what, varying what, where and when."""
    runs = len(data.records)
    _, about = of_study((record.asked.study_about for record in data.records), data.comparison)
    text = f"{about}{'. ' if about else ''}{runs} run{'s' if runs != 1 else ''} of {_subjects(data.records)}"
    if data.comparison and data.comparison.by:
        varied = ", ".join(f"{name} ({_values(data.comparison, name)})" for name in data.comparison.by)
        counts = sorted({len(group.rows) for group in data.comparison.groups})
        repeats = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        text += f", varying {varied}, {repeats} of each"
    hosts = sorted({str(record.summary.host) for record in data.records if record.summary.host})
    if hosts:
        text += f", on {', '.join(hosts[:_MOST])}{f' and {len(hosts) - _MOST} more' if len(hosts) > _MOST else ''}"
    times = sorted(str(record.summary.started) for record in data.records if record.summary.started)
    if times:
        text += f", {times[0][:10]}" if times[0][:10] == times[-1][:10] else f", {times[0][:10]} to {times[-1][:10]}"
    return text + "."


def _subjects(records: Sequence[RunRecord]) -> str:
    names = Counter(_subject(record) for record in records)
    return ", ".join(name for name, _ in names.most_common(_MOST)) or "a program"


def _subject(record: RunRecord) -> str:
    if record.asked.workload:
        return record.asked.workload
    if record.asked.script and record.asked.script.path:
        return record.asked.script.path.rsplit("/", 1)[-1]
    return str(record.summary.model or record.summary.system or record.summary.name)


def _values(comparison: Comparison, name: str) -> str:
    place = comparison.by.index(name)
    values = list(dict.fromkeys(str(group.key[place]) for group in comparison.groups if group.key[place] is not None))
    return ", ".join(values[:8]) + (" …" if len(values) > 8 else "")


def answer(data: ReportData) -> list[str]:
    """The main sentences, the first metric first; of runs that are not compared, what each came to."""
    lines = answers(data.comparison, data.question("")) if data.comparison else []
    if lines:
        return lines
    return [_came_to(record) for record in data.records[:_MOST]] if len(data.records) <= _MOST else []


def _came_to(record: RunRecord) -> str:
    result = result_words(record.summary)
    return f"{record.summary.name}: {status_words(record.summary)}{f' ({result})' if result else ''}."


def caveats(data: ReportData) -> list[str]:
    """What to know before quoting any of it."""
    lines = [f"There is no comparison: {data.why_not}."] if data.why_not else []
    counts = Counter(one.severity for one in data.findings)
    grave = [f"{counts[name]} {name}" for name in ("wrong", "doubtful") if counts[name]]
    if grave:
        points = "point" if counts["wrong"] + counts["doubtful"] == 1 else "points"
        lines.append(f"The audit found {listing(grave)} {points} (see Findings).")
    simulated = sum(record.summary.is_simulated for record in data.records)
    if simulated:
        lines.append(f"{_runs(simulated)} simulated: a stand-in printed the figures, and they are not compared.")
    parsed = sum(record.summary.how == "parsed" for record in data.records)
    if parsed:
        lines.append(f"{_runs(parsed)} read from a log, not recorded.")
    if data.comparison:
        lines += [_sentence(text) for text in (*tests_used(data.comparison), *data.comparison.notes)]
    return lines


def _sentence(text: str) -> str:
    begin, _, _ = text.partition(" ")
    said = text if any(sign.isdigit() for sign in begin) else capital(text)  # the name of a run stays as it is
    return f"{said}{'' if text.endswith(('.', '!', '?')) else '.'}"


def _runs(count: int) -> str:
    return f"{count} runs were" if count != 1 else "1 run was"


def training_share(data: ReportData) -> list[str]:
    """How much of the time was training, of the setting with the least and the one with the most."""
    shares = data.comparison.shares if data.comparison else []
    trained = [one.shares.get("train", 0.0) for one in shares if one.shares.get("train")]
    if not trained:
        return []
    low, high = min(trained), max(trained)
    span = f"{100 * low:.0f} %" if high - low < 0.01 else f"{100 * low:.0f} to {100 * high:.0f} %"
    return [f"Training took {span} of the time."]


def models(data: ReportData) -> list[tuple[str, list[str]]]:
    """What is modelled and what each model says; those that stand with a chart of theirs are left out."""
    shown = ("batch", "scaling")
    made = by_load(data.comparison.models) if data.comparison else []
    found = [model for model in made if not model.kind.startswith(shown)]
    return [(_sentence(model.title)[:-1], [_sentence(text) for text in model.says]) for model in found if model.says]


def measured(data: ReportData) -> list[tuple[str, str]]:
    """Machines, versions, commits, seeds: whatever the records know, once."""
    rows: list[tuple[str, list[str]]] = []

    def add(name: str, values: Sequence[object]) -> None:
        kept = list(dict.fromkeys(str(value) for value in values if value not in (None, "", {}, [])))
        if kept:
            rows.append((name, kept))

    hosts = [record.asked.host or Host() for record in data.records]
    add("machine", [_machine(host) for host in hosts])
    add("GPU", [gpu for host in hosts for gpu in host.gpus])
    add("operating system", [host.os for host in hosts])
    versions = [record.asked.versions for record in data.records]
    add("versions", [", ".join(f"{k} {v}" for k, v in sorted(one.items())) for one in versions])
    add("commit", [_commit(record.asked.git or Git()) for record in data.records])
    add("seeds", [record.summary.params.get("seed") for record in data.records])
    add("data", [record.summary.data for record in data.records])
    add("how obtained", [record.summary.how for record in data.records])
    add("jobs", [job_words(record.summary) for record in data.records if record.summary.requested])
    add("energy", [_energy(record) for record in data.records])
    add("read from", [record.asked.source for record in data.records])
    own = [record.summary.own_cpu_s for record in data.records]
    known = [value for value in own if isinstance(value, (int, float))]
    if known:
        rows.append(("cost of measuring", [f"{show_seconds(max(known))} of CPU time per run at most"]))
    return [(name, "; ".join(values[:12])) for name, values in rows]


def _machine(host: Host) -> str:
    memory = f"{show_number(round(host.memory_bytes / 1024**3))} GiB" if host.memory_bytes else None
    parts = [host.cpu, f"{host.cores} cores" if host.cores else None, memory]
    return ", ".join(part for part in parts if part)


def _energy(record: RunRecord) -> str | None:
    source = record.summary.energy_source
    return "cannot be measured on this machine" if source and source.startswith("unavailable") else source


def _commit(git: Git) -> str:
    return f"{git.commit[:12]}{' with uncommitted changes' if git.dirty else ''}" if git.commit else ""


def repeat(data: ReportData) -> str:
    """The study, and the commands as they were given, of repeats the first; a run that was only read has none."""
    files = dict.fromkeys(file for record in data.records if (file := record.asked.study_file))
    studies = [f"assay study {shlex.quote(file)}" for file in files]
    commands = dict.fromkeys(
        f"assay run {_settings(record)}-- {shlex.join(record.asked.command)}"
        for record in data.records
        if record.asked.command and not (record.asked.study_file and record.summary.repeat)
    )
    lines = list(commands)[:40]
    more = [f"# and {len(commands) - 40} more"] if len(commands) > 40 else []
    between = ["", "# or each setting once:"] if studies and lines else []
    return "\n".join([*studies, *between, *lines, *more]) or "these runs were read from logs; see their sources above"


def _settings(record: RunRecord) -> str:
    params = record.asked.params.items()
    return "".join(f"--param {shlex.quote(f'{name}={value}')} " for name, value in params)
