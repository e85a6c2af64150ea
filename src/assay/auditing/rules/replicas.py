"""`unsynced-replicas`: workers that never average a gradient train alone, and only look fast together."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from textwrap import dedent

from assay.auditing.case import Case, Run
from assay.model.event import Error
from assay.model.finding import DOUBTFUL, WRONG, Evidence, Finding

CODE = "unsynced-replicas"
_WRAPPERS = ("DistributedDataParallel", "DDP", "FullyShardedDataParallel", "FSDP")
_HINT = "keep what the wrapper returns: model = DistributedDataParallel(model)"


def check(case: Case) -> Iterator[Finding]:
    for run in case.runs:
        finding = _said(run) or _checksums(run)
        if finding:
            yield finding
    for source, first, text in case.code:
        for line in lone_wrappers(text):
            shown = text.splitlines()[line - 1].strip()
            yield Finding(
                code=CODE,
                severity=DOUBTFUL,
                message="the wrapped model is thrown away: each worker trains the bare one, alone",
                hint=_HINT,
                source=source,
                evidence=(Evidence(source=source, line=first + line - 1, text=shown),),
            )


def _said(run: Run) -> Finding | None:
    for event in run.events:
        if isinstance(event, Error) and event.code == CODE:
            return _finding(run, event.message or "the workers' parameters differ")
    return None


def _checksums(run: Run) -> Finding | None:
    """Each rank tells a checksum of its parameters at a step; they must agree."""
    seen: dict[object, dict[int, object]] = {}
    for event in run.events:
        checksum = event.value("parameters_checksum")
        if checksum is not None:
            seen.setdefault(event.value("step"), {})[event.rank] = checksum
    for step, sums in seen.items():
        if len(set(sums.values())) > 1:
            return _finding(run, f"after step {step} the parameters of {len(sums)} workers differ")
    return None


def _finding(run: Run, message: str) -> Finding:
    return Finding(
        code=CODE,
        severity=WRONG,
        message=message,
        hint=_HINT,
        source=run.source,
        evidence=(run.proof("parameters_checksum"),),
        run=run.id,
    )


def lone_wrappers(text: str) -> list[int]:
    """Lines where a data-parallel wrapper is called and its result dropped, or kept while the bare model is used."""
    if not any(name in text for name in _WRAPPERS):
        return []
    try:
        tree = ast.parse(dedent(text))
    except (SyntaxError, ValueError, RecursionError):
        return []
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    called = {_name(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    lines = []
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Expr, ast.Assign)) or not isinstance(node.value, ast.Call):
            continue
        if _name(node.value.func) not in _WRAPPERS:
            continue
        if isinstance(node, ast.Expr) or (_kept_as(node) not in (None, *read) and _wrapped(node.value) in called):
            lines.append(node.lineno)
    return lines


def _kept_as(node: ast.Assign) -> str | None:
    target = node.targets[0]
    return target.id if len(node.targets) == 1 and isinstance(target, ast.Name) else None


def _wrapped(call: ast.Call) -> str:
    return call.args[0].id if call.args and isinstance(call.args[0], ast.Name) else ""


def _name(function: ast.expr) -> str:
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )
