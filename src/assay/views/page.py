"""One run as text: what it was, how it went, where its time went, what proves it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from assay.model.code import Code
from assay.model.finding import NOTE, Finding
from assay.model.request import Prepared, Request
from assay.model.summary import DEFAULT, Summary
from assay.model.values import Setting
from assay.store.layout import RunDir
from assay.text import counted, printable
from assay.units import show_bytes, show_seconds
from assay.views import served, words
from assay.views.evidence import proofs
from assay.views.jobs import next_request
from assay.views.series import load
from assay.views.timeline import timeline

_COMMAND = 48
_MOST_RANKS = 32


def page(
    summary: Summary, run: RunDir, findings: Sequence[Finding] = (), *, kept: bool = True, next_job: bool = True
) -> str:
    """Sections with a blank line between, without empty ones. `kept`: print where the run is kept; `next_job`: print
    what the next job should request."""
    asked = run.asked()
    sections = [
        [f"{printable(summary.name)}  ({summary.id})", words.status_words(summary)],
        list(_asked(summary, asked)),
        list(_figures(summary, findings)),
        list(_engines(summary)),
        list(_ranks(summary)),
        list(_parts(summary)),
        list(next_request(summary)) if next_job else [],
        list(_findings([one for one in findings if not _is_error(one, summary)])),
        list(timeline(load(run), summary)),
        list(_evidence(run)),
        list(_machine(asked)),
        [f"kept in {run.path}"] if kept else [],
    ]
    lines = "\n\n".join("\n".join(section) for section in sections if section)
    return printable(lines, keep="\n")


def _engines(summary: Summary) -> Iterator[str]:
    """One line for each way in which the program was measured."""
    measured = summary.by_engine()
    width = max((len(one.engine or "") for one in measured), default=0)
    for one in measured:
        yield f"  {one.engine or '':<{width}}  {words.padding_words(one):<8}  {words.result_words(one)}"


def _parts(summary: Summary) -> Iterator[str]:
    """The programs that a script ran, each with what it used."""
    if not summary.parts or any("node" in row for row in summary.ranks):
        return
    shown = [_cut(one.command) + ("" if one.rank is None else f" (rank {one.rank})") for one in summary.parts]
    width = max(len("program"), *map(len, shown))
    yield f"  {'program':<{width}}  {'time':>9}  {'CPU time':>9}  {'peak memory':>11}"
    for text, one in zip(shown, summary.parts, strict=True):
        time = "" if one.wall_s is None else show_seconds(one.wall_s)
        cpu = "" if one.cpu_s is None else show_seconds(one.cpu_s)
        memory = "" if one.memory_bytes_max is None else show_bytes(one.memory_bytes_max)
        yield f"  {text:<{width}}  {time:>9}  {cpu:>9}  {memory:>11}"


def _ranks(summary: Summary) -> Iterator[str]:
    """What the recorder of each rank measured."""
    rows = [row for row in summary.ranks if "node" in row]
    if len(rows) < 2:
        return
    width = max(len("node"), *(len(str(row["node"])) for row in rows))
    yield f"  {'rank':>4}  {'node':<{width}}  {'time':>9}  {'CPU time':>9}  {'peak memory':>11}  ended"
    for row in rows[:_MOST_RANKS]:
        cells = [show_seconds(float(row[name])) if name in row else "" for name in ("wall_s", "cpu_s")]
        memory = show_bytes(float(row["memory_bytes_max"])) if "memory_bytes_max" in row else ""
        ended = str(row.get("status", "")) + (f" ({row['exit_code']})" if row.get("exit_code") else "")
        which = f"  {row['rank']:>4}  {row['node']:<{width}}"
        yield f"{which}  {cells[0]:>9}  {cells[1]:>9}  {memory:>11}  {ended}".rstrip()
    if rows[_MOST_RANKS:]:
        yield f"  and {counted(len(rows) - _MOST_RANKS, 'more rank')}: assay show --json"


def _cut(command: str) -> str:
    """The program by its name, without the folder it lies in, and as much of the rest as fits."""
    program, _, rest = printable(" ".join(command.split())).partition(" ")
    text = f"{program.rpartition('/')[2]} {rest}".strip()
    if len(text) > _COMMAND:  # two programs of one folder differ in what stands behind it
        text = " ".join(word.rpartition("/")[2] or word for word in text.split(" "))
    return text if len(text) <= _COMMAND else text[: _COMMAND - 1] + "…"


def _findings(findings: Sequence[Finding]) -> Iterator[str]:
    for one in findings:
        yield f"  {one.severity:<9} {one.code}: {one.message}"
        yield f"            {one.hint}"


def _asked(summary: Summary, asked: Request) -> Iterator[str]:
    if asked.command:
        yield f"  command   {_indented(shlex.join(asked.command))}"
    if asked.how == "parsed":
        first, last = summary.lines or (0, 0)
        yield f"  read from {asked.source}, lines {first} to {last}"
    if asked.said_command:
        yield f"  command   {_indented(asked.said_command)}"
    for name, value in (("in", asked.cwd), ("started", summary.started)):
        if value:
            yield f"  {name:<9} {value}"
    if summary.claims:
        yield f"  claimed   {_claims(summary)}"
    if summary.params:
        yield f"  in effect {_settings(summary.params)}"
    if asked.tags:
        yield f"  tags      {', '.join(asked.tags)}"
    yield from _code(asked)


def _indented(command: str) -> str:
    """A command of several lines, indented below its first line."""
    return command.strip("\n").replace("\n", "\n" + " " * 12)


def _code(asked: Request) -> Iterator[str]:
    code = asked.code or Code()
    commit = code.commit or (asked.git.commit if asked.git else None)
    if code.hash:
        more = len(code.files) - 1
        what = "module" if str(code.script).endswith(".py") else "more file"
        others = f" and {counted(more, what)}" if more else ""
        yield f"  code      {code.hash}: {code.script}{others}"
    if commit:
        dirty = code.dirty if code.commit else asked.git and asked.git.dirty
        yield f"  commit    {commit[:12]}{' with uncommitted changes' if dirty else ''}"


def _claims(summary: Summary) -> str:
    """With where they were stated, where that is known."""
    places: dict[str, dict[str, Setting]] = {}
    for name, value in summary.claims.items():
        source = summary.claim_sources.get(name, "")
        places.setdefault("by default" if source.startswith(DEFAULT) else source, {})[name] = value
    return "; ".join(_settings(values) + (f" ({place})" if place else "") for place, values in places.items())


#: of the evidence
_MOST_LINES = 40


def _settings(values: Mapping[str, Setting]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def _is_error(finding: Finding, summary: Summary) -> bool:
    """Whether it repeats the line of the error."""
    return summary.error is not None and finding.code == summary.error.code and finding.severity == NOTE


def _figures(summary: Summary, findings: Sequence[Finding]) -> Iterator[str]:
    contended = any(one.code == "contended" for one in findings)
    rows = {
        "cpu": words.cpu_words(summary),
        "memory": words.memory_words(summary),
        "gpu": words.gpu_words(summary),
        "disk": words.disk_words(summary),
        "waited": words.waits_words(summary),
        "energy": words.energy_words(summary),
        "phases": words.phase_words(summary),
        "result": words.result_words(summary),
        "rate": words.pace_words(summary),
        "ranks": words.rank_words(summary),
        "serving": served.serving_words(summary),
        "TTFT": served.latency_words(summary, "ttft"),
        "TPOT": served.latency_words(summary, "tpot"),
        "ITL": served.latency_words(summary, "itl"),
        "request": served.latency_words(summary, "e2e"),
        "server": served.server_words(summary),
        "job": served.job_words(summary),
        "error": str(summary.error) if summary.error else None,
        "beside": None if contended else ", ".join(summary.beside) or None,
        "cost": words.cost_words(summary),
    }
    for name, text in rows.items():
        if text:
            yield f"  {name:<9} {text}"
        if name == "error" and summary.error and not summary.error.hint:
            yield from (f"            {one.hint}" for one in findings if _is_error(one, summary))
    for text in words.metric_words(summary):
        yield f"  {'also':<9} {text}"
    for problem in summary.problems:
        yield f"  problem   {problem}"


def _evidence(run: RunDir) -> Iterator[str]:
    found = proofs(run)
    if found:
        yield "  evidence"
    of_the_output = [proof for proof in found if proof.line]
    for proof in of_the_output[:_MOST_LINES]:
        yield f"    {proof.name} = {proof.value}: {proof.place}"
    at_once: dict[str, list[str]] = {}  # a program reports many figures at a time
    for proof in found:
        if not proof.line:
            at_once.setdefault(proof.place, []).append(f"{proof.name} = {proof.value}")
    for place, figures in [*at_once.items()][:_MOST_LINES]:
        yield f"    {', '.join(figures)}: {place}"


def _machine(asked: Request) -> Iterator[str]:
    host = asked.host
    if host is None:
        return
    parts = [host.cpu or "unknown CPU", f"{host.cores} cores", host.os or ""]
    if host.memory_bytes:
        parts.insert(2, show_bytes(host.memory_bytes))
    yield f"  on {host.name}: {', '.join(parts)}"
    if host.gpus:
        yield f"  GPUs: {', '.join(host.gpus)} (driver {host.gpu_driver})"
    if host.gpu_problem:
        yield f"  GPU: the driver does not answer: {host.gpu_problem}"
    if asked.scheduler:
        job = next((v for k, v in asked.scheduler.items() if k in ("SLURM_JOB_ID", "PBS_JOBID")), "")
        yield f"  in job {job}"
    if asked.prepared is not None:
        yield "  " + _set_up(asked.prepared)
    if asked.versions:
        yield "  " + ", ".join(f"{name} {version}" for name, version in asked.versions.items())


def _set_up(found: Prepared) -> str:
    """The environment that the set-up lines of a place gave."""
    python = f"python {found.python_version or ''} ({found.python})".replace("  ", " ") if found.python else "no python"
    packages = [f"{name} {version}" for name, version in found.packages.items()]
    modules = [f"modules {', '.join(found.modules)}"] if found.modules else []
    return "set up: " + "; ".join([python, *([", ".join(packages)] if packages else []), *modules])
