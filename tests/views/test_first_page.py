"""Page one of a report: the figure shows the answer's own metric, and nothing on it is empty."""

from __future__ import annotations

import pytest
from conftest import PYTHON, Assay

from assay.comparing.comparison import Wish
from assay.store.layout import RunDir
from assay.views.report.data import ReportData, gather
from assay.views.report.document import document
from assay.views.report.html import html, main_columns

pytestmark = pytest.mark.slow

SPEEDS = """
import assay, sys
size, rate, seed = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
assay.params(batch_size=size, lr=rate)
for step in range(1, 4):
    assay.log(step=step, samples=step * size, loss=1 / step)
assay.result(samples_per_s=1000 * size * (1 + rate) + seed, loss=rate)
"""


def recorded(assay: Assay, *runs: tuple[int, float, int]) -> ReportData:
    script = assay.script(SPEEDS)
    for at, words in enumerate(runs):
        done = assay("run", "-q", "--name", f"r{at}", "--", PYTHON, script, *map(str, words))
        assert done.returncode == 0, done.stderr
    return gather(None, [RunDir(path) for path in assay.run_dirs()], Wish())


def test_where_two_settings_vary_the_figure_says_which_setting_a_point_is_of(assay: Assay) -> None:
    data = recorded(assay, *((size, rate, seed) for size in (8, 32) for rate in (0.1, 0.2) for seed in (1, 2)))
    main = document(data).main
    assert main is not None and main.id == "spread-samples_per_s"
    part = next(part for part in document(data).parts if part.id == "throughput")
    (points,) = [layer for layer in part.figures[0].chart["layer"] if layer["mark"]["type"] == "point"]  # type: ignore[attr-defined]
    assert points["encoding"]["color"]["legend"] is not None
    assert data.comparison is not None and main_columns(data.comparison)[0].name == "samples_per_s"


def test_one_run_has_neither_an_empty_chart_nor_an_empty_section(assay: Assay) -> None:
    """It is over before the machine was looked at twice."""
    data = recorded(assay, (8, 0.1, 1))
    text = html(data)
    samples = data.datasets.get("machine", {}).get("panel", [])
    shown = [one.id for one in document(data).figures() if one.id.startswith("machine-")]
    assert len(samples) == len(set(samples)) and shown == []
    assert ">Differences<" not in text


def test_what_several_runs_show_alike_is_one_finding(assay: Assay) -> None:
    data = recorded(assay, *((8, 0.1, seed) for seed in range(3)))
    causes = [(one.code, one.message) for one in data.findings]
    assert len(causes) == len(set(causes))
