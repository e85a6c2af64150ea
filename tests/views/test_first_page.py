"""Page one of a report: the figure shows the answer's own metric, and nothing on it is empty."""

from __future__ import annotations

import pytest
from conftest import PYTHON, Assay

from assay.comparing.comparison import Wish
from assay.model.finding import NOTE, Evidence, Finding
from assay.store.layout import RunDir
from assay.views.report.data import ReportData, gather
from assay.views.report.document import document
from assay.views.report.findings import kinds_of, proofs
from assay.views.report.html import html, main_columns
from assay.views.report.words import repeat

pytestmark = pytest.mark.slow

SPEEDS = """
import assay, sys
size, rate, seed = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
assay.params(batch_size=size, lr=rate)
for step in range(1, 4):
    assay.log(step=step, samples=step * size, loss=1 / step)
assay.result(samples_per_s=1000 * size * (1 + rate) + seed, loss=rate)
"""

NOISY = """
import assay, sys
for step in range(1, 9):
    assay.log(step=step, samples=step, samples_per_s=(1000, 10, 30)[int(sys.argv[2])])
"""


def recorded(assay: Assay, *runs: tuple[int, float, int], interval_s: float = 0.5) -> ReportData:
    script = assay.script(SPEEDS)
    for at, words in enumerate(runs):
        done = assay(
            "run", "-q", "--interval", str(interval_s), "--name", f"r{at}", "--", PYTHON, script, *map(str, words)
        )
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
    """It is over before the machine is sampled twice."""
    data = recorded(assay, (8, 0.1, 1), interval_s=600)
    text = html(data)
    samples = data.datasets.get("machine", {}).get("panel", [])
    shown = [one.id for one in document(data).figures() if one.id.startswith("machine-")]
    assert len(samples) == len(set(samples)) and shown == []
    assert ">Differences<" not in text


def test_what_several_runs_show_alike_is_one_finding(assay: Assay) -> None:
    data = recorded(assay, *((8, 0.1, seed) for seed in range(3)))
    causes = [(one.code, one.message) for one in data.findings]
    assert len(causes) == len(set(causes))


def test_of_many_findings_of_one_kind_the_first_have_their_evidence_and_the_others_a_line() -> None:
    proof = Evidence(source="r output.log", line=0, text="x" * 999)
    found = [Finding(code="contended", severity=NOTE, message=f"{at} times", hint="wait", source="r",
                     evidence=(proof,) * 9)
             for at in range(5)]  # fmt: skip
    (kind,) = kinds_of(found)
    assert [one.message for one in kind.first] == ["0 times", "1 times", "2 times"]
    assert kind.more == ["r output.log: 3 times", "r output.log: 4 times"]  # no line 0
    lines = list(proofs(found[0]))
    assert len(lines) == 5 and lines[-1] == "… and 5 more lines" and max(map(len, lines)) < 310


def test_a_study_is_repeated_by_its_file_and_each_setting_named_once(assay: Assay) -> None:
    script = assay.script("import sys; print('loss:', sys.argv[1])")
    text = f"study: two\ncommand: [{PYTHON}, {script}, '{{size}}', '{{seed}}']\ngrid: {{size: [1, 2]}}\nrepeat: 2\n"
    (assay.folder / "two.yaml").write_text(text)
    assay("study", "two.yaml")
    lines = repeat(gather(None, [RunDir(path) for path in assay.run_dirs()], Wish())).splitlines()
    assert lines[0] == f"assay study {assay.folder / 'two.yaml'}"
    assert sum(line.startswith("assay run ") for line in lines) == 2


def test_an_axis_of_curves_goes_no_further_than_the_runs_did(assay: Assay) -> None:
    script = assay.script(NOISY)
    for seed in range(3):
        assay("run", "-q", "--name", "r", "--", PYTHON, script, "--seed", str(seed))
    data = gather(None, [RunDir(path) for path in assay.run_dirs()], Wish())
    assert max(data.datasets["bands"]["high"]) > 3000  # type: ignore[type-var, operator]
    figure = next(one for one in document(data).figures() if one.id == "progress-samples_per_s")
    (_, high) = figure.chart["layer"][0]["encoding"]["y"]["scale"]["domain"]  # type: ignore[index]
    assert high < 1100
