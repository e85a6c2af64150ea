"""Thin one long run in a separate process: print the progress, and then the view as one line of JSON."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from assay.store.layout import RunDir
from assay.web.kept import build, plain


def main(path: str) -> None:
    os.nice(5)  # what is being measured on this machine goes first
    view = build(RunDir(Path(path)), lambda share: print(f"{share:.3f}", flush=True))
    print(json.dumps(plain(view), separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
