"""Every example page draws exactly the findings that are written down: code, severity and lines, and no other.

    python tests/auditing/test_exact.py

writes them down anew after a change; read what differs before you keep it.
"""

from __future__ import annotations

import importlib
import json
import tempfile
from pathlib import Path

import pytest
from judged import Pages, judged

HERE = Path(__file__).parent
WRITTEN = HERE / "findings.json"
#: files whose examples are pages
FILES = sorted(
    path.stem for path in HERE.glob("test_*.py") if "\nNOT_RAISED: dict[str, Pages]" in path.read_text(encoding="utf-8")
)


def _examples() -> dict[str, Pages]:
    found: dict[str, Pages] = {}
    for file in FILES:
        module = importlib.import_module(file)
        named = {**module.RAISED, **module.NOT_RAISED}
        found |= {f"{file.removeprefix('test_')}: {name}": pages for name, pages in named.items()}
    return found


def _findings(folder: Path, pages: Pages) -> list[str]:
    return [
        " ".join([one.severity, one.code, *(f"{Path(line.source).name}:{line.line}" for line in one.evidence)])
        for one in judged(folder, pages)
    ]


@pytest.mark.parametrize("name", _examples())
def test_an_example_draws_exactly_these_findings(tmp_path: Path, name: str) -> None:
    assert _findings(tmp_path, _examples()[name]) == json.loads(WRITTEN.read_text(encoding="utf-8"))[name]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        written = {
            name: _findings(Path(folder) / str(at), pages) for at, (name, pages) in enumerate(_examples().items())
        }
    WRITTEN.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
