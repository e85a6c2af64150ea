"""The command line: one file a command, loaded only when it is asked for."""

from __future__ import annotations

import os
import sys

from assay import __version__
from assay.cli.table import COMMANDS, RECORDERS


def main() -> None:
    """Entry point. The bare help is printed from the table alone, before anything is imported for it."""
    closed = open_what_is_closed()
    _put_others_last()
    words = sys.argv[1:]
    if not words or words in (["-h"], ["--help"], ["help"]):
        print(_help())
    elif words == ["--version"]:
        print(f"assay {__version__}")
    else:
        if words[0] in RECORDERS:
            from assay.recording.launch import prepare

            prepare()
        try:
            from assay.cli.start import start
        except KeyboardInterrupt:
            sys.exit(130)
        sys.exit(start(words, closed))


def open_what_is_closed() -> frozenset[int]:
    """The standard streams that we were started without, now open to nowhere, or our files would take their place."""
    closed = set()
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            closed.add(fd)
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
            os.set_inheritable(fd, True)
    return frozenset(closed)


def _put_others_last() -> None:
    """PYTHONPATH is meant for the program that is measured: what lies there must not stand in for our own packages."""
    theirs = {os.path.abspath(folder) for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder}
    if theirs and not sys.flags.ignore_environment:
        sys.path.sort(key=lambda folder: folder in theirs)  # the order is kept otherwise


def _help() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {text}" for name, (_, text) in COMMANDS.items()]
    return "\n".join(
        [
            "usage: assay COMMAND [options]",
            "",
            "Measure training and inference on any machine, and say what the evidence supports.",
            "",
            *lines,
            "",
            "assay COMMAND --help says more. Runs are kept in --runs-dir, else $ASSAY_RUNS, else ./assay-runs.",
            "Exit 0 good, 1 a run or a check failed, 2 usage, 3 a check that the data cannot decide; `run` has",
            "the code of its command, and 125 for its own failure.",
        ]
    )
