"""What `pip install assay-ml` puts onto a compute node, with each of its parts. Run by `make bench`.

The bar is of the light install: 25 MB beyond the environment itself, as the disk counts them (whole blocks, compiled
files too). Seconds are of pip with its cache as it is, so they are told and not judged.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path

from table import PYTHON, row

LIMIT_MB = 25
ROOT = Path(__file__).parents[1]
PARTS = ("", "compare", "report", "serve")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        subprocess.run([PYTHON, "-m", "build", "--outdir", folder, ROOT], check=True, capture_output=True)
        (wheel,) = Path(folder).glob("*.whl")
        for part in PARTS:
            size_mb, took_s = installed(wheel, part, Path(folder, part or "light"))
            name = f"assay-ml[{part}]" if part else "assay-ml"
            held = None if part else size_mb <= LIMIT_MB
            row(f"pip install {name}", f"{size_mb:.1f} MB in {took_s:.1f} s", held)


def installed(wheel: Path, part: str, place: Path) -> tuple[float, float]:
    """(megabytes, seconds) that it adds to an environment without pip."""
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", place], check=True)
    before = used_bytes(place)
    begin_s = time.perf_counter()
    what = f"{wheel}[{part}]" if part else str(wheel)
    pip = [PYTHON, "-m", "pip", f"--python={place}/bin/python", "install", what]
    subprocess.run(pip, check=True, capture_output=True)
    return (used_bytes(place) - before) / 1e6, time.perf_counter() - begin_s


def used_bytes(place: Path) -> int:
    return sum(os.lstat(Path(folder, name)).st_blocks * 512 for folder, _, names in os.walk(place) for name in names)


if __name__ == "__main__":
    main()
