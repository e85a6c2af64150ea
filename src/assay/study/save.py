"""Write the study of a command line as a file, which does the same when `assay study` runs it."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from assay.errors import UsageError
from assay.facts.secrets import mask_arguments, mask_values
from assay.spec import typed
from assay.study.file import Study


def check_free(path: Path) -> None:
    """A study that is there is never written over: its runs would be of another file."""
    if path.exists():
        hint = f"run it with `assay study {shlex.quote(str(path))}`, or save under another name"
        raise UsageError(f"`{path}` already exists", hint)


def save(study: Study, path: Path) -> None:
    """Paths in it are as seen from its own folder."""
    check_free(path)
    here = path.absolute().parent
    value = {"study": study.name} | {key: one for key, one in study.document.value.items() if key != "study"}
    folder = os.path.relpath(study.cwd, here.resolve())
    value.pop("cwd", None)
    if folder != os.curdir:
        value["cwd"] = folder
    if study.config is not None:
        value["config"] = {"file": os.path.relpath(study.config.path, here)}
    if mask_arguments(study.command) != list(study.command) or mask_values(study.env) != dict(study.env):
        message = "the command or its environment contains what looks like a secret, which the file would keep"
        raise UsageError(message, "pass it to the program in an environment variable, or leave out --save")
    try:
        text = _text(value)
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except UnicodeEncodeError:
        raise UsageError("the command contains text that is not UTF-8, so it cannot be saved") from None
    except OSError as problem:
        raise UsageError(f"cannot write `{path}`: {problem.strerror}") from None


def _text(value: dict[str, object]) -> str:
    import yaml

    class Dumper(yaml.SafeDumper):
        """Text that would be read as a number, or as nothing, stands in quotes."""

        def ignore_aliases(self, data: object) -> bool:
            return True

    def words(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        plain = isinstance(typed(text), str) and text not in ("", "~", "null")
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if plain else '"')

    Dumper.add_representer(str, words)
    head = "# Written by `assay run --save`: `assay study FILE` does the same, or continues where it stopped.\n"
    return head + yaml.dump(
        value, Dumper=Dumper, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120
    )
