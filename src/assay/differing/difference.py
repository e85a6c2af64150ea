"""`assay diff`, from two runs to what differs between them, in one function."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from assay.comparing.rows import same
from assay.differing.code import code_change
from assay.differing.results import result_changes
from assay.differing.values import Change, Difference
from assay.model.request import Host, Request
from assay.model.summary import Summary
from assay.model.values import Setting
from assay.store.code import with_code
from assay.store.layout import RunDir
from assay.units import show_bytes, show_number

_HOST: dict[str, Callable[[Host], object]] = {
    "host": lambda host: host.name,
    "system": lambda host: host.os,
    "processor": lambda host: host.cpu,
    "cores": lambda host: host.cores,
    "usable cores": lambda host: host.cores_usable,
    "memory": lambda host: show_bytes(host.memory_bytes) if host.memory_bytes else None,
    "GPUs": lambda host: ", ".join(host.gpus) or None,
    "GPU driver": lambda host: host.gpu_driver,
}


def diff(a: tuple[RunDir, Summary], b: tuple[RunDir, Summary]) -> Difference:
    """What differs between two runs. What neither of them knows is not compared."""
    (run_a, sum_a), (run_b, sum_b) = a, b
    asked_a, asked_b = with_code(run_a, run_a.asked()), with_code(run_b, run_b.asked())
    settings = {**sum_a.settings, **sum_b.settings}  # a variable that counts as one is named there
    sections = {
        "settings": _settings(sum_a, sum_b),
        "packages": _changes(_packages(asked_a), _packages(asked_b)),
        "machine": _changes(_machine(asked_a, sum_a), _machine(asked_b, sum_b)),
        "environment": _changes(_environment(asked_a), _environment(asked_b), but=settings),
        "data": _changes(_data(sum_a), _data(sum_b)),
    }
    code = code_change((run_a, asked_a), (run_b, asked_b))
    known = {
        "settings": bool(sum_a.settings and sum_b.settings),
        "packages": bool(_packages(asked_a) and _packages(asked_b)),
        "machine": bool(asked_a.host and asked_b.host),
        "environment": bool(asked_a.host and asked_b.host),
        "data": bool(_data(sum_a) and _data(sum_b)),
    }
    alike = [name for name, changes in sections.items() if known[name] and not changes]
    return Difference(
        a=sum_a,
        b=sum_b,
        settings=sections["settings"],
        packages=sections["packages"],
        machine=sections["machine"],
        environment=sections["environment"],
        data=sections["data"],
        command=_command(asked_a, asked_b),
        code=code,
        results=result_changes(sum_a, sum_b),
        same=(*(["code"] if code.same else []), *alike),
        unknown=tuple(name for name in ("packages", "machine") if not known[name]),
    )


def _settings(a: Summary, b: Summary) -> tuple[Change, ...]:
    """What was in effect where that is known, else what was claimed."""
    names = dict.fromkeys([*a.params, *b.params, *a.claims, *b.claims])
    found = [
        Change(name=name, a=_shown(a.settings.get(name)), b=_shown(b.settings.get(name)), how=_how(name, a, b))
        for name in names
        if _key(a.settings.get(name)) != _key(b.settings.get(name))
    ]
    return tuple(sorted(found, key=lambda one: one.a is None or one.b is None))


def _how(name: str, a: Summary, b: Summary) -> str:
    knows = [name in one.params for one in (a, b) if name in one.settings]
    return "" if all(knows) else "claimed" if not any(knows) else "claimed in one of them"


def _key(value: Setting | None) -> object:
    return None if value is None else same(value) if not isinstance(value, bool) else value


def _shown(value: object) -> str | None:
    if value is None:
        return None
    return show_number(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def _command(a: Request, b: Request) -> tuple[Change, ...]:
    """Whole, where they differ: the words in it are compared as settings."""
    one, two = " ".join(a.command) or a.said_command, " ".join(b.command) or b.said_command
    return (Change(name="command", a=one, b=two),) if one and two and one != two else ()


def _packages(asked: Request) -> dict[str, object]:
    """Those that matter most first."""
    return {**asked.versions, **{name: one for name, one in asked.packages.items() if name not in asked.versions}}


def _machine(asked: Request, summary: Summary) -> dict[str, object]:
    host = asked.host
    found = {name: look(host) for name, look in _HOST.items()} if host is not None else {}
    limits = {f"limit of {name}": value for name, value in host.limits.items()} if host is not None else {}
    return {**found, **limits, "ran on": summary.device or summary.system, "nodes": len(summary.nodes) or None}


def _environment(asked: Request) -> dict[str, object]:
    return {"folder": asked.cwd, **asked.environment, **asked.set_environment}


def _data(summary: Summary) -> dict[str, object]:
    return {name: one for name, one in {"model": summary.model, "data": summary.data}.items() if one is not None}


def _changes(a: Mapping[str, object], b: Mapping[str, object], but: Collection[str] = ()) -> tuple[Change, ...]:
    names = [name for name in dict.fromkeys([*a, *b]) if name not in but]
    if not a or not b:
        return ()
    return tuple(
        Change(name=name, a=_shown(a.get(name)), b=_shown(b.get(name)))
        for name in names
        if str(a.get(name)) != str(b.get(name))
    )
