"""Find runs: all of a folder, one by a few letters, or those that meet a condition."""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from assay.errors import AssayError, UsageError, did_you_mean
from assay.model.code import Code
from assay.model.failure import Failure
from assay.model.summary import FIELDS, Summary
from assay.model.values import Value, number
from assay.quantities import named, settings
from assay.spec import runs_dir as usual_runs_dir
from assay.spec import safe_name, typed
from assay.store.files import try_read
from assay.store.folders import is_run, run_folders
from assay.store.job import is_job, job_id_of, read_id
from assay.store.layout import RunDir, id_of, is_stamp

T = TypeVar("T")
_CONDITION = re.compile(r"([\w.]+)\s*(!=|>=|<=|=|>|<|~)")
_SHORT = re.compile(r"\d{8}T\d{6}\.\d{3}-([a-z0-9]{6})$")
_JOB = re.compile(r"\d{1,12}(?:_\d{1,9}|\[\d{1,9}\])?(?:\.[\w.-]{1,80})?", re.ASCII)
#: characters: nobody types a longer condition
_LONGEST = 1000
#: as many names as fit into a hint
_FEW = 5


def list_runs(runs_dir: Path) -> list[RunDir]:
    """Every run of a folder, oldest first."""
    runs = [RunDir(runs_dir / name) for name in run_folders(runs_dir)]
    return sorted((run for run in runs if is_run(run.path)), key=lambda run: age(run.path.name))


def find_run(runs_dir: Path, word: str) -> RunDir:
    """By path, `last`, the number of its job, or the beginning of its name or id, as long as only one begins so."""
    if not word:
        raise UsageError("the name of the run is empty", "check whether a shell variable is unset")
    as_path = Path(os.path.realpath(word))
    if (os.sep in word or word in (".", "..")) and is_run(as_path):
        run = RunDir(as_path)  # a path may lead to the run through links
        run.asked()  # raises if it is not a run
        return run
    found = _named(runs_dir, word)
    if len(found) > 1:  # an exact name wins over names that begin with the word
        called = [run for run in found if _name(run) == word]
        found = called if len(called) == 1 else found
    if len(found) > 1:
        shown = ", ".join(_letters(run) or run.path.name for run in found[-5:])
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        raise AssayError(f"`{word}` matches {len(found)} runs", f"write one of these: {shown}{more}")
    return found[0]


def find_runs(runs_dir: Path, word: str) -> list[RunDir]:
    """Like `find_run`, but all runs whose name or id begins with the word: repeats share a name."""
    if not word or os.sep in word or word in (".", ".."):
        return [find_run(runs_dir, word)]
    return _named(runs_dir, word)


def _named(runs_dir: Path, word: str) -> list[RunDir]:
    """At least one: the run called exactly so, else all that begin so."""
    runs = list_runs(runs_dir)
    if not runs:
        raise AssayError(f"no runs in `{runs_dir}`", "make one: assay run -- COMMAND")
    if word == "last":
        return [last_of(runs)]
    word = _linked(runs_dir, word)
    found = _called(runs, word) or _of_job(runs, word) or [run for run in runs if _begins(run, word)]
    if not found:
        shown = word if len(word) < 100 else word[:100] + "…"
        names = [run.path.name for run in runs[-50:]]
        all_of_them = None if len(names) <= _FEW else f"list the runs: assay ls{_elsewhere(runs_dir)}"
        raise AssayError(f"no run called `{shown}` in `{runs_dir}`", did_you_mean(word[:100], names, all_of_them))
    return found


def _elsewhere(runs_dir: Path) -> str:
    """What a command needs to find a folder that is not the usual one."""
    return "" if usual_runs_dir() == runs_dir.absolute() else f" --runs-dir {runs_dir}"


def last_of(runs: Sequence[RunDir]) -> RunDir:
    """The run that was recorded last; where all were imported, the one that was read last."""
    recorded = [run for run in runs if is_recorded(run.path.name)]
    return recorded[-1] if recorded else max(runs, key=lambda run: read_s(run.path))


def is_recorded(folder: str) -> bool:
    """Whether a run was made here: its id is the time of its start. That of an import is a hash."""
    return is_stamp(id_of(folder))


def read_s(folder: Path) -> float:
    """When an import was read; 0 where that cannot be known."""
    try:
        return os.stat(folder / "run.json").st_mtime
    except OSError:
        return 0.0


def _linked(runs_dir: Path, word: str) -> str:
    """A link in the runs folder to a run in it is another name of that run."""
    target = os.path.realpath(runs_dir / word)
    return os.path.basename(target) if os.path.dirname(target) == os.path.realpath(runs_dir) else word


def is_whole(run: RunDir, word: str) -> bool:
    """Whether a word is all of a run's name, id, folder or path, and not only the beginning of one."""
    return word in ("last", run.path.name, run_id(run), _name(run)) or Path(word).absolute() == run.path


def _called(runs: Sequence[RunDir], word: str) -> list[RunDir]:
    """By its folder, its id, or the six letters that end both: they are short enough to be typed."""
    return [run for run in runs if word in (run.path.name, run_id(run), _letters(run))]


def _of_job(runs: Sequence[RunDir], word: str) -> list[RunDir]:
    """The runs of a job, by the scheduler's number of it."""
    if not _JOB.fullmatch(word):
        return []
    return [run for run in runs if is_job(read_id(run), word) or _ran_in(run, word)]


def _ran_in(run: RunDir, word: str) -> bool:
    """Whether it was recorded inside that job; most runs are passed over without reading all of their description."""
    number = re.split(r"[_.\[]", word)[0].encode()
    text = try_read(run.path, "run.json") or b""
    if number not in text or b'"scheduler"' not in text:
        return False
    try:
        return is_job(job_id_of(run, run.asked()), word)
    except AssayError:
        return False


def _letters(run: RunDir) -> str | None:
    found = _SHORT.search(run.path.name)
    return found[1] if found else None


def _begins(run: RunDir, word: str) -> bool:
    """No character is special: `rm1*` is a name with a star in it. A folder's name has odd signs replaced, so
    that the run is asked for its own."""
    if run.path.name.startswith(word) or run_id(run).startswith(word):
        return True
    plain = safe_name(word)
    return plain != word and run.path.name.startswith(plain) and _name(run).startswith(word)


def _name(run: RunDir) -> str:
    try:
        return run.asked().name
    except AssayError:
        return ""


def run_id(run: RunDir) -> str:
    """The id part of a folder name."""
    return id_of(run.path.name)


def age(folder: str) -> tuple[str, str]:
    """Sorts the oldest first."""
    return id_of(folder), folder


def condition(text: str) -> Callable[[Summary], bool]:
    """A test on summaries: `status=failed`, `batch_size>=512`, `params.lr<0.1`, `name~bert`."""
    name, sign, value = _parts(text)
    if not name:
        raise UsageError(
            f"`{text.strip()}` is not a condition", "write name=value, name>value, name~part; for example status=failed"
        )
    wanted, common = typed(value), _common_name(name)

    def holds(summary: Summary) -> bool:
        found = summary.value(name)
        found = summary.value(common) if found is None and common else found
        if isinstance(found, Code):  # a hash may look like a number, and its first letters will do
            return str(found).startswith(value) == (sign != "!=")
        if sign == "~":
            return value.lower() in str(found or "").lower()
        if sign in ("=", "!="):
            return _same(found, wanted) == (sign == "=")
        if isinstance(found, (int, float)) and isinstance(wanted, (int, float)):
            return bool(_ORDER[sign](found, wanted))
        return found is not None and bool(_ORDER[sign](str(found), str(wanted)))

    return holds


def _common_name(name: str) -> str | None:
    """`learning_rate>0.1` is about `lr`."""
    known = named(name)
    return known.name if known is not None and known.settable and known.name != name else None


def is_condition(text: str) -> bool:
    """Whether it has an operator behind a name."""
    return bool(_CONDITION.match(text.strip()[:_LONGEST]))


def field_of(text: str) -> str:
    """The field that a condition looks at."""
    return _parts(text)[0]


def _parts(text: str) -> tuple[str, str, str]:
    """(field, operator, value), all empty if the text is not a condition."""
    if len(text) > _LONGEST:
        raise UsageError(f"a condition of {len(text):,} characters is too long", f"write at most {_LONGEST:,}")
    bare = text.strip()
    found = _CONDITION.match(bare)
    return (found.group(1), found.group(2), bare[found.end() :].strip()) if found else ("", "", "")


_ORDER = {">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le}


def _same(found: object, wanted: Value) -> bool:
    if isinstance(found, tuple):
        return any(one == wanted or str(one) == str(wanted) for one in found)
    if isinstance(found, Failure):
        return wanted in (found.code, found.message)
    if isinstance(wanted, bool) != isinstance(found, bool):  # `warmup=1` of a client is not `warmup=true`
        return str(found) == str(wanted)
    return bool(found == wanted) or str(found) == str(wanted)


def chosen(summaries: Sequence[Summary], conditions: Sequence[str]) -> list[Summary]:
    """Those that meet all conditions."""
    tests = [condition(text) for text in conditions]
    for text in conditions:
        _check_field(field_of(text), summaries)
    return [summary for summary in summaries if all(test(summary) for test in tests)]


def _check_field(name: str, summaries: Sequence[Summary]) -> None:
    """A field that no run could have is a slip; one that none happens to have is not."""
    if not summaries or "." in name or name in FIELDS or named(name) is not None:
        return
    if all(summary.value(name) is None for summary in summaries):
        known = {field for summary in summaries for field in summary.names} | FIELDS
        known |= {word for one in settings() for word in (one.name, *one.spellings)}
        raise UsageError(
            f"no run here has a field `{name}`", did_you_mean(name, known, "list every field: assay ls --json")
        )


def running_first(items: Sequence[T], status_of: Callable[[T], str | None]) -> list[T]:
    """Running and queued ones first; the order is kept otherwise."""
    return sorted(items, key=lambda one: status_of(one) not in ("running", "queued"))


def ordered(items: Sequence[T], value_of: Callable[[T], object], *, backwards: bool = False) -> list[T]:
    """By number where all values are numbers, else as text; those without one come last, whichever way."""
    known = [(value, item) for item in items if (value := value_of(item)) is not None]
    numbers = all(number(value) is not None for value, _ in known)
    known.sort(key=lambda pair: (number(pair[0]) or 0.0, "") if numbers else (0.0, str(pair[0])), reverse=backwards)
    return [item for _, item in known] + [item for item in items if value_of(item) is None]
