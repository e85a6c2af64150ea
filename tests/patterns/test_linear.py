"""No text keeps a pattern of the project busy for longer than its length explains."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
#: ASSAY_PUMP=100000 pumps each as far as is promised, in half a minute
SIZE = int(os.environ.get("ASSAY_PUMP", "10000"))
#: modules that need a package or a machine which is not everywhere; their patterns are read from the source
_READ_ONLY = ("assay.serving.", "assay.views.export.", "assay.callbacks")


def pumped(size: int) -> list[list[str]]:
    result = subprocess.run(
        [sys.executable, HERE / "pump_all.py", str(size)],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (300, 300)),
    )
    assert result.returncode == 0, result.stdout[-2000:]
    return [line.split("\t") for line in result.stdout.splitlines()]


def test_every_pattern_takes_time_in_proportion_to_the_text() -> None:
    rows = pumped(SIZE)
    assert [row[1:] for row in rows if row[0] == "slow"] == []
    assert [row[1] for row in rows if row[0] == "unknown"] == [], "no test knows these: name them in the module"
    assert [row[1] for row in rows if row[0] == "read" and not row[1].startswith(_READ_ONLY)] == []
    assert int(rows[-1][1]) > 400, "where have the patterns gone?"


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?P<value>\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?)\s*samples",  # cubic
        r"\s+$",  # quadratic
        r"(?:the\s+|in\s+(?:the\s+)?)*batch",  # exponential
        r"<table>.*?</table>",
        r"(?P<done>\d+)(?!\d*\s*%)",
    ],
)
def test_a_pattern_that_is_not_linear_is_found_out(pattern: str) -> None:
    sys.path.insert(0, str(HERE))
    try:
        import signal

        import pump_all
        from found import Found, _asked
    finally:
        sys.path.remove(str(HERE))
    before = signal.signal(signal.SIGVTALRM, pump_all._stop)
    try:
        compiled = re.compile(pattern)
        run = lambda method, text: _asked(compiled, method, text)  # noqa: E731
        one = Found(where="here", pattern=pattern, flags=compiled.flags, methods=frozenset(("search",)), run=run)
        assert pump_all.slow(one, 4_000) is not None
    finally:
        signal.signal(signal.SIGVTALRM, before)
