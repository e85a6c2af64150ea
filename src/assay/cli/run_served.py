"""`assay run --serve "COMMAND --port {port}" endpoint …`: the server is a measured run, too, and stops at the end."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import replace

from assay.cli.given import Given
from assay.cli.run_on import run_on
from assay.cli.start import say
from assay.cli.workload import workload_line
from assay.errors import RunError
from assay.launchers.places import HERE
from assay.recording.record import Outcome
from assay.spec import RunSpec, program_name
from assay.store.folders import run_folders
from assay.store.layout import RunDir
from assay.study.server import free_port, serving
from assay.study.server_figures import note_server
from assay.summary.build import load_summary
from assay.units import show_bytes, show_number

_WORKLOAD = "endpoint"
_READY_S = 600.0


def run_served(given: Given) -> Outcome | int:
    """The outcome of the client, or the exit code of all of them where it is run several times."""
    line, words = _words(given)
    _, settings = workload_line(_WORKLOAD, words)  # refused before anything starts
    ready_s = float(settings.get("ready_s") or _READY_S)
    url = str(settings.get("base_url") or settings["url"])
    answers = _asks(url, str(settings.get("key_env") or ""))
    if answers():
        raise RunError(f"something answers at {url} already", "choose another port")
    spec = _server_spec(given, line)
    with serving(spec, answers, ready_s, given.warn) as server:
        before = set(run_folders(spec.runs_dir))
        outcome = _client(replace(given, words=(_WORKLOAD, *words), after=None, serve=None), words)
    for name in sorted(set(run_folders(spec.runs_dir)) - before):
        _tell(RunDir(spec.runs_dir / name), server, given)
    if isinstance(outcome, Outcome):
        outcome = replace(outcome, summary=load_summary(outcome.run))
    return outcome


def _words(given: Given) -> tuple[list[str], list[str]]:
    """(the server's command, the client's settings), both with the port in its place."""
    if given.words[:1] != (_WORKLOAD,):
        raise RunError("--serve starts a server for `endpoint`", 'assay run --serve "COMMAND --port {port}" endpoint …')
    words = [*given.words[1:], *(given.after or ())]
    template = str(given.serve)
    url = next((word.partition("=")[2] for word in words if word.startswith("url=")), None)
    if "{port}" not in template and url is None:
        raise RunError("where the server will answer is not known", "write {port} in its command, or give url=…")
    port = str(free_port())
    try:
        line = shlex.split(template.replace("{port}", port))
    except ValueError as problem:
        raise RunError(f"--serve: {str(problem).lower()}") from None
    if not line:
        raise RunError("--serve names no command")
    if url is None:  # the port is another in every run: the program tells servers apart
        words += [f"url={program_name(line)}", "base_url=http://localhost:{port}"]
    return line, [word.replace("{port}", port) for word in words]


def _server_spec(given: Given, line: list[str]) -> RunSpec:
    """The server in the manner of the client, but for what is the client's own."""
    spec = given.spec(line)
    name = f"{given.name}-server" if given.name else None
    return replace(spec, name=name, params={}, timeout_s=None)


def _asks(url: str, key_env: str) -> Callable[[], bool]:
    from assay.workloads.client.address import address_of
    from assay.workloads.client.ready import answers

    address, key = address_of(url), os.environ.get(key_env, "") if key_env else ""
    return lambda: answers(address, key)


def _client(given: Given, words: list[str]) -> Outcome | int:
    if given.several:
        from assay.cli.run_several import run_several

        return run_several(given)
    command, claims = workload_line(_WORKLOAD, words)
    return run_on(given.spec(command, _WORKLOAD, claims), HERE, quiet=given.quiet)


def _tell(client: RunDir, server: RunDir, given: Given) -> None:
    found = note_server(client, server)
    parts = []
    if "server_memory_bytes_max" in found:
        parts.append(f"at most {show_bytes(found['server_memory_bytes_max'])}")
    if "server_cpu_s" in found:
        parts.append(f"{found['server_cpu_s']:,.2f} s of CPU time")
    if "server_j_per_output_token" in found:
        parts.append(f"{show_number(found['server_j_per_output_token'])} J per output token")
    if parts and not given.quiet and not given.several:
        say(f"assay: meanwhile the server ({server.path.name}) used {', '.join(parts)}")
