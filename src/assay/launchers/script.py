"""The script a scheduler is given: it says when it starts, runs the recorder on every node, and keeps the exit code.

Nothing a user chose stands in it unquoted, but the set-up lines of a place, which are shell by intent.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from assay.launchers.base import Job
from assay.launchers.places import Place
from assay.spec import check_variable
from assay.store.layout import write_whole
from assay.text import printable

#: `$me` is the scheduler's id of this job, `$node` the name of this node
_HEAD = """\
#!/bin/bash
# {folder}
run={run}
job="$run/job"
refuse() {{ echo "assay: $1" >&2; exit 125; }}
moment() {{ date +%s.%N; }}
note() ( umask go-w; echo "$1" > "$2" )  # in a shell of its own: the command keeps the user's umask
{who}
# an attempt may begin once; the same job that begins again was put back into the queue
attempt=0
while [ -e "$job/start.$attempt" ]; do
  read -r _ _ _ before < "$job/start.$attempt"
  [ "$before" = "$me" ] || refuse "this run was begun by job $before already"
  attempt=$((attempt + 1))
done
set -o noclobber
note "$(moment) $node $$ $me" "$job/start.$attempt" 2>/dev/null || refuse "cannot begin: $job/start.$attempt"
set +o noclobber
if [ "$attempt" -gt 0 ]; then  # what the lost attempt left is kept, apart
  before="$run/attempts/$((attempt - 1))"
  mkdir -p "$before"
  mv "$run"/events "$run"/output* "$before"/ 2>/dev/null
  rm -f "$run/summary.json" "$job/seen.json"
  mkdir -p "$run/events"
fi
"""
_TAIL = """\
# the recorder runs beside this shell, so that a signal that only the shell hears is passed on
set -m
{start} < /dev/null &
child=$!
trap 'kill -TERM "$child" 2>/dev/null' TERM
trap 'kill -INT "$child" 2>/dev/null' INT
while wait "$child"; code=$?; kill -0 "$child" 2>/dev/null; do :; done
note "$code $(moment)" "$job/.end.$attempt" && mv "$job/.end.$attempt" "$job/end.$attempt"
exit "$code"
"""
#: as `python -m assay.cli.node`, but that imports nothing from the folder that it happens to start in
_RECORDER = """\
import sys
sys.path[:1] = filter(None, sys.path[:1])
from assay.recording.launch import prepare
prepare()
import assay.cli.node
sys.exit(assay.cli.node.main(sys.argv[1:]))"""


def write_script(job: Job, who: str, per_node: Sequence[str], master: str) -> Path:
    """Where it lies, ready to be submitted."""
    path = job.folder / "script"
    write_whole(path, script_text(job, who, per_node, master).encode(), mode=0o700)
    return path


def script_text(job: Job, who: str, per_node: Sequence[str], master: str) -> str:
    """`who` sets `me` and `node`; `per_node` starts one process on each node; `master` sets the meeting point."""
    head = _HEAD.format(folder=printable(job.run.path.name), run=shlex.quote(str(job.run.path)), who=who)
    variables = {**job.place.env, **job.env}
    exports = [f"export {check_variable(name)}={shlex.quote(value)}" for name, value in variables.items()]
    lines = [*_setup(job.place), *exports]
    if master and (job.place.nodes > 1 or job.place.procs):
        lines.append(master)
    recorder = [*recorder_words(job.place), str(job.run.path), "--", *job.command]
    start = shlex.join([*per_node, *recorder])
    return "\n".join([head.rstrip("\n"), *lines, _TAIL.format(start=start)])


def prepared(place: Place, words: list[str]) -> list[str]:
    """The same words, after the set-up lines of a place that has no script of its own."""
    lines = _setup(place)
    return ["bash", "-c", "\n".join([*lines, 'exec "$@"']), "bash", *words] if lines else words


def _setup(place: Place) -> list[str]:
    return [*(f"module load {shlex.quote(name)}" for name in place.modules), *place.setup]


def recorder_words(place: Place) -> list[str]:
    """The recorder of one node, by an interpreter that can be seen from there."""
    return [os.path.expanduser(place.python) if place.python else sys.executable, "-c", _RECORDER]
