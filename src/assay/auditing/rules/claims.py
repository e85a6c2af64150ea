"""`setting-not-in-effect`: epochs = 50 said, 10/10 ran."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assay import systems
from assay.auditing.case import Case, Run, Sentence
from assay.auditing.in_effect import is_open
from assay.auditing.rules.common import check as check_common
from assay.auditing.rules.evidence import contradicts, repeats
from assay.facts.settings import PARAM, STUDY, contradicted
from assay.language.claims import said
from assay.language.modality import ADMITTED
from assay.model.finding import DOUBTFUL, NOTE, WRONG, Finding
from assay.model.values import Setting, Value, number

CODE = "setting-not-in-effect"
_TOLERANCE = 0.005
#: of one setting in one section: where so many ran, a value is looked up as it is written
_MANY_VALUES = 200
#: how many share a batch
_PARTS = ("num_procs", "num_tasks", "num_nodes", "num_gpus", "gpus", "grad_accum", "gpus_used")
_REMEDY = "find out where the program takes this setting from, and run it again"


def check(case: Case) -> Iterator[Finding]:
    yield from check_common(case)
    for run in case.runs:
        if run.is_prose:
            yield from _beside(case, run)
        yield from _of_param(run)
        for name, claimed in run.claims.items():
            shown = run.params.get(name)
            if shown is not None and differs(claimed, shown):
                if _is_of_another(case, run, name, claimed) or _may_agree(run, name, claimed, shown):
                    continue
                if is_open(run, name, claimed, shown):
                    continue
                yield _contradicted(run, name, claimed, shown, _admitted(case, run))
            elif shown is None and run.is_fresh and _is_label(run, name) and _never_used(run, name, claimed):
                yield _unused(run, name, claimed)


def _is_label(run: Run, name: str) -> bool:
    """Said to the record alone, which changes nothing: not a word of the command, nor of a file that it names."""
    return run.said_by(name) in (None, PARAM)


def _of_param(run: Run) -> Iterator[Finding]:
    """`-p batch_size=999 -- python train.py --batch_size 128`"""
    for name, (given, told, source) in contradicted(run.asked).items() if run.is_fresh else ():
        shown = run.params.get(name)
        if shown is None or differs(given, shown):
            certain = shown is not None and not differs(told, shown)
            yield Finding(
                code=CODE,
                severity=WRONG if certain else DOUBTFUL,
                message=f"{name} = {given} was given with --param, and the command sets {name} = {told}"
                + (", which is what ran" if certain else ""),
                hint="--param only labels the run: remove it, or give the value that the command has",
                source=run.source,
                evidence=(
                    run.measured(f"--param {name}={given}"),
                    run.measured(f"{source}: {name} = {told}"),
                    *((run.proof(name),) if certain else ()),
                ),
                run=run.id,
                instead=f"{name} = {told} (not {given})" if certain else None,
            )


def _may_agree(run: Run, name: str, claimed: Setting, shown: Setting) -> bool:
    """Two words may be one thing (`bf16`, `torch.bfloat16`), and a batch may be of one process or of all of them."""
    if run.said_by(name) in (None, PARAM, STUDY):
        return False
    a, b = number(claimed), number(shown)
    if a is None or b is None:
        return not (isinstance(claimed, bool) and isinstance(shown, bool))
    parts = [number(run.settings.get(one)) or 1.0 for one in _PARTS]
    factors = {1.0}
    for part in parts:
        factors |= {one * part for one in factors}
    return any(not differs(a * factor, b) or not differs(a, b * factor) for factor in factors - {1.0})


def _beside(case: Case, told: Run) -> Iterator[Finding]:
    """Of a page whose log is another file: by its figures, which two runs may share by chance, so a doubt."""
    logs = [log for log in case.beside if repeats(told, log)]
    if not logs or any(not contradicts(told, log) for log in logs):
        return
    for name in contradicts(told, logs[0]):
        if is_open(logs[0], name, told.claims[name], logs[0].params[name]):
            continue
        finding = _contradicted(told, name, told.claims[name], logs[0].params[name], None)
        yield replace(finding, severity=DOUBTFUL, evidence=(told.claim(name), logs[0].proof(name)))


def differs(claimed: Setting, shown: Setting) -> bool:
    a, b = number(claimed), number(shown)
    if a is None or b is None:
        return str(claimed).strip().lower() != str(shown).strip().lower()
    return abs(a - b) > _TOLERANCE * max(abs(a), abs(b))


def _is_of_another(case: Case, run: Run, name: str, claimed: Setting) -> bool:
    """`First the default, then 20 epochs`, above both logs: of the one that it fits, where no other word is its own."""
    last = case.once(_last_free).get((run.source, case.section_of(run), name), {})
    if len(last) > _MANY_VALUES and isinstance(claimed, (bool, int, float, str)):
        return last.get(claimed, 0) > run.lines[1]
    return any(line > run.lines[1] and not differs(claimed, shown) for shown, line in last.items())


def _last_free(case: Case) -> dict[tuple[str, int, str], dict[Value, int]]:
    """By source, section and setting: each value that ran, with the line of the last run that has no other claim."""
    found: dict[tuple[str, int, str], dict[Value, int]] = {}
    for run in case.runs:
        for name, shown in run.params.items():
            by_itself = name not in run.claims or run.claim(name).line >= run.lines[0]  # by its own command line
            if isinstance(shown, (bool, int, float, str)) and by_itself:
                lines = found.setdefault((run.source, case.section_of(run), name), {})
                lines[shown] = max(lines.get(shown, 0), run.lines[0])
    return found


def _admitted(case: Case, run: Run) -> Sentence | None:
    """The author saw it: `the log still shows 10, so the change had no effect`, in the same section."""
    return case.once(_admissions).get((run.source, case.section_of(run)))


def _admissions(case: Case) -> dict[tuple[str, int], Sentence]:
    found = [one for one in case.sentences if said(one.text).modality == ADMITTED]
    return {(one.source, one.section): one for one in reversed(found)}


def _contradicted(run: Run, name: str, claimed: Setting, shown: Setting, admitted: Sentence | None) -> Finding:
    return Finding(
        code=CODE,
        severity=NOTE if admitted else WRONG,
        message=f"{name} = {claimed} is claimed, and {name} = {shown} is what ran"
        + (", as the page itself says" if admitted else ""),
        hint=systems.of(run.system).traps.setting or _REMEDY,
        source=run.source,
        evidence=(run.claim(name), run.proof(name), *((admitted.evidence(),) if admitted else ())),
        run=run.id,
        instead=f"{name} = {shown} (not {claimed})",
    )


def _never_used(run: Run, name: str, claimed: Setting) -> bool:
    """Neither the command nor the script that we kept knows the setting, by its name or its value."""
    command = " ".join(run.asked.command)
    script = (run.asked.script.text if run.asked.script else None) or ""
    variables = " ".join(f"{k}={v}" for k, v in run.asked.set_environment.items())
    words = _joined(f"{command} {variables} {script}")
    return _joined(name) not in words and f" {_apart(str(claimed))} " not in f" {_apart(f'{command} {variables}')} "


def _joined(text: str) -> str:
    """`batch-size`, `batch_size` and `batchSize` are one name."""
    return text.lower().replace("-", "").replace("_", "")


def _apart(text: str) -> str:
    """Its words and numbers, parted by single spaces."""
    return " ".join("".join(sign if sign.isalnum() or sign in "_." else " " for sign in text).split())


def _unused(run: Run, name: str, claimed: Setting) -> Finding:
    return Finding(
        code=CODE,
        severity=DOUBTFUL,
        message=f"{name} = {claimed} was requested, but neither the command nor its script uses it",
        hint="pass it to the program; recording a setting does not change the run",
        source=run.source,
        evidence=(run.claim(name),),
        run=run.id,
    )
