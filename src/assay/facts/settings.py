"""The settings of a run as they were stated: by its command line, a file named there, `--env`, `--param`, its source.

They are claims. What the program made of them, only its output can show.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.core.commandline import LAUNCHERS, MODULE_FLAGS, Line, pairs, read, split_arguments
from assay.facts.configs import MOST_BYTES, Config, configs_of, parsed, values_of, written_since
from assay.facts.declarations import Declared, declared_by
from assay.facts.secrets import MASK, mask_values
from assay.model.request import Request
from assay.model.summary import DEFAULT
from assay.model.values import NOTHING, Value
from assay.quantities import constant_name, named, settings
from assay.spec import typed

COMMAND, PARAM, ENV, STUDY = "command", "--param", "--env", "study"
#: a word on a command line that may be a setting: a number, several of them, or a name
_WORD = re.compile(r"[-+]?[.\d][\w.,+-]{0,40}|[A-Za-z][\w-]{0,30}")
_MOST_WORDS = 8
#: such a word by its place, where the script does not name it
ARGUMENT = "argument_"
#: launchers whose -n and -N count tasks and nodes
_PARALLEL = frozenset({"srun", "mpirun", "mpiexec", "aprun", "jsrun", "horovodrun"})
_COUNTED = {flag: one.name for one in settings() for flag in one.flags if flag.lower() in ("-n", "-np")}
_SHORT = {flag: one.name for one in settings() for flag in one.flags if flag not in _COUNTED}
#: of what a launcher is told: this, beside the settings of the table
_OF_LAUNCHERS = (
    "mixed_precision",
    "num_processes",
    "num_machines",
    "num_gpus",
    "gpus",
    "gpus_per_node",
    "cpus_per_task",
)
#: their `bs` is the size of a block
_OTHER_TABLES = ("dd", "fio")
#: `eval.batch_size` is not the batch size
_ANOTHER = frozenset(["eval", "test", "val", "valid", "validation", "inference", "infer", "predict", "generation"])
_LONGEST_VALUE = 200
_MOST = 300


@dataclass(frozen=True, kw_only=True)
class Stated:
    """`claims` by name, each with where it was said in `sources`."""

    claims: Mapping[str, Value] = NOTHING
    sources: Mapping[str, str] = NOTHING
    configs: tuple[Config, ...] = ()


def stated(
    command: Sequence[str],
    cwd: Path,
    *,
    params: Mapping[str, Value] = NOTHING,
    env: Mapping[str, str] = NOTHING,
    said_by: str = PARAM,
) -> Stated:
    """The settings of a command, with secrets masked: from its words first, then from --param, then from files. The
    settings of a study come before all of these.
    """
    line = read(command)
    configs = configs_of(line, cwd)
    declared = declared_by(script_of(line, cwd))
    constants = {name for name, _ in line.constants}
    named = (said_by, {constant_name(name) if name in constants else name: one for name, one in params.items()})
    books: list[tuple[str, dict[str, Value]]] = [
        (
            COMMAND,
            _by_name(_said(line, {one.path for one in configs}, declared, None if params else cwd), line.program),
        ),
        (ENV, _by_name(_variables(env.items()), "")),
        named,
        *((f"config {one.path}", _by_name(one.values.items(), "")) for one in configs),
    ]
    claims: dict[str, Value] = {}
    sources: dict[str, str] = {}
    for source, book in [named, *books] if said_by == STUDY else books:
        for name, value in mask_values(book).items():
            if name not in claims and MASK not in str(value) and len(claims) < _MOST:
                claims[name], sources[name] = value, source
    given = {name.lower() for name in claims}
    for name, (value, place) in _defaults(declared).items():
        if name.lower() not in given and MASK not in str(value) and len(claims) < _MOST:
            claims[name], sources[name] = value, DEFAULT + place
    return Stated(claims=claims, sources=sources, configs=configs)


def script_of(line: Line, cwd: Path) -> Path:
    """The Python file that a command runs, as far as its words say."""
    if line.before[-1:] and line.before[-1] in MODULE_FLAGS:
        path = cwd / line.program.replace(".", "/")
        return path / "__main__.py" if path.is_dir() else path.with_name(path.name + ".py")
    return cwd / line.program


def _defaults(declared: Declared) -> dict[str, tuple[Value, str]]:
    """(value, place) by name, without secrets."""
    own = {_own_name(name): one for name, one in declared.defaults.items()}
    named = _by_name(((name, name) for name in own), "")
    values = mask_values({name: own[str(before)].value for name, before in named.items()})
    return {name: (value, own[str(named[name])].place) for name, value in values.items()}


def written_by_hydra(command: Sequence[str], cwd: Path, begin_t: float) -> tuple[str, dict[str, Value]] | None:
    """(file, settings) that Hydra wrote down when the program began; None where there is no such file."""
    line = read(command)
    given = dict(pairs(line.arguments))
    folder = given.get("hydra.run.dir")
    path = written_since(cwd, folder if isinstance(folder, str) else None, begin_t)
    if path is None:
        return None
    tree = parsed(path.read_bytes()[:MOST_BYTES], "yaml", path.name)
    return os.path.relpath(path, cwd), _by_name(values_of(tree).items(), "")


def contradicted(asked: Request) -> dict[str, tuple[Value, Value, str]]:
    """Each setting of --param that the command states otherwise: (by --param, by the command, where that is said)."""
    if asked.study is not None:
        return {}
    return {
        name: (value, asked.claims[name], asked.claim_sources[name])
        for name, value in asked.params.items()
        if asked.claim_sources.get(name) in (COMMAND, ENV) and not same_value(asked.claims[name], value)
    }


def same_value(one: Value, other: Value) -> bool:
    """`32`, `32.0` and `"32"` are one value; `True` and `true` are."""
    return one == other or str(typed(str(one))).lower() == str(typed(str(other))).lower()


def _said(line: Line, files: set[str], declared: Declared, cwd: Path | None) -> Iterator[tuple[str, Value]]:
    """By the names that the program knows them by. What a file says that is read is said by itself. Without `cwd`,
    words that stand alone are left out: someone has named what they mean."""
    yield from _variables((*line.variables, *line.constants))
    yield from _of_launchers(line.before)
    bare = 0
    for flag, value in split_arguments(line.arguments, declared.switches):
        if value in files:
            continue
        if not flag:
            bare += 1
            if cwd is not None and _is_word(str(value), cwd) and bare <= _MOST_WORDS:
                yield dict(enumerate(declared.positional, 1)).get(bare) or f"{ARGUMENT}{bare}", typed(str(value))
            continue
        name = _own_name(declared.long(flag) or _SHORT.get(flag) or flag)
        if isinstance(value, bool) and name.startswith("no_") and len(name) > len("no_"):
            yield name[len("no_") :], False
        elif isinstance(value, bool) or _is_setting(flag, value):
            yield name, value if isinstance(value, bool) else typed(value)


def _is_word(text: str, cwd: Path) -> bool:
    """Whether a word that stands alone may be a setting, and is no file."""
    return _WORD.fullmatch(text) is not None and not (cwd / text).exists()


def _variables(given: Iterable[tuple[str, str]]) -> Iterator[tuple[str, Value]]:
    for name, value in given:
        if _is_setting("--" + name, value):
            yield name, typed(value)


def _is_setting(flag: str, value: str) -> bool:
    """What a shell has yet to fill in is unknown."""
    return (
        bool(value) and len(value) <= _LONGEST_VALUE and "$" not in value and "`" not in value and value.isprintable()
    )


def _of_launchers(words: Sequence[str]) -> Iterator[tuple[str, Value]]:
    """`torchrun --nproc_per_node=4`, `srun -n 4`: how many there are, and nothing else."""
    part: list[str] = []
    launcher = ""
    for word in (*words, ""):
        name = word.rpartition("/")[2]
        if not word or LAUNCHERS.fullmatch(name):
            yield from _counts(launcher, part)
            launcher, part = name, []
        else:
            part.append(word)


def _counts(launcher: str, words: Sequence[str]) -> Iterator[tuple[str, Value]]:
    for flag, value in pairs(words):
        name = _COUNTED.get(flag) if launcher in _PARALLEL else None
        if name is None and flag.startswith("--") and (_known(_own_name(flag)) or _own_name(flag) in _OF_LAUNCHERS):
            name = _own_name(flag)
        if name is not None and isinstance(value, str) and _is_setting(flag, value):
            yield name, typed(value)


def _own_name(flag: str) -> str:
    return flag.lstrip("-+").replace("-", "_")


def _known(name: str) -> str | None:
    found = named(name)
    return found.name if found is not None and found.settable else None


def _by_name(given: Iterable[tuple[str, Value]], program: str) -> dict[str, Value]:
    """By the names of the table, where one of them alone goes by it; the last of those that are given twice."""
    own: dict[str, Value] = {}
    for name, value in given:
        own.pop(name, None)
        own[name] = value
    if program.rpartition("/")[2] in _OTHER_TABLES:
        return own
    owners: dict[str, list[str]] = {}
    for name in own:
        owners.setdefault(_table_name(name), []).append(name)
    chosen = {_owner(table, names): table for table, names in owners.items()}
    return {chosen.get(name, name): value for name, value in own.items()}


def _owner(table: str, names: Sequence[str]) -> str | None:
    """Which of several names stands for the one in the table: `lr` itself, or the one that is no part of something."""
    if len(names) == 1 or table in names:
        return table if table in names else names[0]
    return next((name for name in names if "." not in name), None)


def _table_name(name: str) -> str:
    """`learning_rate` and `optimizer.lr` are `lr`; a name that the table does not know stays as it is."""
    known = _known(name)
    head, _, last = name.rpartition(".")
    if known is None and head and not _ANOTHER.intersection(head.lower().split(".")):
        known = _known(last)
    return known or name
