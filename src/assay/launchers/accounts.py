"""What the scheduler has on its books about jobs, in its own words, for the readers of accounting.

`sacct` where accounting is on, else `scontrol` for jobs that ended a moment ago; `qstat -xf` for PBS. Whatever does not
answer is no answer, and no trouble: what the log itself says is still there.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence

_COLUMNS = (
    "JobID", "JobIDRaw", "JobName", "State", "ExitCode", "Elapsed", "Timelimit", "AllocCPUS", "ReqCPUS", "TotalCPU",
    "NNodes", "NTasks", "ReqMem", "MaxRSS", "Submit", "Start", "ReqTRES", "AllocTRES",
)  # fmt: skip
_PATIENCE_S = 20.0
#: ids that surely fit into one command line
_AT_ONCE = 500
_SLURM = re.compile(r"\d{1,12}(?:_\d{1,9})?")
_PBS = re.compile(r"\d{1,12}(?:\[\d{0,9}\])?(?:\.[\w.-]{1,100})?")
_PAIR = re.compile(r"(\w{2,40})=(\S{1,400})")


def is_job_id(word: str) -> bool:
    """`12345`, `12345_3`, `12345.server`, `12345[3].server`."""
    return bool(_SLURM.fullmatch(word) or _PBS.fullmatch(word))


def account_text(ids: Sequence[str]) -> str:
    """All that the scheduler of this machine knows of these jobs; empty where there is none, or it knows nothing."""
    if shutil.which("sacct"):
        asked = [one for one in ids if _SLURM.fullmatch(one)]
        return _sacct(asked) or _scontrol(asked)
    if shutil.which("qstat"):
        asked = [one for one in ids if _PBS.fullmatch(one)]
        return "".join(_answer(["qstat", "-x", "-f", *some]) for some in _pieces(asked))
    return ""


def raw_ids(text: str) -> dict[str, str]:
    """Of elements of arrays in an answer of `sacct`: the number that each has by itself, which `%j` puts into the name
    of its output, and what it goes by: `41` and `40_1`."""
    head, *rows = [line.split("|") for line in text.splitlines()] or [[]]
    if not {"JobID", "JobIDRaw"} <= set(head):
        return {}
    name, raw = head.index("JobID"), head.index("JobIDRaw")
    return {row[raw]: row[name] for row in rows if len(row) == len(head) and "_" in row[name] and "." not in row[name]}


def _sacct(ids: Sequence[str]) -> str:
    words = ["sacct", "--parsable2", f"--format={','.join(_COLUMNS)}"]
    answers = [_answer([*words, f"--jobs={','.join(some)}"]).splitlines() for some in _pieces(ids)]
    rows = [line for lines in answers for line in lines[1:]]
    return "\n".join([answers[0][0], *rows, ""]) if rows and answers[0] else ""


def _scontrol(ids: Sequence[str]) -> str:
    """The same columns, as far as the controller still knows the job; it does not know what was used."""
    rows = []
    for one in ids[:_AT_ONCE] if shutil.which("scontrol") else ():
        said = dict(_PAIR.findall(_answer(["scontrol", "--oneliner", "show", "job", one])))
        if "JobState" in said:
            known = {"JobID": one, "State": said["JobState"], "ExitCode": said.get("ExitCode", ""),
                     "JobName": said.get("JobName", ""), "Elapsed": said.get("RunTime", ""),
                     "Timelimit": said.get("TimeLimit", ""), "AllocCPUS": said.get("NumCPUs", ""),
                     "NNodes": said.get("NumNodes", ""), "AllocTRES": said.get("TRES", "")}  # fmt: skip
            rows.append("|".join(known.get(name, "") for name in _COLUMNS))
    return "\n".join(["|".join(_COLUMNS), *rows, ""]) if rows else ""


def _pieces(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for at in range(0, len(ids), _AT_ONCE):
        yield ids[at : at + _AT_ONCE]


def _answer(words: Sequence[str]) -> str:
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=_PATIENCE_S, check=False)  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout
