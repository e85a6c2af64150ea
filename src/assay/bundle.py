"""The compiled modules of a start in one file, so that a recorder on a slow file system opens one file and not 250.

Python keeps a file for every module. On a shared file system each costs a trip to the server, on every node of a job.
Here they lie together, in the order in which a start needs them, in the folder where Python keeps its own. A module is
taken from here only while its source is unchanged, by the test that Python itself uses; in every other case, and where
the file cannot be written or read, modules are imported as usual.

A third of a start is Python compiling the methods that it writes for our dataclasses, the same text every time. What
that text was compiled to is kept here as well, by a hash of it.

Nothing may be imported here that Python has not loaded by itself.
"""

from __future__ import annotations

import _imp
import marshal
import os
import sys
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader, cache_from_source, spec_from_file_location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

    #: the source, the folder of sys.path that it was found in, its date and size, where its code lies and how long
    Entry = tuple[str, str, int, int, int, int]

#: enough for the first process to be forked while little is in memory
_HEAD_BYTES = 1 << 18
#: what it begins with: this, how long it is, and how long its index is
_TAG = MAGIC_NUMBER + b"assay start\n"
_FIRST = len(_TAG) + 16
#: so many modules have to be missing before it is written again
_MISSING = 8
#: a folder that changed less than this ago may change again without its date telling
_YOUNG_NS = 2_000_000_000
#: recorders start on every node, so their bundle holds only what they need
RECORDER, OTHERS = "recorder", "commands"
#: what is kept of texts: no module is called so
_TEXTS = " texts"
_MOST_TEXTS = 5000
_OTHERS = ("assay", "click", "yaml")
_INSTALLED = ("site-packages", "dist-packages")


class Bundle:
    """The file as one process sees it: `entries` by module name."""

    def __init__(self) -> None:
        self.file = _file(RECORDER)
        self.entries: dict[str, Entry] = {}
        self.facts: dict[str, bool] = {}
        self.learned: dict[str, str] = {}  # modules that another process of ours had to load, and their sources
        self.texts: dict[tuple[int, bytes], CodeType] | None = None  # read when the first is needed
        self._new_texts = 0
        self._data, self._fd = b"", -1
        self._before = frozenset(sys.modules)
        self._paths: frozenset[str] = frozenset()
        self._header = _header()

    def open(self) -> None:
        """Read its beginning, where it fits this Python and what is installed."""
        try:
            self._fd = os.open(self.file, os.O_RDONLY | os.O_CLOEXEC)
            self._data = os.read(self._fd, _HEAD_BYTES)
            size, length = (int.from_bytes(self._data[at : at + 8], "little") for at in (len(_TAG), len(_TAG) + 8))
            if not self._data.startswith(_TAG) or size != os.fstat(self._fd).st_size or _FIRST + length > size:
                raise EOFError
            while len(self._data) < _FIRST + length:
                self._data += os.read(self._fd, length)
            header, facts, entries = marshal.loads(self._data[_FIRST : _FIRST + length])
            if header == self._header:
                self.entries, self.facts = entries, facts
        except (OSError, ValueError, EOFError, TypeError):
            pass
        if not self.entries:
            self.close()
        self._paths = frozenset(sys.path)

    def close(self) -> None:
        """Read the rest: from here on nothing depends on the file."""
        if self._fd >= 0:
            try:
                while self.entries and (more := os.read(self._fd, 1 << 22)):
                    self._data += more
            except OSError:
                pass
            self.let_go()

    def let_go(self) -> None:
        """Close the file, in a process that needs no more of it."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Called by Python's import system: a module that is in the bundle and whose source is unchanged."""
        entry = self.entries.get(name)
        if entry is None or entry[1] not in self._paths:
            return None
        if _stamp(entry[0]) != entry[2:4]:
            del self.entries[name]  # its source has changed: it is among those to be written again
            return None
        inside = [os.path.dirname(entry[0])] if entry[0].endswith("__init__.py") else None
        return spec_from_file_location(
            name, entry[0], loader=_Loader(name, entry[0]), submodule_search_locations=inside
        )

    def code(self, name: str) -> CodeType | None:
        try:
            found: CodeType = marshal.loads(self._blob(name))
        except (OSError, ValueError, EOFError, TypeError):
            return None
        return found

    def _blob(self, name: str) -> bytes:
        *_, place, size = self.entries[name]
        beyond = place + size > len(self._data) and self._fd >= 0
        return os.pread(self._fd, size, place) if beyond else self._data[place : place + size]

    def run(self, text: str, scope: dict[str, object] | None = None, names: dict[str, object] | None = None) -> None:
        """What `exec` does for dataclasses, with what the same text was compiled to before."""
        if self.texts is None:
            self.texts = self._read_texts()
        key = len(text), _imp.source_hash(0, text.encode("utf-8", "surrogatepass"))
        code = self.texts.get(key)
        if code is None:
            code = self.texts[key] = compile(text, "<string>", "exec", dont_inherit=True)
            self._new_texts += 1
        exec(code, sys.modules["dataclasses"].__dict__ if scope is None else scope, names)

    def _read_texts(self) -> dict[tuple[int, bytes], CodeType]:
        try:
            found = marshal.loads(self._blob(_TEXTS)) if _TEXTS in self.entries else {}
        except (OSError, ValueError, EOFError, TypeError):
            return {}
        return found if isinstance(found, dict) and len(found) < _MOST_TEXTS else {}

    def missing(self) -> dict[str, str]:
        """Modules that had to be loaded one by one, and their sources."""
        found = {
            name: source
            for name, module in list(sys.modules.items())
            if name not in self.entries and name not in self._before and (source := _source(name, module))
        }
        return {**found, **{name: one for name, one in self.learned.items() if name not in self.entries}}

    def keep(self) -> None:
        """Rewrite it if much is missing; if that fails, the next start is only as slow as this one."""
        missing = self.missing()
        if (
            len(missing) + self._new_texts < _MISSING
            or sys.dont_write_bytecode
            or not os.access(os.path.dirname(self.file), os.W_OK)
        ):
            return
        header = _header()
        if header != self._header or not _are_old(header[3]):
            return  # something was installed since this process began, or only just now
        try:
            self._write(header, missing)
        except (OSError, ValueError, KeyboardInterrupt):
            pass

    def _write(self, header: Header, missing: dict[str, str]) -> None:
        parts = [(name, entry[:4], self.code(name)) for name, entry in self.entries.items() if name != _TEXTS]
        parts += [(name, entry, code) for name, entry, code in _compiled(missing)]
        blobs = [(name, entry, marshal.dumps(code)) for name, entry, code in parts if code is not None]
        texts = self._read_texts() if self.texts is None else self.texts
        blobs += [(_TEXTS, ("", "", 0, 0), marshal.dumps(texts))] if texts else []
        index, length = b"", -1
        while len(index) != length:  # the places depend on how long the index is
            length, place = len(index), _FIRST + len(index)
            entries = {}
            for name, entry, blob in blobs:
                entries[name] = (*entry, place, len(blob))
                place += len(blob)
            index = marshal.dumps((header, self.facts, entries))
        lengths = place.to_bytes(8, "little") + length.to_bytes(8, "little")
        _replace(self.file, [_TAG, lengths, index, *(blob for _, _, blob in blobs)])


class _Loader(SourceFileLoader):
    """Python's own, but that the code is here already."""

    def get_code(self, fullname: str) -> CodeType | None:
        return BUNDLE.code(fullname) or super().get_code(fullname)

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        if module.__name__ == "dataclasses":  # it compiles what it writes by this name
            module.__dict__["exec"] = BUNDLE.run


if TYPE_CHECKING:
    Header = tuple[bytes, str, int, tuple[tuple[str, int], ...], str]


def _file(of: str) -> str:
    return os.path.join(os.path.dirname(cache_from_source(__file__)), f"{of}.{sys.implementation.cache_tag}")


def _header() -> Header:
    """What the file must have been made for: this Python, folders in which nothing was installed since, and a package
    that lies where it lay: of a copy, the modules are its own."""
    return MAGIC_NUMBER, sys.version, sys.flags.optimize, tuple((one, _date(one)) for one in folders()), __file__


def folders() -> list[str]:
    """Where packages are installed, as far as that does not depend on the folder or variables of this start."""
    theirs = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    standard = os.path.dirname(os.__file__)
    return [one for one in sys.path if one == standard or (one.endswith(_INSTALLED) and one not in theirs)]


def _are_old(dates: Iterable[tuple[str, int]]) -> bool:
    import time

    return all(date < time.time_ns() - _YOUNG_NS for _, date in dates)


def _date(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _source(name: str, module: ModuleType) -> str | None:
    """The path of a module of ours, of the standard library, or of the few packages that every start needs."""
    spec: ModuleSpec | None = getattr(module, "__spec__", None)
    if spec is None or spec.name != name or not isinstance(spec.loader, SourceFileLoader):
        return None
    top = name.partition(".")[0]
    return spec.origin if top in _OTHERS or top in sys.stdlib_module_names else None


def _compiled(missing: dict[str, str]) -> Iterator[tuple[str, tuple[str, str, int, int], CodeType]]:
    """Each with what it was compiled from."""
    for name, source in missing.items():
        folder = source[: len(source) - len("/__init__.py")] if source.endswith("/__init__.py") else source
        for _ in name.split("."):
            folder = os.path.dirname(folder)
        stamp = _stamp(source)
        try:
            code = SourceFileLoader(name, source).get_code(name)
        except (ImportError, OSError, SyntaxError):
            continue
        if stamp is not None and code is not None and stamp == _stamp(source):
            yield name, (source, folder, *stamp), code


def _replace(file: str, parts: list[bytes]) -> None:
    """Whole or not at all."""
    beside = f"{file}.{os.getpid()}"
    fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with open(fd, "wb") as out:
            out.writelines(parts)
            out.flush()
            os.fsync(fd)
        os.replace(beside, file)
    except OSError:
        os.unlink(beside)
        raise


BUNDLE = Bundle()


def begin(of: str = RECORDER) -> None:
    """From here on, modules come from the bundle where it has them."""
    BUNDLE.file = _file(of)
    BUNDLE.open()
    sys.meta_path.insert(0, BUNDLE)
