"""What a program that is started with name=value words needs: its settings, its refusals, its exit codes.

    @dataclass(frozen=True, kw_only=True)
    class Settings(Plain):
        requests: int = setting(200, "number of measured requests", least=1)

`--requests 8`, `--requests=8` and `requests=8` are the same.
"""

from __future__ import annotations

import math
import os
import sys
import typing
from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar, NoReturn, TypeVar

import assay
from assay.errors import AssayError, did_you_mean

_YES, _NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
_KINDS = {int: "a whole number", float: "a number", bool: "true or false"}


class Failure(AssayError):
    """What happened, with a hint for people and a code for the recorder."""

    def __init__(self, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.code = code


class BadSetting(Failure, ValueError):
    """Refused before anything starts. The code is `bad-flag` unless the request itself is impossible."""

    exit_code = 2

    def __init__(self, message: str, hint: str | None = None, code: str = "bad-flag") -> None:
        super().__init__(code, message, hint)


def setting(
    default: Any, help: str, *, choices: Sequence[str] = (), least: float | None = None, most: float | None = None
) -> Any:
    """A field of a `Settings`."""
    return field(default=default, metadata={"help": help, "choices": choices, "least": least, "most": most})


S = TypeVar("S", bound="Plain")


@dataclass(frozen=True, kw_only=True)
class Plain:
    """What every such program understands."""

    #: what is started, where the settings stand in another module
    MODULE: ClassVar[str] = ""

    seed: int = setting(0, "seed of all random numbers", least=0, most=2**31 - 1)

    def check(self) -> None:
        """Refuse combinations that cannot work; a program adds its own."""

    @classmethod
    def parse(cls: type[S], words: Sequence[str]) -> S:
        """The settings that these words ask for, checked. `--help` prints them all and leaves."""
        settings = cls(**cls.read(words))
        settings.check()
        return settings

    @classmethod
    def rehearse(cls, words: Sequence[str]) -> dict[str, Any]:
        """What the words set, refused where the program would refuse it."""
        cls.parse(words)
        return cls.read(words)

    @classmethod
    def read(cls, words: Sequence[str]) -> dict[str, Any]:
        """What the words set, by name; what is no setting is refused."""
        known, kinds = {item.name: item for item in fields(cls)}, typing.get_type_hints(cls)
        given: dict[str, Any] = {}
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word in ("-h", "--help"):
                print(cls._help())
                raise SystemExit(0)
            name, equals, text = word.partition("=")
            if not equals and not word.startswith("-"):
                raise BadSetting(f"`{word}` is not a setting", f"write a setting as name=value: {word}=…")
            key = name.lstrip("-").replace("-", "_").lower()
            if key not in known:
                raise BadSetting(f"no setting called `{name.lstrip('-')}`", did_you_mean(name.lstrip("-"), known))
            if not equals:
                text = _following(key, rest, kinds[key])
            given[key] = _typed(known[key], kinds[key], text)
        return given

    @classmethod
    def _help(cls) -> str:
        lines = [f"usage: python -m {cls.MODULE} [--name value | name=value …]", ""]
        for item in fields(cls):
            choices = f" ({'|'.join(item.metadata['choices'])})" if item.metadata["choices"] else ""
            default = f" [{item.default}]" if item.default != "" else ""
            flag = "--" + item.name.replace("_", "-")
            lines.append(f"  {flag:<24} {item.metadata['help']}{choices}{default}")
        return "\n".join(lines)


def _following(key: str, rest: list[str], kind: type) -> str:
    """The word after a flag; a flag for yes or no may stand alone."""
    following = rest[0] if rest else "-"
    if kind is bool and following.lower() not in (*_YES, *_NO):
        return "true"
    if following.startswith("-") and following[1:2] not in tuple("0123456789."):
        raise BadSetting(f"`{key}` needs a value")
    return rest.pop(0)


def _typed(item: Field[Any], kind: type, text: str) -> Any:
    """The text as a value of this field, refused where it cannot be one."""
    name, about = item.name, item.metadata
    try:
        value = _convert(kind, text)
    except (ValueError, OverflowError):
        raise BadSetting(f"`{name}={text}` is not {_KINDS[kind]}") from None
    if about["choices"] and value not in about["choices"]:
        raise BadSetting(f"`{name}={text}` is not possible", did_you_mean(str(value), about["choices"]))
    for limit, word in ((about["least"], "least"), (about["most"], "most")):
        if limit is not None and (value < limit if word == "least" else value > limit):
            hint = f"{name} is at {word} {_shown(limit)}"
            raise BadSetting(f"`{name}={text}` is impossible", hint, "impossible-request")
    return value


def _convert(kind: type, text: str) -> Any:
    if kind is bool:
        if text.lower() not in (*_YES, *_NO):
            raise ValueError
        return text.lower() in _YES
    if kind is int and "e" not in text.lower():
        return int(text)
    if kind is str:
        return text
    value = float(text)
    if not math.isfinite(value) or (kind is int and not value.is_integer()):
        raise ValueError
    return kind(value)


def announce(settings: Plain, **also: object) -> None:
    """Print every setting in effect, and report it to the recorder: `also` is what was found out, None what is not."""
    shown = {**{item.name: getattr(settings, item.name) for item in fields(settings)}, **also}
    shown = {name: value for name, value in shown.items() if value not in ("", None)}
    print("settings in effect:")
    for name, value in shown.items():
        print(f"  {name}={_shown(value)}")
    sys.stdout.flush()
    assay.params(**shown)


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def start(main: Callable[[Sequence[str]], int]) -> NoReturn:
    """Run a program's `main` on the words of the command line, and leave with its exit code."""
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except Failure as failure:
        code = report(failure)
    except KeyboardInterrupt:
        code = report(Failure("interrupted", "stopped"), 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 141
    except MemoryError:
        code = report(Failure("out-of-memory", "not enough memory", "use a lower concurrency, or shorter prompts"))
    except OSError as problem:
        if not problem.filename:
            raise
        code = report(Failure("missing-file", f"`{problem.filename}`: {problem.strerror}"))
    sys.exit(code)


def report(failure: Failure, exit_code: int | None = None) -> int:
    """To people and to the recorder; the exit code to leave with."""
    assay.error(failure.code, failure.message, failure.hint)
    _say(f"error: {failure.message}")
    if failure.hint:
        _say(f"hint: {failure.hint}")
    return failure.exit_code if exit_code is None else exit_code


def warn(text: str) -> None:
    _say(f"warning: {text}")


def _say(text: str) -> None:
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):
        pass
