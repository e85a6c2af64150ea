"""The set-up lines of a place, proved: the first one that fails ends the job, and nothing is measured without it.

Each line runs in the job's own shell, so that what it sets stays set. What it prints is kept until it has succeeded.
"""

from __future__ import annotations

import shlex
import subprocess
from functools import lru_cache

from assay.launchers.places import Place
from assay.model.request import PlaceFacts

_PATIENCE_S = 10.0
#: a set-up may use any name, so ours begin with `assay_`; 129, 130 and 143 mean that the job was told to end
_HEAD = """\
assay_said="$(mktemp 2>/dev/null)" || assay_said=/dev/null
assay_setup_ends() {{
  trap - EXIT TERM INT HUP
  set +eu
  case "$1" in 129 | 130 | 143) assay_code=$1 ;; *)
    assay_code=125
    ( umask go-w; {{ echo "$1 $assay_at"; tail -c 2000 "$assay_said"; }} > {job}/setup-failed )
    echo "assay: set-up line $assay_at failed with exit code $1" >&2 ;;
  esac
  cat "$assay_said" >&2
  [ "$assay_said" = /dev/null ] || rm -f "$assay_said"
  {leave}
  exit "$assay_code"
}}
trap 'assay_setup_ends $?' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM"""
#: in no function: what a file declares that is sourced there would be gone afterwards
_LINE = """\
assay_at={at}
eval {line} > "$assay_said" 2>&1 && assay_passed=0 || assay_passed=$?
[ "$assay_passed" = 0 ] || exit "$assay_passed"
cat "$assay_said" >&2"""
#: old releases of the `module` command complain and exit with 0
_MODULE = """\
grep -Eqs ':ERROR:|has detected the following error|Unable to locate a modulefile' "$assay_said" && exit 1"""
_TAIL = """\
trap - TERM INT HUP
[[ "$(trap -p EXIT)" != *assay_setup_ends* ]] || trap - EXIT
set +eu
[ "$assay_said" = /dev/null ] || rm -f "$assay_said\""""


def setup_lines(place: Place, job: str, leave: str = ":") -> list[str]:
    """Lines of shell, none where nothing is set up. `job` is the job's folder, quoted; `leave` notes `$assay_code`."""
    lines = _whole(commands(place))
    if not lines:
        return []
    found = [_HEAD.format(job=job, leave=leave)]
    for at, line in lines:
        found.append(_LINE.format(at=at, line=shlex.quote(line)))
        if "module" in line or line.startswith("ml "):
            found.append(_MODULE)
    return [*found, _TAIL]


def commands(place: Place) -> tuple[str, ...]:
    """What is run before the recorder, in order; a message names a line by its number here."""
    return (*(f"module load {shlex.quote(name)}" for name in place.modules), *place.setup)


def failed_line(place: PlaceFacts, at: int) -> str:
    """The line of that number, as the run keeps it, without secrets; empty where it is not kept."""
    lines = [*(f"module load {name}" for name in _words(place, "modules")), *_words(place, "setup")]
    return lines[at - 1] if 1 <= at <= len(lines) else ""


def _words(place: PlaceFacts, key: str) -> list[str]:
    given = place.extra.get(key)
    return [str(one) for one in given] if isinstance(given, (list, tuple)) else []


@lru_cache(maxsize=64)
def _whole(lines: tuple[str, ...]) -> list[tuple[int, str]]:
    """Each with the number it begins at; those that make sense only together (`if …`, `fi`) are one."""
    found: list[tuple[int, str]] = []
    begun, at = "", 1
    for number, line in enumerate(lines, 1):
        begun, at = (f"{begun}\n{line}", at) if begun else (line, number)
        if number == len(lines) or _is_whole(begun):
            found.append((at, begun))
            begun = ""
    return found


def _is_whole(text: str) -> bool:
    """As bash sees it, which runs nothing of it."""
    try:
        done = subprocess.run(
            ["bash", "-n"], input=text.encode(), capture_output=True, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return True
    return done.returncode == 0 and not done.stderr
