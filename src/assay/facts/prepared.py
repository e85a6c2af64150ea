"""What the set-up lines of a place gave: the environment that the command finds, whatever it does with it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from assay.facts.packages import installed, that_matter
from assay.model.request import Prepared

_PATIENCE_S = 10.0
_VERSION = re.compile(r"Python ([0-9][\w.+]{0,40})")


def prepared_facts(environment: Mapping[str, str], cwd: Path, more: tuple[str, ...] = ()) -> Prepared:
    """The Python that is found first, with its packages; modules; the conda or virtual environment."""
    import shutil  # it opens three libraries, and few runs are prepared

    found = (shutil.which(name, path=environment.get("PATH")) for name in ("python", "python3"))
    python = next(filter(None, found), None)
    versions = that_matter(installed([python], environment, cwd), more) if python else {}
    version = (_version(python, environment) if python else None) or versions.get("python")
    return Prepared(
        python=python,
        python_version=version,
        packages={name: one for name, one in versions.items() if name != "python"},
        modules=tuple(name for name in environment.get("LOADEDMODULES", "").split(":") if name),
        environment=environment.get("VIRTUAL_ENV") or environment.get("CONDA_PREFIX") or None,
    )


def _version(python: str, environment: Mapping[str, str]) -> str | None:
    """In its own words: a conda environment has no file that says it."""
    try:
        done = subprocess.run([python, "-V"], env=dict(environment), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", timeout=_PATIENCE_S, check=False)  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION.match(done.stdout or done.stderr)
    return found[1] if found else None
