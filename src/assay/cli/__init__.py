"""The command line: one file per command, loaded only when it is used."""

from __future__ import annotations

import os
import sys

from assay import __version__, bundle
from assay.cli.table import COMMANDS, RECORDERS


def main() -> None:
    """Entry point. The bare help is printed from the table alone, before anything is imported for it."""
    closed = open_what_is_closed()
    forget_pythons_locale()
    _put_others_last()
    words = sys.argv[1:]
    if not words or words in (["-h"], ["--help"], ["help"]):
        print(_help())
    elif words == ["--version"]:
        print(f"assay {__version__}")
    else:
        sys.exit(_exit_code(words, closed))


def _exit_code(words: list[str], closed: frozenset[int]) -> int:
    """Of one command; 130 if Ctrl-C comes before it begins. When it has ended, Ctrl-C no longer changes the code."""
    code = 130
    try:
        records = words[0] in RECORDERS
        bundle.begin(bundle.RECORDER if records else bundle.OTHERS)
        if records:
            from assay.recording.launch import dismiss, prepare

            prepare()
        bundle.BUNDLE.close()
        from assay.cli.start import start

        code = start(words, closed)
        if records:
            dismiss()
        bundle.BUNDLE.keep()
    except KeyboardInterrupt:
        pass
    return code


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


def forget_pythons_locale() -> None:
    """In a C locale Python sets LC_CTYPE for itself. What we start must see what we were started with."""
    if os.environ.get("LC_CTYPE") not in ("C.UTF-8", "C.utf8", "UTF-8"):
        return
    try:
        with open("/proc/self/environ", "rb") as file:
            given = dict(one.split(b"=", 1) for one in file.read().split(b"\0") if b"=" in one)
    except OSError:
        return
    if b"LC_CTYPE" in given:
        os.environ["LC_CTYPE"] = os.fsdecode(given[b"LC_CTYPE"])
    else:
        del os.environ["LC_CTYPE"]


def _put_others_last() -> None:
    """PYTHONPATH is for the measured program: packages in it must not replace our own."""
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
            "Record training and inference runs, compare them fairly, and check what people",
            "write about them.",
            "",
            *lines,
            "",
            "Options: assay COMMAND --help. Runs are kept in the folder --runs-dir, else in",
            "$ASSAY_RUNS, else in ./assay-runs.",
            "Exit codes: 0 success, 1 a run or a check failed, 2 wrong usage, 3 undecided",
            "check; `run` returns the code of its command, or 125 if Assay itself failed.",
        ]
    )
