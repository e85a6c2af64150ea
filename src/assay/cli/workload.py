"""`WORKLOAD name=value…` as a command line, checked before anything starts."""

from __future__ import annotations

from assay.errors import RunError
from assay.spec import Value
from assay.workloads import ENDPOINT, known_workloads, missing_workload, module_of, python_of


def workload_line(name: str, words: list[str]) -> tuple[list[str], dict[str, Value]]:
    """The command line of a built-in workload and its settings; a typo is an error before anything starts."""
    known = known_workloads()
    if name not in known:
        import difflib

        if (problem := missing_workload(name)) is not None:
            raise RunError(problem.message, problem.hint)
        close = difflib.get_close_matches(name, known, n=1)
        if close:
            raise RunError(f"no workload called `{name}`", f"did you mean `{close[0]}`?")
        raise RunError(f"`{name}` is not a built-in workload", with_dashes([name, *words]))
    try:
        given = module_of(name).Settings.rehearse(words)
    except ValueError as problem:
        raise RunError(str(problem), getattr(problem, "hint", None)) from None
    return _with_address([python_of(name), "-m", known[name], *words]), given


def _with_address(command: list[str]) -> list[str]:
    """The name of an endpoint is replaced by its entry in places.yaml."""
    if ENDPOINT not in command:
        return command
    from assay.launchers.endpoints import expanded

    return expanded(command)


def with_dashes(args: list[str]) -> str:
    return f"write a command after `--`: assay run -- {' '.join(args)}"
