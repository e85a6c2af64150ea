"""`setting-not-in-effect`: epochs = 50 said, 10/10 ran."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from assay.audit.case import Case, Run, Sentence
from assay.audit.finding import DOUBTFUL, NOTE, WRONG, Finding
from assay.audit.rules.evidence import contradicts, repeats
from assay.events import number
from assay.ingest.hearsay import ADMITTED

CODE = "setting-not-in-effect"
_TOLERANCE = 0.005
#: how a setting reaches the program, where people commonly miss it
_REMEDY = {
    "graphcore": "the script's own constants are overwritten by its command line: pass --epochs, --lr, --batch-size",
    "cerebras": "the batch size is read from the params file: change it there, and use a fresh model_dir",
    "sambanova": "the tasks are the launcher's --ntasks; a compiled .pef keeps the batch size it was built for",
}


def check(case: Case) -> Iterator[Finding]:
    for run in case.runs:
        if run.is_prose:
            yield from _beside(case, run)
        for name, claimed in run.claims.items():
            shown = run.params.get(name)
            if shown is not None and differs(claimed, shown):
                if _is_of_another(case, run, name, claimed):
                    continue
                yield _contradicted(run, name, claimed, shown, _admitted(case, run))
            elif shown is None and run.is_fresh and _never_used(run, name, claimed):
                yield _unused(run, name, claimed)


def _beside(case: Case, told: Run) -> Iterator[Finding]:
    """Of a page whose log is another file: by its figures, which two runs may share by chance, so a doubt."""
    logs = [log for log in case.beside if repeats(told, log)]
    if not logs or any(not contradicts(told, log) for log in logs):
        return
    for name in contradicts(told, logs[0]):
        finding = _contradicted(told, name, told.claims[name], logs[0].params[name], None)
        yield replace(finding, severity=DOUBTFUL, evidence=(told.claim(name), logs[0].proof(name)))


def differs(claimed: Any, shown: Any) -> bool:
    a, b = number(claimed), number(shown)
    if a is None or b is None:
        return str(claimed).strip().lower() != str(shown).strip().lower()
    return abs(a - b) > _TOLERANCE * max(abs(a), abs(b))


def _is_of_another(case: Case, run: Run, name: str, claimed: Any) -> bool:
    """`First the default, then 20 epochs`, above both logs: of the one that it fits, where no other word is its own."""
    return any(
        other.source == run.source
        and other is not run
        and other.lines[0] > run.lines[1]
        and (name not in other.claims or other.claim(name).line >= other.lines[0])  # by its own command line
        and other.params.get(name) is not None
        and not differs(claimed, other.params[name])
        and _section(case, other) == _section(case, run)
        for other in case.runs
    )


def _section(case: Case, run: Run) -> int:
    """The line of the heading that a run stands under."""
    return max(
        (one.section for one in case.sentences if one.source == run.source and one.section <= run.lines[0]), default=0
    )


def _admitted(case: Case, run: Run) -> Sentence | None:
    """The author saw it: `the log still shows 10, so the change had no effect`, in the same section."""
    here = [one for one in case.sentences if one.source == run.source]
    section = _section(case, run)
    return next((one for one in here if one.section == section and ADMITTED.search(one.text)), None)


def _contradicted(run: Run, name: str, claimed: Any, shown: Any, admitted: Sentence | None) -> Finding:
    return Finding(
        code=CODE,
        severity=NOTE if admitted else WRONG,
        message=f"{name} = {claimed} is claimed, and {name} = {shown} is what ran"
        + (", as the page itself says" if admitted else ""),
        hint=_REMEDY.get(run.system, "find out where the program takes this setting from, and run it again"),
        source=run.source,
        evidence=(run.claim(name), run.proof(name), *((admitted.evidence(),) if admitted else ())),
        run=run.id,
        instead=f"{name} = {shown} (not {claimed})",
    )


def _never_used(run: Run, name: str, claimed: Any) -> bool:
    """Neither the command nor the script that we kept knows the setting, by its name or its value."""
    command = " ".join(map(str, run.asked.get("command") or []))
    script = str((run.asked.get("script") or {}).get("text") or "")
    variables = " ".join(f"{k}={v}" for k, v in (run.asked.get("set_environment") or {}).items())
    words = re.sub(r"[-_]", "", f"{command} {variables} {script}".lower())
    if re.sub(r"[-_]", "", name.lower()) in words:
        return False
    return re.search(rf"(?<![\w.]){re.escape(str(claimed))}(?![\w.])", f"{command} {variables}") is None


def _unused(run: Run, name: str, claimed: Any) -> Finding:
    return Finding(
        code=CODE,
        severity=DOUBTFUL,
        message=f"{name} = {claimed} was asked for, and neither the command nor its script knows it",
        hint="pass it to the program: a name given to the record alone changes nothing",
        source=run.source,
        evidence=(run.claim(name),),
        run=run.id,
    )
