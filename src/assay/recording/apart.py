"""Record a run for a program that asks for it as data: `python -m assay.recording.apart` with JSON on standard input.

What the command prints goes to standard error; the one line on standard output says which run it is.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from assay.recording.launch import prepare


def main() -> None:
    prepare()  # before anything else is imported
    from assay.errors import AssayError
    from assay.recording.record import record
    from assay.spec import RunSpec

    asked = json.load(sys.stdin)
    answers = os.dup(1)
    os.dup2(2, 1)  # what the command prints is for people
    spec = RunSpec(
        command=tuple(asked["command"]),
        runs_dir=Path(asked["runs_dir"]),
        name=asked["name"],
        params=asked["params"],
        timeout_s=asked["timeout_s"],
    )
    try:
        outcome = record(spec, lambda text: print(f"assay: warning: {text}", file=sys.stderr))
        answer = {"run": str(outcome.run.path)}
    except AssayError as problem:
        answer = {"error": problem.message, "hint": problem.hint or ""}
    os.write(answers, json.dumps(answer).encode())


if __name__ == "__main__":
    main()
