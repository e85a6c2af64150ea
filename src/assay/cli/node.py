"""The recorder of one node of a prepared run: `main([RUN, "--", COMMAND…])`, as launchers start it."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from assay.cli import forget_pythons_locale, open_what_is_closed
from assay.errors import AssayError, RunError
from assay.launchers import traits_of
from assay.launchers.torchrun import wrap
from assay.model.request import PlaceFacts, Request
from assay.recording.record import Outcome, record
from assay.recording.tied import end_with_our_starter
from assay.spec import RunSpec
from assay.store import job
from assay.store.layout import RunDir
from assay.store.owner import outsider

#: where the scheduler starts the tasks, the other nodes' recorders watch them until the first one has seen their end
_WAIT = "import os, sys, time\nwhile os.path.exists(sys.argv[1]): time.sleep(0.5)"
_RANKS = ("ASSAY_NODE_RANK", "SLURM_NODEID", "PALS_RANKID", "PMI_RANK", "OMPI_COMM_WORLD_RANK")


def main(words: list[str]) -> int:
    """The exit code of the command; our own errors go to stderr, which the job keeps."""
    closed = open_what_is_closed()
    forget_pythons_locale()
    _keep_output_in_the_record()
    try:
        end_with_our_starter()
        if len(words) < 3 or words[1] != "--":
            raise RunError("usage: python -m assay.cli.node RUN -- COMMAND…")
        return _record(Path(words[0]), words[2:], closed)
    except AssayError as problem:
        print(f"error: {problem.message}" + (f"\nhint: {problem.hint}" if problem.hint else ""), file=sys.stderr)
        return problem.exit_code


def _keep_output_in_the_record() -> None:
    """What the command prints is in output.log: the job's own file is for our words and the scheduler's."""
    sys.stderr = os.fdopen(os.dup(2), "w", buffering=1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)  # the same place, so that both streams keep their order


def _record(path: Path, command: list[str], closed: frozenset[int]) -> int:
    run = RunDir(path)
    who = outsider(run.run_json)
    if who is not None:  # it says where the command starts
        raise RunError(f"`{path}` may have been written by {who}", "choose a --runs-dir that belongs to you")
    asked = run.asked()
    place = asked.place or PlaceFacts()
    spec = _spec(path, asked, place, command, os.environ)
    ours = not traits_of(place.launcher).queues and spec.node_rank == 0  # otherwise the script reports it
    if not ours:
        _refuse_if_over(run)
    if ours and not job.claim(run, socket.gethostname(), str(os.getpid())):
        raise RunError(f"`{path}` has already been started")
    code = RunError.exit_code
    waiting = path / "job" / "waiting"
    if place.tasks and spec.node_rank:
        spec = replace(spec, command=(sys.executable, "-S", "-c", _WAIT, str(waiting)))
    elif place.tasks:
        waiting.touch()
    try:
        outcome: Outcome = record(spec, _warn, closed)
        code = outcome.exit_code
        if outcome.not_started is not None:
            print(f"error: {outcome.not_started.message}\nhint: {outcome.not_started.hint}", file=sys.stderr)
    finally:
        if spec.node_rank == 0:
            waiting.unlink(missing_ok=True)
        if ours:
            job.note_end(run, code)
    return code


def _refuse_if_over(run: RunDir) -> None:
    """The script of a job can be killed without its recorder: what begins after the job was settled would be done by
    another job as well."""
    state = job.read_job(run)
    verdict = state.verdict
    if state.exit_code is not None:
        raise RunError(f"its job is over: failed with exit code {state.exit_code}")
    if verdict is not None and verdict.status is not None:
        raise RunError(f"its job is over: {verdict.message or verdict.status}")


def _spec(path: Path, asked: Request, place: PlaceFacts, command: list[str], env: Mapping[str, str]) -> RunSpec:
    nodes, procs, traits = place.nodes, place.procs, traits_of(place.launcher)
    rank = next((int(env[name]) for name in _RANKS if env.get(name, "").isdigit()), 0) if nodes > 1 else 0
    tasks = bool(place.tasks) and traits.starts_tasks
    if procs is None and not tasks and (nodes > 1 or traits.spreads):
        procs = 1
    if procs is not None:
        command = wrap(command, procs=procs, nodes=nodes, rank=rank, master=env.get("ASSAY_MASTER"))
    return RunSpec(
        command=tuple(command),
        runs_dir=path.parent,
        name=asked.name,
        params=asked.params,
        tags=asked.tags,
        interval_s=asked.interval_s or 0.5,
        cwd=Path(asked.cwd) if asked.cwd else None,
        timeout_s=asked.timeout_s,
        into=path,
        node=_node(env) if nodes > 1 or traits.queues else "",
        node_rank=rank,
        tasks_of_scheduler=tasks,
        is_whole_job=nodes == 1 and traits.queues,
    )


def _node(env: Mapping[str, str]) -> str:
    return env.get("ASSAY_NODE") or env.get("SLURMD_NODENAME") or socket.gethostname()


def _warn(text: str) -> None:
    print(f"assay: warning: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
