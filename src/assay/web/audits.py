"""The audit of all runs, by the command itself: the page and `assay audit` say the same.

It runs in a separate process, because auditing hundreds of runs would keep everyone else waiting.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from assay.auditing.rules import RULES
from assay.errors import AssayError
from assay.model.finding import SEVERITIES
from assay.web.folder import Entry

_PATIENCE_S = 600.0
_MOST_OF_CAUSE = 50


class Audits:
    """One at a time; what was judged is kept until a run comes or changes."""

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self._lock = threading.Lock()
        self._kept: dict[int, tuple[object, list[dict[str, object]]]] = {}
        self._working: set[int] = set()
        self._problem = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def close(self) -> None:
        """End the audit that is running: nobody waits for it any more."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.kill()

    def get(self, limit: int, folders: Sequence[str], stamp: object) -> list[dict[str, object]] | None:
        """The findings about these runs; None while the audit is running."""
        with self._lock:
            kept = self._kept.get(limit)
            if kept is not None and kept[0] == stamp:
                return kept[1]
            if self._problem:
                problem, self._problem = self._problem, ""
                raise AssayError("The audit failed", problem)
            if limit not in self._working:
                self._working.add(limit)
                threading.Thread(target=self._work, args=(limit, list(folders), stamp), daemon=True).start()
            # what it said before is better than nothing while it looks again
            return kept[1] if kept is not None else None

    def _work(self, limit: int, folders: list[str], stamp: object) -> None:
        try:
            found = self._judge(folders) if folders else []
            with self._lock:
                self._kept[limit] = (stamp, found)
        except (OSError, ValueError, subprocess.SubprocessError) as problem:
            with self._lock:
                self._problem = str(problem)[:300]
        finally:
            with self._lock:
                self._working.discard(limit)

    def _judge(self, folders: list[str]) -> list[dict[str, object]]:
        paths = [str((self._runs_dir / name).absolute()) for name in folders]
        # what is being measured on this machine goes first
        first = ["nice", "-n", "10"] if shutil.which("nice") else []
        words = [*first, sys.executable, "-m", "assay", "audit", "--json", "--runs-dir", str(self._runs_dir.absolute())]
        words += paths
        code, out, errors = self._run(words)
        found = json.loads(out or b"null")
        if not isinstance(found, list):
            raise ValueError(errors.decode("utf-8", "replace").strip() or f"exit {code}")
        return found

    def _run(self, words: list[str]) -> tuple[int, bytes, bytes]:
        """Exit code, output and errors of a command that `close` may end."""
        pipe = subprocess.PIPE
        with self._lock:
            if self._closed:
                return 0, b"[]", b""
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, cwd="/")
            self._process = process
        with process:
            try:
                out, errors = process.communicate(timeout=_PATIENCE_S)
            finally:
                process.kill()
        return process.returncode, out, errors


def causes(findings: Sequence[Mapping[str, object]], known: Mapping[str, Entry]) -> list[dict[str, object]]:
    """Findings by what causes them, the gravest and most frequent first; each with the runs that it is about."""
    found: dict[str, list[dict[str, object]]] = {}
    sources = _by_source(known.values())
    for one in findings:
        found.setdefault(str(one.get("code")), []).append({**one, "runs": _runs(one, known, sources)})
    says = {rule.code: rule.says for rule in RULES}
    made = []
    for code, alike in found.items():
        alike.sort(key=_gravity)
        cause = {"severity": alike[0].get("severity"), "code": code, "says": says.get(code, ""), "count": len(alike)}
        made.append((_gravity(alike[0]), -len(alike), {**cause, "findings": alike[:_MOST_OF_CAUSE]}))
    return [cause for _, _, cause in sorted(made, key=lambda one: one[:2])]


def _gravity(finding: Mapping[str, object]) -> int:
    return SEVERITIES.index(str(finding.get("severity")))


def _by_source(known: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Runs by what evidence of theirs is called: the folder, or the output of a run by its name."""
    found: dict[str, list[Entry]] = {}
    for one in known:
        for source in (one.listed.folder, f"{one.listed.lean.name} output.log"):
            found.setdefault(source, []).append(one)
    return found


def _runs(
    finding: Mapping[str, object], known: Mapping[str, Entry], sources: Mapping[str, Sequence[Entry]]
) -> list[dict[str, str]]:
    """By the id that it names, else by the sources of its evidence."""
    entry = known.get(str(finding.get("run")))
    if entry is not None:
        return [{"folder": entry.listed.folder, "name": entry.listed.lean.name}]
    evidence = finding.get("evidence")
    proofs = evidence if isinstance(evidence, (list, tuple)) else []
    named = dict.fromkeys(Path(str(proof.get("source"))).name for proof in proofs)
    found = [sources[name][0].listed for name in named if len(sources.get(name, ())) == 1]  # not of two of one name
    return [{"folder": listed.folder, "name": listed.lean.name} for listed in found]
