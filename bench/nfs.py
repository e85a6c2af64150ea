"""What a slow shared file system costs: each call that opens, looks at or renames a file takes 2 ms longer.

A small C library is preloaded into every process of ours (LD_PRELOAD). It delays open, stat, rename, mkdir and their
kin by `DELAY_US` below one folder, which holds the runs and, for a start, the installed package as on a cluster.
Run by `make bench`; needs gcc.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from restart import make_study
from table import PYTHON, row

DELAY_US = 2000
CELLS = int(os.environ.get("CELLS", "1000"))
#: each function as its header has it, and which argument is the path
DELAYED = (
    ("int", "open", "(const char *p, int f, int m)", "(p, f, m)"),
    ("int", "open64", "(const char *p, int f, int m)", "(p, f, m)"),
    ("int", "openat", "(int d, const char *p, int f, int m)", "(d, p, f, m)"),
    ("int", "openat64", "(int d, const char *p, int f, int m)", "(d, p, f, m)"),
    ("void *", "fopen64", "(const char *p, const char *m)", "(p, m)"),
    ("void *", "opendir", "(const char *p)", "(p)"),
    ("int", "stat", "(const char *p, void *s)", "(p, s)"),
    ("int", "stat64", "(const char *p, void *s)", "(p, s)"),
    ("int", "lstat64", "(const char *p, void *s)", "(p, s)"),
    ("int", "fstatat64", "(int d, const char *p, void *s, int f)", "(d, p, s, f)"),
    ("int", "rename", "(const char *p, const char *t)", "(p, t)"),
    ("int", "mkdir", "(const char *p, int m)", "(p, m)"),
    ("int", "unlink", "(const char *p)", "(p)"),
    ("int", "access", "(const char *p, int m)", "(p, m)"),
)
HEAD = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static void wait_for(const char *p) {
    const char *below = getenv("SLOW_BELOW");
    if (!below || !p || (p[0] == '/' && strncmp(p, below, strlen(below)))) return;
    struct timespec t = {0, atol(getenv("SLOW_US")) * 1000};
    nanosleep(&t, 0);
}
"""


def main() -> None:
    if shutil.which("gcc") is None:
        return row("on a slow file system", "needs gcc", None)
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as place:
        folder = Path(place)
        slow = {"LD_PRELOAD": str(_library(folder)), "SLOW_BELOW": place, "SLOW_US": str(DELAY_US)}
        package = folder / "site-packages"
        shutil.copytree(Path(__file__).parents[1] / "src", package, ignore=shutil.ignore_patterns("__pycache__"))
        ours = {**os.environ, "PYTHONPATH": str(package), "ASSAY_RUNS": str(folder / "few")}
        ours.pop("PYTHONDONTWRITEBYTECODE", None)
        study = make_study(folder, CELLS)
        many = ["--runs-dir", str(folder / "runs")]
        for name, words, starts in (
            ("assay run -- true", ["run", "-q", "--", "true"], 2),
            (f"assay ls, {CELLS:,} runs", ["ls", *many], 1),
            (f"assay study --status, {CELLS:,} cells", ["study", str(study), "--status", *many], 1),
        ):
            _timed([*words], {**ours, **slow}, starts, name)
        for one in package.rglob("start.cpython*"):
            one.unlink()
        apart = {**ours, **slow, "PYTHONDONTWRITEBYTECODE": "1"}
        best_s = min(_seconds(["run", "-q", "--", "true"], apart) for _ in range(3))
        row("assay run -- true, a file for each module", f"{best_s:.2f} s", None)


def _timed(words: list[str], environment: dict[str, str], starts: int, name: str) -> None:
    """The first start of all, which finds nothing prepared, and the best of three that follow."""
    first_s = _seconds(words, environment)
    for _ in range(starts):
        _seconds(words, environment)
    later = min(_seconds(words, environment) for _ in range(3))
    plain = min(_seconds(words, {**environment, "SLOW_US": "0"}) for _ in range(3))
    row(f"{name}, 2 ms a call", f"{later:.2f} s (first {first_s:.2f} s, without the delay {plain:.2f} s)", None)


def _seconds(words: list[str], environment: dict[str, str]) -> float:
    begin_s = time.monotonic()
    subprocess.run([PYTHON, "-m", "assay", *words], env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - begin_s


def _library(folder: Path) -> Path:
    text = HEAD
    for kind, name, takes, given in DELAYED:
        text += (
            f"{kind} {name}{takes} {{\n"
            f"    static {kind} (*real){takes};\n"
            f'    if (!real) real = dlsym(RTLD_NEXT, "{name}");\n'
            f"    wait_for(p);\n    return real{given};\n}}\n"
        )
    source, library = folder / "slow.c", folder / "slow.so"
    source.write_text(text)
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


if __name__ == "__main__":
    sys.exit(main())
