"""A report as a PDF: its page as a browser prints it, with headings, alt texts and table heads for screen readers."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from assay.errors import AssayError

#: what prints: Chromium, or a browser that is made of it
_NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge",
    "brave-browser",
)  # fmt: skip
_APPS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
_LIMIT_S = 120


def browser() -> Path:
    """The one that $ASSAY_BROWSER names, else the first that is installed."""
    named = os.environ.get("ASSAY_BROWSER")
    if named and not shutil.which(named):
        raise AssayError(f"$ASSAY_BROWSER is `{named}`, which cannot be started", "name a Chromium or Chrome there")
    found = shutil.which(named) if named else next(filter(None, map(shutil.which, _NAMES)), None)
    found = found or next((app for app in _APPS if os.access(app, os.X_OK)), None)
    if found is None:
        raise AssayError(
            "a PDF is printed by Chromium or Chrome, and neither is installed here",
            "write report.html, open it and print it to a PDF; or install chromium; or set ASSAY_BROWSER to its path",
        )
    return Path(found)


def pdf(page: str, program: Path) -> bytes:
    """The page as it is printed. It holds no script, and is opened from a file in a folder that only we can read."""
    with tempfile.TemporaryDirectory(prefix="assay-pdf-") as folder:
        source, target = Path(folder) / "report.html", Path(folder) / "report.pdf"
        source.write_text(page, encoding="utf-8", errors="replace")
        words = [
            str(program),
            "--headless",
            "--disable-gpu",
            *(["--no-sandbox"] if os.geteuid() == 0 else []),  # it has no sandbox for root, as in a container
            f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer",
            f"--print-to-pdf={target}",
            source.as_uri(),
        ]
        try:
            done = subprocess.run(words, capture_output=True, timeout=_LIMIT_S, stdin=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired:
            raise AssayError(
                f"`{program}` did not print the page within {_LIMIT_S} s", "print report.html by hand"
            ) from None
        if done.returncode or not target.is_file():
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise AssayError(f"`{program}` could not print the page: {said[-1] if said else 'it gave no reason'}")
        return target.read_bytes()
