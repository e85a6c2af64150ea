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
from assay.launchers.setup import setup_lines
from assay.spec import check_variable
from assay.store.layout import write_whole
from assay.text import printable

#: `$me` is the scheduler's id of this job, `$node` the name of this node
_HEAD = """\
#!/bin/bash
# {folder}
run={run}
job="$run/job"
{login}refuse() {{ echo "assay: $1" >&2; exit 125; }}
moment() {{ date +%s.%N; }}
note() ( umask go-w; echo "$1" > "$2" )  # in a subshell: the command keeps the user's umask
{who}
lost=""
# an attempt may begin once; the same job that begins again was put back into the queue
assay_attempt=0
while [ -e "$job/start.$assay_attempt" ]; do
  read -r _ _ _ before _ < "$job/start.$assay_attempt"
  [ "$before" = "$me" ] || refuse "this run was begun by job $before already"
  assay_attempt=$((assay_attempt + 1))
done
# one that was put back after its work was done, while it was being summed up, has nothing left to do
if [ "$assay_attempt" -gt 0 ]; then
  ended="$job/end.$((assay_attempt - 1))"
  [ -e "$ended" ] || ended="$job/.end.$((assay_attempt - 1))"  # as its recorder left it, killed right after the work
  read -r before _ 2>/dev/null < "$ended"
  # a program that was asked to end may save its state and exit with 0: it is to go on
  if {{ [ "$before" = 0 ] && ! {asked_to_end}; }} || {done}; then
    mv "$job/.end.$((assay_attempt - 1))" "$job/end.$((assay_attempt - 1))" 2>/dev/null
    rm -f "$job/seen.json"
    echo "assay: this run is done already" >&2
    exit 0
  fi
  before="$job/start.$((assay_attempt - 1))"  # the last sign of the lost attempt: from then on it waited again
  for one in "$run"/events/*.jsonl "$ended"; do [ "$one" -nt "$before" ] && before="$one"; done
  lost="$(date -r "$before" +%s.%N)"
fi
set -o noclobber
begins="$job/start.$assay_attempt"
note "$(moment) $node $$ $me $lost" "$begins" 2>/dev/null || refuse "cannot begin: $begins"
set +o noclobber
if [ "$assay_attempt" -gt 0 ]; then  # what the lost attempt left is kept, apart
  before="$run/attempts/$((assay_attempt - 1))"
  mkdir -p "$before"
  mv "$run"/events "$run"/output* "$before"/ 2>/dev/null
  cp "$job/output" "$before/job-output" 2>/dev/null && : > "$job/output"  # what is said of that attempt is not of this
  rm -f "$run/summary.json" "$job/seen.json" "$job/setup-failed"
  mkdir -p "$run/events"
fi
# room for the exit code is taken now: the disk may be full by then. If it still cannot be written, a name tells it.
# A recorder notes there at once that the work is done: what ends it while it sums up does not undo that
note "$(printf '%60s')" "$job/.end.$assay_attempt" 2>/dev/null
assay_leave() (
  cd {run}/job && umask go-w
  read -r noted _ 2>/dev/null < ".end.$assay_attempt" && [ "$noted" = 0 ] && set -- 0
  printf '%s %s\n' "$1" "$(date +%s.%N)" 1<> ".end.$assay_attempt" && mv ".end.$assay_attempt" "end.$assay_attempt" ||
    : > "end.$assay_attempt.$1"
)
"""
_TAIL = """\
# the recorder runs beside this shell, so that a signal that only the shell hears is passed on
set -m  # it is to hear INT, which a shell without job control has its children ignore
{start} < /dev/null &
child=$!
set +m  # with job control, a child that is suspended while it starts would end the loop below
trap 'kill -TERM "$child" 2>/dev/null' TERM
trap 'kill -INT "$child" 2>/dev/null' INT
while wait "$child"; code=$?; kill -0 "$child" 2>/dev/null; do sleep 0.1; done
wait "$child"; again=$?  # it may have ended between the two
[ "$again" = 127 ] || code=$again
assay_leave "$code"
exit "$code"
"""
#: the recorder saw the command end well
_DONE = """grep -qs '"kind":"end".*"from":"launcher".*"status":"completed"' "$run"/events/*.jsonl"""
_ASKED_TO_END = _DONE.replace("completed", "interrupted")
#: PBS may start a script by any shell, so it is not left to the first line
_LOGIN = """\
shopt -q login_shell || exec bash -l "$job/script"
"""
#: as `python -m assay.cli.node`, but that imports nothing from the folder that it happens to start in
_RECORDER = """\
import sys
sys.path[:1] = filter(None, sys.path[:1])
from assay import bundle
bundle.begin()
from assay.recording.launch import prepare
prepare()
bundle.BUNDLE.close()
import assay.cli.node
code = assay.cli.node.main(sys.argv[1:])
bundle.BUNDLE.keep()
sys.exit(code)"""


def write_script(job: Job, who: str, per_node: Sequence[str], master: str) -> Path:
    """Where it lies, ready to be submitted."""
    path = job.folder / "script"
    write_whole(path, script_text(job, who, per_node, master).encode(), mode=0o700)
    return path


def script_text(job: Job, who: str, per_node: Sequence[str], master: str) -> str:
    """`who` sets `me` and `node`; `per_node` starts one process on each node; `master` sets the meeting point."""
    head = _HEAD.format(folder=printable(job.run.path.name), run=shlex.quote(str(job.run.path)), who=who,
                        login=_LOGIN if job.place.login else "",
                        done=_DONE if job.place.nodes == 1 else "false",
                        asked_to_end=_ASKED_TO_END)  # fmt: skip
    variables = {**job.place.env, **job.env}
    exports = [f"export {check_variable(name)}={shlex.quote(value)}" for name, value in variables.items()]
    lines = [*setup_lines(job.place, shlex.quote(str(job.folder)), 'assay_leave "$assay_code"'), *exports]
    if master and (job.place.nodes > 1 or job.place.procs):
        lines.append(master)
    recorder = [*recorder_words(job.place), str(job.run.path), "--", *job.command]
    start = shlex.join([*per_node, *recorder])
    return "\n".join([head.rstrip("\n"), *lines, _TAIL.format(start=start)])


def prepared(job: Job, words: list[str]) -> list[str]:
    """The same command, after the set-up lines of a place that has no job script."""
    lines = setup_lines(job.place, shlex.quote(str(job.folder)))
    shell = ["bash", "-lc" if job.place.login else "-c"]
    return [*shell, "\n".join([*lines, 'exec "$@"']), "bash", *words] if lines or job.place.login else words


def recorder_words(place: Place) -> list[str]:
    """The recorder of one node, by an interpreter that can be seen from there.

    What a set-up puts into PYTHONPATH is for the command, perhaps of another Python: ours does not look there."""
    python = os.path.expanduser(place.python) if place.python else sys.executable
    apart = ["-E"] if (place.python or place.setup or place.modules) and not os.environ.get("PYTHONPATH") else []
    return [python, *apart, "-c", _RECORDER]
