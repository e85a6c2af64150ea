"""Find the command, run it, and turn every failure into two plain lines and an exit code."""

from __future__ import annotations

import importlib
import os
import sys

import click

from assay.cli import COMMANDS
from assay.errors import AssayError, UsageError, did_you_mean


def start(words: list[str]) -> int:
    """The exit code of one command line."""
    try:
        command = _load(words[0])
        answer = command.main(words[1:], prog_name=f"assay {words[0]}", standalone_mode=False)
        sys.stdout.flush()
        return answer if isinstance(answer, int) else 0
    except AssayError as problem:
        say_error(problem.message, problem.hint)
        return problem.exit_code
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.Abort:
        say_error("stopped")
        return 130
    except click.ClickException as problem:
        context = getattr(problem, "ctx", None)
        hint = f"see `{context.command_path} --help`" if context else None
        say_error(_one_line(problem), hint)
        return 125 if words[0] == "run" else 2
    except KeyboardInterrupt:
        say_error("stopped")
        return 130
    except BrokenPipeError:  # `assay ls | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _load(name: str) -> click.Command:
    if name not in COMMANDS:
        raise UsageError(f"no command called `{name}`", did_you_mean(name, COMMANDS))
    command = importlib.import_module(COMMANDS[name][0]).command
    assert isinstance(command, click.Command)
    return command


def say_error(message: str, hint: str | None = None) -> None:
    print(f"error: {_plain(message)}", file=sys.stderr)
    if hint:
        print(f"hint: {_plain(hint)}", file=sys.stderr)


def say_warning(message: str) -> None:
    print(f"assay: warning: {_plain(message)}", file=sys.stderr, flush=True)


def _one_line(problem: click.ClickException) -> str:
    """Click's message in our voice: lower case, no full stop."""
    text = problem.format_message().strip().rstrip(".").replace("'", "`")
    return text[:1].lower() + text[1:]


def _plain(text: str) -> str:
    """Text that may come from a file or a name: nothing in it may move the cursor or end the line."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
