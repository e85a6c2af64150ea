"""Score `assay ingest` and `assay audit` on real files that were read by hand. Run by `make score`.

    python bench/score.py [CORPUS] [-v] [--only TEXT]

CORPUS is a folder with the files, what a careful person reads in them (`truth.json`) and how that is counted
(`score.py`); without it `../shared/corpus` is looked for. Where there is none, nothing is scored.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

NEEDED = ("truth.json", "score.py")
BESIDE = Path(__file__).resolve().parents[2] / "shared" / "corpus"


def main(words: list[str]) -> int:
    given = words[0] if words and not words[0].startswith("-") else None
    corpus = Path(given) if given else BESIDE
    missing = [name for name in NEEDED if not (corpus / name).is_file()]
    if missing:
        print(f"nothing scored: no {' and no '.join(missing)} in {corpus}")
        return 0
    assay = Path(sys.executable).with_name("assay")
    jobs = str(min(4, os.cpu_count() or 1))
    scorer = [sys.executable, corpus / "score.py", corpus / "truth.json", corpus, "--assay", str(assay), "--jobs", jobs]
    return subprocess.run([*scorer, *(words[1:] if given else words)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
