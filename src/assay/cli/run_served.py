"""`assay run --serve "COMMAND --port {port}" endpoint …`: the server is a measured run, too, and stops at the end."""

from __future__ import annotations

import os
import shlex
import signal
import time
from collections.abc import Callable
from dataclasses import replace

from assay.cli.given import Given
from assay.cli.run_on import run_on
from assay.cli.start import say
from assay.cli.workload import workload_line
from assay.errors import RunError
from assay.launchers.local import free_port
from assay.launchers.places import HERE
from assay.recording.neighbours import TOGETHER
from assay.recording.record import Outcome
from assay.recording.tied import tie_to_us
from assay.serving.settings import SERVED, SERVED_AT
from assay.spec import RunSpec, program_name
from assay.store.folders import run_folders
from assay.store.layout import RunDir
from assay.study.server import Server, serving
from assay.study.server_figures import note_server
from assay.summary.build import load_summary
from assay.units import show_bytes, show_number

_WORKLOAD = "endpoint"
_READY_S = 600.0
#: what its recorder may take to end all that a dead server left behind
_NOTICED_S, _LOOK_S = 30.0, 0.05


class _Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP: the server would outlive us without a word, so it is stopped as after a Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


def run_served(given: Given) -> Outcome | int:
    """The outcome of the client, or the exit code of all of them where it is run several times."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup has its way
            signal.signal(number, _terminate)
    try:
        return _serve_and_measure(given)
    except _Terminated as asked:
        return asked.exit_code


def _terminate(number: int, frame: object) -> None:
    signal.signal(number, signal.SIG_IGN)  # once: the server takes a moment to stop
    raise _Terminated(number)


def _serve_and_measure(given: Given) -> Outcome | int:
    line, words = _words(given)
    _, settings = workload_line(_WORKLOAD, words)  # refused before anything starts
    ready_s = float(settings.get("ready_s") or _READY_S)
    given_url = str(settings.get("base_url") or settings["url"])
    url = os.environ[SERVED_AT] if given_url == SERVED else given_url
    answers = _asks(url, str(settings.get("key_env") or ""))
    if answers():
        raise RunError(f"another server already answers at {url}", "choose another port")
    spec = _server_spec(given, line)
    tie_to_us()
    os.environ[TOGETHER] = str(os.getpid())
    with serving(spec, answers, ready_s, given.warn) as server:
        before = set(run_folders(spec.runs_dir))
        outcome = _client(replace(given, words=(_WORKLOAD, *words), after=None, serve=None), words)
        died = server.has_ended() or (not answers() and _ends_soon(server))
    for name in sorted(set(run_folders(spec.runs_dir)) - before):
        _tell(RunDir(spec.runs_dir / name), server.run, given)
    if isinstance(outcome, Outcome):
        outcome = replace(outcome, summary=load_summary(outcome.run))
    return _died(server, outcome, given) if died else outcome


def _ends_soon(server: Server) -> bool:
    """Its recorder notices the end of a server a moment after the client does."""
    ends_s = time.monotonic() + _NOTICED_S
    while not (ended := server.has_ended()) and time.monotonic() < ends_s:
        time.sleep(_LOOK_S)
    return ended


def _died(server: Server, outcome: Outcome | int, given: Given) -> Outcome | int:
    """Whatever the client measured before: a server that ends under load has failed."""
    given.warn(
        f"the server ended during the measurement{server.last_words}; what it did before: "
        f"assay show {server.run.path.name}"
    )
    if isinstance(outcome, Outcome):
        return replace(outcome, exit_code=outcome.exit_code or 1)
    return outcome or 1


def _words(given: Given) -> tuple[list[str], list[str]]:
    """(the server's command, the client's settings), both with the port in its place."""
    if given.words[:1] != (_WORKLOAD,):
        raise RunError(
            "--serve works only with the workload `endpoint`", 'assay run --serve "COMMAND --port {port}" endpoint …'
        )
    words = [*given.words[1:], *(given.after or ())]
    template = str(given.serve)
    url = next((word.partition("=")[2] for word in words if word.startswith("url=")), None)
    if "{port}" not in template and url is None:
        raise RunError("the address of the server is unknown", "write {port} in its command, or add url=http://…")
    port = str(free_port())
    try:
        line = shlex.split(template.replace("{port}", port))
    except ValueError as problem:
        raise RunError(f"--serve: {str(problem).lower()}") from None
    if not line:
        raise RunError("--serve needs a command")
    if url is None:  # the port differs in every run, so servers are named by their program
        words += [f"url={program_name(line)}", f"base_url={SERVED}"]
        os.environ[SERVED_AT] = f"http://localhost:{port}"
    return line, [word.replace("{port}", port) for word in words]


def _server_spec(given: Given, line: list[str]) -> RunSpec:
    """The server in the manner of the client, but for what is the client's own."""
    spec = given.spec(line)
    name = f"{given.name}-server" if given.name else None
    return replace(spec, name=name, params={}, timeout_s=None)


def _asks(url: str, key_env: str) -> Callable[[], bool]:
    from assay.serving.address import address_of
    from assay.serving.ready import answers

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
        say(f"assay: during the measurement, the server ({server.path.name}) used {', '.join(parts)}")
