"""All summaries of a folder at once, with a cache that is only believed where the files are those it was made from.

The cache is one file in the runs folder, written beside and renamed: the last writer wins, and every reader checks
each entry against the run's own files. Deleting it costs one slow listing. Its first line says which runs it holds, the
second what a list shows of each, and each line after them is one whole summary: only what someone asks for is read.
"""

from __future__ import annotations

import gc
import json
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias, TypeVar

from assay.errors import AssayError
from assay.model.summary import VERSION, Summary
from assay.store.files import open_file
from assay.store.find import age, is_recorded, read_s
from assay.store.folders import is_run, run_folders
from assay.store.layout import RunDir
from assay.summary.build import load_summary, parse_summary

#: reading so few summaries takes no longer than reading a cache
_FEWEST = 200
#: so many entries have to be missing before it is written again
_MISSING = 50
#: a file that changed less than this ago may change again without its date telling
_YOUNG_NS = 2_000_000_000
_FORMAT = 3
_KIND = 0o170000
#: root can change everything anyway
_OWNERS = (0,)
NAME = ".index.json"
#: what can be had without reading whole summaries
LEAN = (
    "objective",
    "name", "id", "status", "how", "system", "device", "started", "dated", "params", "claims", "not_finite", "wall_s",
    "cpu_pct_mean", "memory_bytes_max", "gpu_util_pct_mean", "energy_j", "steps", "loss", "accuracy", "accuracy_of",
    "samples_per_s_own", "tokens_per_s", "output_tokens_per_s", "ttft_p50_ms", "e2e_p50_ms", "error",
    "job_id", "time_eff", "cpu_eff", "mem_eff",
)  # fmt: skip

#: of the folder: when it changed; of summary.json: when it changed, its size, its inode
Stamp: TypeAlias = list[int]


@dataclass(frozen=True, kw_only=True)
class _Short:
    """What a list shows of every run of the cache, row by row in `LEAN`'s order."""

    text: bytes

    @cached_property
    def rows(self) -> list[list[object]]:
        return [row for row in _parsed(self.text, list) or [] if isinstance(row, list)]


@dataclass(frozen=True, kw_only=True)
class Cached:
    """Where one run is in the cache: its row of the short ones, and its whole summary."""

    short: _Short
    place: int
    text: bytes
    checked: bool  # what was valid when we wrote it

    def summary(self) -> Summary | None:
        if not self.checked:
            return parse_summary(self.text)[0]
        found = _parsed(self.text, dict)
        return Summary.trusted(found) if found is not None else None


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A run: a few fields or its whole summary, when they are asked for."""

    runs_dir: Path
    folder: str
    read: Summary | None = None  # the summary, where the run itself was read
    cached: Cached | None = None

    @property
    def run(self) -> RunDir:
        return RunDir(self.runs_dir / self.folder)

    @cached_property
    def lean(self) -> Summary:
        """With the fields of `LEAN` at least."""
        if "summary" in self.__dict__ or self.cached is None:
            return self.summary
        try:
            values = self.cached.short.rows[self.cached.place]
            return Summary.trusted({name: one for name, one in zip(LEAN, values, strict=True) if one is not None})
        except (IndexError, TypeError, ValueError):
            return self.summary

    @cached_property
    def summary(self) -> Summary:
        if self.read is not None:
            return self.read
        return (self.cached.summary() if self.cached else None) or load_summary(self.run)


_Kept: TypeAlias = dict[str, tuple[Stamp, Listed]]
_Kind = TypeVar("_Kind", list[object], dict[str, object])


def load_all(
    runs_dir: Path, warn: Callable[[str], None], load: Callable[[RunDir], Summary] = load_summary
) -> list[Listed]:
    """Every run of a folder, oldest first. A run that cannot be read gives a warning, and the others are listed. `load`
    reads what is not in the cache.
    """
    kept, now_ns, where = _read(runs_dir), time.time_ns(), str(runs_dir)
    found: list[Listed] = []
    entries: _Kept = {}
    missing = 0
    for folder in run_folders(runs_dir):
        stamp, known = stamp_of(where, folder), kept.get(folder)
        if known is not None and known[0] == stamp:
            found.append(known[1])
            entries[folder] = known
            continue
        summary = _load(RunDir(runs_dir / folder), warn, load)
        if summary is None:
            continue
        found.append(Listed(runs_dir=runs_dir, folder=folder, read=summary))
        # what is young, or was changed while it was read, may change again unseen
        old = stamp is not None and max(stamp[:2]) < now_ns - _YOUNG_NS and stamp_of(where, folder) == stamp
        if stamp is not None and old:
            missing += 1
            entries[folder] = stamp, found[-1]
    if len(entries) >= _FEWEST and missing + len(kept.keys() - entries.keys()) >= _MISSING:
        _write(runs_dir, entries)
    return sorted(found, key=began)


def began(one: Listed) -> tuple[str, str]:
    """Sorts by start. An import goes by the first date of its log, else by when it was read, and with others that were
    read then by the number of its job."""
    if is_recorded(one.folder):
        return age(one.folder)
    dated = one.lean.started or one.lean.dated
    if dated is None:
        dated = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(read_s(one.runs_dir / one.folder)))
    job = re.sub(r"\d+", lambda number: number[0].zfill(12), one.lean.job_id or "")
    return re.sub("[-:]", "", dated), f"{job} {one.folder}"


def summaries(listed: Sequence[Listed], fields: Iterable[str] | None = None) -> list[Summary]:
    """The summaries of these runs; with only the `fields`, if no others are needed and the cache has them."""
    if fields is not None and set(fields) <= set(LEAN):
        return [one.lean for one in listed]
    unread = [one for one in listed if one.cached and one.cached.checked and "summary" not in one.__dict__]
    with no_collector():
        try:  # all in one go takes two thirds of the time of one by one
            wholes = json.loads(b"[" + b",".join([one.cached.text for one in unread if one.cached]) + b"]")
            for one, whole in zip(unread, wholes, strict=True):
                if isinstance(whole, dict):
                    one.__dict__["summary"] = Summary.trusted(whole)
        except (ValueError, RecursionError):
            pass  # a damaged one is found when it is asked for
        return [one.summary for one in listed]


@contextmanager
def no_collector() -> Iterator[None]:
    """Ten thousand runs make the garbage collector look at each of them again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def stamp_of(runs_dir: str, folder: str) -> Stamp | None:
    """What a cached summary is checked against; None for an active run, and for what is not a run."""
    try:
        outer = os.lstat(f"{runs_dir}/{folder}")  # changes when a file in it comes or goes
        inner = os.lstat(f"{runs_dir}/{folder}/summary.json")
    except OSError:
        return None
    if outer.st_mode & _KIND != stat.S_IFDIR or inner.st_mode & _KIND != stat.S_IFREG:
        return None
    return [outer.st_mtime_ns, inner.st_mtime_ns, inner.st_size, inner.st_ino]


def _load(run: RunDir, warn: Callable[[str], None], load: Callable[[RunDir], Summary]) -> Summary | None:
    if not is_run(run.path):
        return None
    try:
        return load(run)
    except AssayError as problem:
        warn(problem.message)
    except Exception as problem:  # whatever a file of one run holds, the others are listed
        warn(f"`{run.path}` cannot be read: {problem!r}")
    return None


def _read(runs_dir: Path) -> _Kept:
    """Nothing if there is no cache, or it has another version or is damaged."""
    try:
        with no_collector():
            with open_file(Path(os.path.realpath(runs_dir)), NAME) as file:
                foreign = os.fstat(file.fileno()).st_uid not in (*_OWNERS, os.geteuid())
                first, second, *texts = file.read().split(b"\n")
            # what someone else wrote is checked summary by summary: slower, and safe
            index, short = json.loads(first), _Short(text=b"" if foreign else second)
            if [index["v"], index["summary_v"], index["lean"]] != [_FORMAT, VERSION, list(LEAN)]:
                return {}
            kept: _Kept = {}
            for place, ((folder, stamp), text) in enumerate(zip(index["runs"], texts, strict=True)):
                cached = Cached(short=short, place=place, text=text, checked=not foreign)
                kept[folder] = stamp, Listed(runs_dir=runs_dir, folder=folder, cached=cached)
            return kept
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}


def _write(runs_dir: Path, entries: _Kept) -> None:
    """Write the cache; if that fails, the next listing is slow again."""
    runs = [[name, stamp] for name, (stamp, _) in entries.items()]
    short = [_row(one) for _, one in entries.values()]
    head = {"v": _FORMAT, "summary_v": VERSION, "lean": LEAN, "runs": runs}
    texts = [_text(one) for _, one in entries.values()]
    try:
        # a separate name for every writer, on any host
        handle, beside = tempfile.mkstemp(prefix=f"{NAME}.", dir=runs_dir)
        try:
            with open(handle, "wb") as file:
                file.write(b"\n".join([_encode(head), _encode(short), *texts]))
            os.chmod(beside, os.stat(runs_dir).st_mode & 0o644)
            os.replace(beside, runs_dir / NAME)
        except BaseException:
            os.unlink(beside)
            raise
    except OSError:
        pass


def _row(one: Listed) -> list[object]:
    raw = one.lean.as_json()
    return [raw.get(field) for field in LEAN]


def _text(one: Listed) -> bytes:
    """What someone else wrote is not passed on under our name."""
    if one.cached is not None and one.cached.checked:
        return one.cached.text
    return _encode(one.summary.as_json())


def _parsed(text: bytes, kind: type[_Kind]) -> _Kind | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, kind) else None


def _encode(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii")
