"""Find the command, run it, and turn every failure into two plain lines and an exit code."""

from __future__ import annotations

import errno
import importlib
import os
import re
import sys
from contextlib import suppress

import click

from assay.cli.plain import prepare_streams
from assay.cli.table import COMMANDS, RECORDERS
from assay.errors import AssayError, UsageError, did_you_mean
from assay.parts import failed_import
from assay.store.notices import listen

#: whether a command may be running, which must not wait for the reader of our words
_recording = False
#: what click calls a wrong value, and what we do
_OURS = (
    (re.compile(r"is not a valid integer"), "is not a whole number"),
    (re.compile(r"is not a valid float"), "is not a number"),
)


def start(words: list[str], closed: frozenset[int] = frozenset()) -> int:
    """The exit code of one command line. `closed` are the standard streams that we were started without."""
    prepare_streams(words, os.environ)
    if words[0] not in RECORDERS:  # what they print is their command's
        listen(say_warning)
        return _start(words, closed)
    global _recording
    _recording = True
    code = _start(words, closed)
    if words_module := sys.modules.get("assay.cli.words"):
        words_module.finish_words()
    return code


def _start(words: list[str], closed: frozenset[int]) -> int:
    try:
        command = load(words[0])
        with command.make_context(f"assay {words[0]}", words[1:], obj={"closed": closed}) as context:
            answer = command.invoke(context)
        if sys.stdout is not None and words[0] != "run":
            sys.stdout.flush()
        return answer if isinstance(answer, int) else 0
    except AssayError as problem:
        say_error(problem.message, problem.hint)
        return problem.exit_code
    except ModuleNotFoundError as problem:
        lacking = failed_import(f"`assay {words[0]}`", problem)
        say_error(lacking.message, lacking.hint)
        return 125 if words[0] == "run" else lacking.exit_code
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as problem:
        say_error(_one_line(problem), _help_of(problem))
        return 125 if _takes_a_code(words) else 2
    except (click.Abort, KeyboardInterrupt):
        say_error("stopped")
        return 130
    except BrokenPipeError:  # `assay ls | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141
    except OSError as problem:  # a folder that was deleted under us, a full disk
        say_error(*_told(problem))
        return 125 if words[0] == "run" else 1


def _takes_a_code(words: list[str]) -> bool:
    """Whether the exit code would be the command's: several runs have none that they share."""
    ours = words[: words.index("--")] if "--" in words else words
    return words[0] == "run" and not any(word.partition("=")[0] in ("--repeat", "--grid", "--until") for word in ours)


def _told(problem: OSError) -> tuple[str, str | None]:
    """(what happened, what to do)"""
    try:
        os.getcwd()
    except OSError:
        return "the current folder no longer exists", "change to another one: cd ~"
    where = f"`{problem.filename}`: " if problem.filename else ""
    hint = "raise the limit: ulimit -n 1024" if problem.errno in (errno.EMFILE, errno.ENFILE) else None
    return f"{where}{problem.strerror or problem}", hint


def load(name: str) -> click.Command:
    if name not in COMMANDS:
        harmless = [command for command in COMMANDS if command != "rm"]  # `rum` is a slip for `run`
        raise UsageError(f"no command called `{name}`", did_you_mean(name, harmless, did_you_mean(name, COMMANDS)))
    command = importlib.import_module(COMMANDS[name][0]).command
    assert isinstance(command, click.Command)
    command.context_settings.setdefault("help_option_names", ["-h", "--help"])
    return command


def say_error(message: str, hint: str | None = None) -> None:
    say(f"error: {plain(message)}")
    if hint:
        say(f"hint: {plain(hint)}")


def say_warning(message: str) -> None:
    say(f"assay: warning: {plain(message)}")


def say(text: str) -> None:
    """Print a message on stderr; a closed stderr must not make the command fail."""
    with suppress(OSError, ValueError, AttributeError):
        if _recording:
            from assay.cli.words import say_beside

            say_beside(text)
        else:
            print(text, file=sys.stderr, flush=True)


def _help_of(problem: click.ClickException) -> str | None:
    where = getattr(problem, "ctx", None)
    return f"see `{where.command_path} --help`" if where else None


def _one_line(problem: click.ClickException) -> str:
    """Click's message in our voice: lower case, no full stop."""
    text = " ".join(problem.format_message().split()).rstrip(".").replace("'", "`")
    for pattern, words in _OURS:
        text = pattern.sub(words, text)
    return text[:1].lower() + text[1:]


def plain(text: str) -> str:
    """Text that may come from a file or a name: nothing in it may move the cursor or end the line."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text[:2000])
