"""Settings: every workload declares its own in a frozen dataclass, and reads them from words or flags alike.

    @dataclass(frozen=True, kw_only=True)
    class Settings(Common):
        batch_size: int = setting(8, "images of one weight update", least=1)

    settings = parse(Settings, ["batch_size=16", "--lr", "0.1"])
    announce(settings)

`--batch-size 16`, `--batch_size=16` and `batch_size=16` are the same. A word alone is a size (`demo`), where the
workload has some. Needs no torch: a typo is reported before anything is loaded.
"""

from __future__ import annotations

import difflib
import math
import os
import sys
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, ClassVar, TypeVar

import assay
from assay_workloads.failure import BadSetting


def setting(
    default: Any,
    help: str,
    *,
    choices: Sequence[str] = (),
    least: float | None = None,
    most: float | None = None,
    flags: Sequence[str] = (),
    bare: Any = None,
    free: bool = False,
) -> Any:
    """A field of a `Settings`: `flags` are other spellings, `bare` is what the flag means without a value, and `free`
    marks what may change when a run is resumed."""
    about = {"help": help, "choices": choices, "least": least, "most": most, "flags": flags, "bare": bare, "free": free}
    return field(default=default, metadata=about)


@dataclass(frozen=True, kw_only=True)
class Plain:
    """What every workload understands, whatever it does."""

    #: what is started, where the settings stand in another module
    MODULE: ClassVar[str] = ""
    #: settings of each size that a word alone may name: {"demo": {"epochs": 1}}
    SIZES: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    seed: int = setting(0, "seed of all random numbers", least=0, most=2**31 - 1)

    def check(self) -> None:
        """Refuse combinations that cannot work; a workload adds its own."""

    @classmethod
    def read(cls, words: Sequence[str]) -> dict[str, Any]:
        """What the words set, by name, as Assay asks before a run is made."""
        return read_words(cls, words)

    @classmethod
    def rehearse(cls, words: Sequence[str]) -> dict[str, Any]:
        """The same, refused now where the workload would refuse it: the run's folder, which is made later, will serve
        for its files."""
        folder = ["out=."] if "out" in [item.name for item in fields(cls)] else []
        parse(cls, [*folder, *words])
        return read_words(cls, words)


@dataclass(frozen=True, kw_only=True)
class Common(Plain):
    """What every workload that trains understands."""

    device: str = setting("cpu", "device to run on", choices=("cpu", "cuda"))
    seed: int = setting(0, "seed of weights, order and dropout", least=0, most=2**31 - 1)
    precision: str = setting("fp32", "number format", choices=("fp32", "tf32", "bf16", "fp16"))
    compile: str = setting("auto", "whether the step is compiled", choices=("auto", "on", "off"))
    batch_size: int = setting(8, "samples per weight update", least=1, flags=("-b",))
    lr: float = setting(0.05, "learning rate", least=0.0)
    epochs: int = setting(10, "passes over the training data", least=0)
    max_steps: int = setting(0, "stop after this many weight updates (0: at the end of the epochs)", least=0)
    data: str = setting("", "folder with the data, or `synthetic` (default: found automatically, see docs/data.md)")
    checkpoint_every: int = setting(0, "weight updates between checkpoints (0: none)", least=0, free=True)
    keep_checkpoints: int = setting(2, "number of checkpoints to keep", least=1, free=True)
    resume: str = setting("", "resume from a checkpoint, or from the last one in a folder", bare="out", free=True)
    log_every: int = setting(0, "weight updates between figures (0: the workload chooses)", least=0, free=True)
    out: str = setting("", "folder for checkpoints and TensorBoard files (default: the run's folder)", free=True)
    scaling: str = setting("strong", "with several processes: split batch_size, or give it to each",
                           choices=("strong", "weak"))  # fmt: skip
    threads: int = setting(0, "CPU threads (0: as many as cores)", least=0, most=1024)

    def check(self) -> None:
        super().check()
        if (self.checkpoint_every or self.resume == "out") and not self.folder:
            raise BadSetting("checkpoints need a folder", "give one: --out FOLDER")

    @property
    def folder(self) -> str:
        """Where this run's own files go; empty where there is no such place."""
        return self.out or os.environ.get("ASSAY_RUN", "")


S = TypeVar("S", bound=Plain)


def parse(kind: type[S], words: Sequence[str] | None = None) -> S:
    """The settings that these words ask for, checked. `--help` prints them all and leaves."""
    given = read_words(kind, sys.argv[1:] if words is None else words)
    size = given.get("size", next(iter(kind.SIZES), None))
    if size is not None and kind.SIZES and size in kind.SIZES:
        given = {**kind.SIZES[size], **given}
    settings = kind(**given)
    settings.check()
    return settings


def read_words(kind: type[Plain], words: Sequence[str]) -> dict[str, Any]:
    """What the words set, by field name and typed; refuses what the workload does not know."""
    spelled, known = _spellings(kind), {item.name: item for item in fields(kind)}
    given: dict[str, Any] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in ("-h", "--help"):
            print(help_text(kind))
            raise SystemExit(0)
        name, equals, text = word.partition("=")
        if not word.startswith("-") and not equals:
            name, text = _size(kind, word)
        key = spelled.get(name) or spelled.get("--" + name.lstrip("-").replace("-", "_").lower())
        if key is None:
            raise BadSetting(f"no setting called `{name.lstrip('-')}`", _closest(name.lstrip("-"), known))
        if not equals and word.startswith("-"):
            text = _value_after(known[key], rest, _type(kind, key))
        given[key] = typed(known[key], _type(kind, key), text)
    return given


def typed(item: Field[Any], kind: type, text: Any) -> Any:
    """The text as a value of this field, refused where it cannot be one."""
    name, about = item.name, item.metadata
    try:
        value = _convert(kind, text)
    except ValueError:
        words = {int: "a whole number", float: "a number", bool: "true or false"}[kind]
        raise BadSetting(f"`{name}={text}` is not {words}") from None
    if about.get("choices") and value not in about["choices"]:
        raise BadSetting(f"`{name}={text}` is not possible", _closest(str(value), about["choices"]))
    least, most = about.get("least"), about.get("most")
    if least is not None and value < least:
        raise BadSetting(f"`{name}={text}` is impossible", f"{name} is at least {_show(least)}", "impossible-request")
    if most is not None and value > most:
        raise BadSetting(f"`{name}={text}` is impossible", f"{name} is at most {_show(most)}", "impossible-request")
    return value


def announce(settings: Plain, **also: Any) -> None:
    """Print every setting in effect, and tell the recorder: `also` is what was found out (the data, the threads)."""
    shown = {**as_dict(settings), **also}
    for name in [name for name, value in shown.items() if value == "" or value is None]:
        del shown[name]
    print("settings in effect:")
    for name, value in shown.items():
        print(f"  {name}={_show(value)}")
    sys.stdout.flush()
    assay.params(**shown)


def as_dict(settings: Plain) -> dict[str, Any]:
    return {item.name: getattr(settings, item.name) for item in fields(settings)}


def fixed(settings: Plain) -> dict[str, Any]:
    """The settings that a resumed run must share, for its losses to be the same."""
    return {item.name: getattr(settings, item.name) for item in fields(settings) if not item.metadata.get("free")}


def help_text(kind: type[Plain]) -> str:
    """All settings with their defaults."""
    sizes = f" [{'|'.join(kind.SIZES)}]" if kind.SIZES else ""
    spec = sys.modules[kind.__module__].__spec__  # knows the name of what runs as `__main__`
    module = kind.MODULE or (spec.name if spec else kind.__module__)
    lines = [f"usage: python -m {module}{sizes} [--name value | name=value …]", ""]
    for item in fields(kind):
        about = item.metadata
        flag = ", ".join([*about.get("flags", ()), "--" + item.name.replace("_", "-")])
        choices = f" ({'|'.join(about['choices'])})" if about.get("choices") else ""
        default = f" [{item.default}]" if item.default not in ("", None, MISSING) else ""
        lines.append(f"  {flag:<24} {about.get('help', '')}{choices}{default}")
    return "\n".join(lines)


def _convert(kind: type, text: Any) -> Any:
    if kind is bool:
        words = {
            "true": True,
            "yes": True,
            "on": True,
            "1": True,
            "false": False,
            "no": False,
            "off": False,
            "0": False,
        }
        if str(text).lower() not in words:
            raise ValueError
        return words[str(text).lower()]
    if kind is int:
        return int(str(text).replace("_", "")) if not _is_whole(text) else int(float(text))
    if kind is float:
        value = float(text)
        if not math.isfinite(value):
            raise ValueError
        return value
    return str(text)


def _is_whole(text: Any) -> bool:
    """`1e3` is a whole number too."""
    try:
        return float(text).is_integer() and "e" in str(text).lower()
    except (ValueError, OverflowError):
        return False


def _type(kind: type[Plain], key: str) -> type:
    found = typing.get_type_hints(kind)[key]
    return found if isinstance(found, type) else str


def _spellings(kind: type[Plain]) -> dict[str, str]:
    found = {}
    for item in fields(kind):
        for flag in ("--" + item.name, *item.metadata.get("flags", ())):
            found[flag] = item.name
    return found


def _size(kind: type[Plain], word: str) -> tuple[str, str]:
    size = {item.name: item for item in fields(kind)}.get("size")
    choices = tuple(kind.SIZES) or (size.metadata.get("choices", ()) if size else ())
    if size is None or word not in choices:
        hint = _closest(word, choices) if choices else f"write a setting as name=value: {word}=…"
        raise BadSetting(f"`{word}` is not a setting", hint)
    return "size", word


def _value_after(item: Field[Any], rest: list[str], kind: type) -> str:
    """The next word, unless the flag means something alone."""
    bare = "true" if kind is bool else item.metadata.get("bare")
    following = rest[0] if rest else None
    takes = following is not None and (not following.startswith("-") or following[1:2] in tuple("0123456789."))
    if kind is bool:
        takes = takes and str(following).lower() in ("true", "false", "yes", "no", "on", "off", "0", "1")
    if takes and bare is not None and "=" in str(following) and not os.path.exists(str(following)):
        takes = False
    if takes:
        return rest.pop(0)
    if bare is None:
        raise BadSetting(f"`{item.name}` needs a value")
    return str(bare)


def _closest(word: str, choices: Sequence[str] | Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(word.replace("-", "_"), list(choices), n=1) or difflib.get_close_matches(
        word, list(choices), n=1
    )
    return f"did you mean `{close[0]}`?" if close else "choose one of: " + ", ".join(choices)


def _show(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
