"""How the code of two runs differs: a unified diff of the files that were kept with them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from assay.differing.values import CodeChange, FileChange
from assay.model.code import Code, CodeFile
from assay.model.request import Request
from assay.store.code import text_of
from assay.store.layout import RunDir

#: comparing texts of more lines than this takes longer than anyone waits
_MOST_LINES = 20_000


def code_change(a: tuple[RunDir, Request], b: tuple[RunDir, Request]) -> CodeChange:
    """What changed in the code; of runs recorded before hashes existed, only the script is compared."""
    (run_a, asked_a), (run_b, asked_b) = a, b
    files_a, files_b = _files(asked_a), _files(asked_b)
    code_a, code_b = asked_a.code, asked_b.code
    if not files_a or not files_b:
        return CodeChange(same=None, a=code_a, b=code_b, problem=_unknown(files_a, files_b))
    if _same(code_a, code_b, files_a, files_b):
        return CodeChange(same=True, a=code_a, b=code_b)
    texts_a, texts_b = _Texts(run_a, asked_a), _Texts(run_b, asked_b)
    changes = []
    for path, one, two in _pairs(files_a, files_b):
        if one is None or two is None or one.sha256 != two.sha256:
            changes.append(_change(path, texts_a.of(one), texts_b.of(two), removed=two is None, added=one is None))
    return CodeChange(same=False, a=code_a, b=code_b, files=tuple(changes))


def _files(asked: Request) -> dict[str, CodeFile]:
    """By path; the script under its own name, whatever the other run's is called."""
    if asked.code is not None and asked.code.files:
        return {file.path: file for file in asked.code.files}
    if asked.script is not None and asked.script.path and asked.script.sha256:
        name = asked.script.path.rsplit("/", 1)[-1]
        return {name: CodeFile(path=name, sha256=asked.script.sha256, kept=asked.script.text is not None)}
    return {}


def _pairs(
    a: Mapping[str, CodeFile], b: Mapping[str, CodeFile]
) -> Iterator[tuple[str, CodeFile | None, CodeFile | None]]:
    """Files of one path; a script that was renamed, or another one, is compared with the script of the other run."""
    script_a, script_b = next(iter(a)), next(iter(b))
    renamed = script_a not in b and script_b not in a
    if renamed:
        yield f"{script_a} → {script_b}", a[script_a], b[script_b]
    for path in dict.fromkeys([*a, *b]):
        if not renamed or path not in (script_a, script_b):
            yield path, a.get(path), b.get(path)


def _same(a: Code | None, b: Code | None, files_a: Mapping[str, CodeFile], files_b: Mapping[str, CodeFile]) -> bool:
    if a is not None and b is not None and a.hash and b.hash:
        return a.hash == b.hash
    shared = files_a.keys() & files_b.keys()  # an older run knows its script alone
    return bool(shared) and all(files_a[path].sha256 == files_b[path].sha256 for path in shared)


def _unknown(files_a: Mapping[str, CodeFile], files_b: Mapping[str, CodeFile]) -> str:
    if not files_a and not files_b:
        return "unknown for both runs"
    return "unknown for the first run" if not files_a else "unknown for the second run"


class _Texts:
    """The texts of one run's code."""

    def __init__(self, run: RunDir, asked: Request) -> None:
        self._run, self._asked = run, asked

    def of(self, file: CodeFile | None) -> str | None:
        if file is None:
            return ""
        script = self._asked.script
        if script is not None and script.text is not None and script.sha256 == file.sha256:
            return script.text
        return text_of(self._run, file)


def _change(path: str, a: str | None, b: str | None, *, removed: bool, added: bool) -> FileChange:
    kind = "removed" if removed else "added" if added else "changed"
    if a is None or b is None:
        return FileChange(path=path, kind=kind, problem="its text was not kept, or is for its owner alone")
    old, new = a.splitlines(), b.splitlines()
    if len(old) + len(new) > _MOST_LINES:
        return FileChange(path=path, kind=kind, problem=f"too long to compare ({len(old):,} and {len(new):,} lines)")
    lines = list(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm=""))
    if not lines:
        return FileChange(path=path, kind=kind, problem="it differs in what is masked, or in its line ends")
    return FileChange(path=path, kind=kind, diff="\n".join(lines))
