"""Each format with a sample of what its tool prints, and what a careful person reads in it.

Beside every sample stands `NAME.expected.json`: a list of runs, in order. A list in place of a value means that any of
them is right; settings may stand in `params` or `claims` where `prose` says so; `absent` names what would be false.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from reading import json_summaries

from assay.reading import formats
from assay.reading.formats import Target, span, value_of

HERE = Path(__file__).parent
#: steps of bars, tables on their side and lists of figures, which pages do not read yet
AWAITED = {
    "serving_columns_users.md",
    "serving_table_metric_a_b.md",
    "osu_latency.log",
    "mlx_generate.txt",
    "trainer_state_fence.md",
    "mlperf_50_server_summary.txt",
    "mlperf_singlestream_summary.txt",
    "hf_infolog.log",
    "composer_bar.log",
    "hf_trainer_bars.log",
    "lightning_fit_test.log",
    "llmc_train.log",
}
EXPECTED = sorted(HERE.glob("*.expected.json"))
PAGE = HERE.parents[1] / "docs" / "reading.md"
SAME = {"e2e_mean_ms": "latency_ms", "e2e_p50_ms": "latency_p50_ms", "e2e_p99_ms": "latency_p99_ms"}


def is_right(wanted: object, got: object) -> bool:
    if isinstance(wanted, list):
        return any(is_right(one, got) for one in wanted)
    if isinstance(wanted, str) or not isinstance(got, (int, float)):
        return str(wanted).lower().replace(" ", "") in str(got).lower().replace(" ", "")
    assert isinstance(wanted, (int, float))
    return math.isclose(wanted, got, rel_tol=0.005)


def wrong(wanted: dict[str, Any], run: dict[str, Any]) -> list[str]:
    """What the summary of a run has otherwise."""
    missed = []
    for name, value in wanted.items():
        if name == "error":
            pairs = [(name, value, (run.get("error") or {}).get("code"))]
        elif name in ("params", "requested", "metrics"):
            held = {**(run.get("claims") or {} if wanted.get("prose") else {}), **(run.get(name) or {})}
            pairs = [(f"{name}.{key}", one, held.get(key)) for key, one in value.items()]
        elif name not in ("absent", "prose"):
            pairs = [(name, value, run.get(name, run.get(SAME.get(name, ""))))]
        else:
            pairs = []
        missed += [f"{key}: {got}, not {one}" for key, one, got in pairs if not is_right(one, got)]
    return missed + [f"{name} is no figure of it" for name in wanted.get("absent", []) if run.get(name) is not None]


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda path: path.name.removesuffix(".expected.json"))
def test_what_a_person_reads_in_it_is_read(expected: Path, tmp_path: Path) -> None:
    sample = expected.with_name(expected.name.removesuffix(".expected.json"))
    if sample.name in AWAITED:
        pytest.xfail("not read yet")
    runs = json_summaries(sample, tmp_path)
    wanted = json.loads(expected.read_text())
    assert len(runs) == len(wanted)
    assert [wrong(one, run) for one, run in zip(wanted, runs, strict=True)] == [[] for _ in runs]


def test_every_description_can_be_read() -> None:
    for one in formats.formats().values():
        assert one.words and (one.rules or one.tables or one.dialects or one.part or one.said.get("objects")), one.name


def test_the_format_of_the_documents_reads_its_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_formats: None
) -> None:
    (source,) = re.findall(r"(?s)```toml\n(\[tinybench\].*?)```", PAGE.read_text())
    (tmp_path / "tinybench.toml").write_text(source)
    monkeypatch.setenv("ASSAY_FORMATS", str(tmp_path / "tinybench.toml"))
    sample = tmp_path / "sample.log"
    sample.write_text(
        "tinybench org/Small-1B with 4 clients\n96 answers, 12.5/s, first token after 0.081\n"
        "tinybench org/Small-1B with 8 clients\n96 answers, 21.0/s, first token after 0.120\n"
    )
    first, second = json_summaries(sample, tmp_path)
    assert (first["model"], first["params"]["concurrency"], first["requests"]) == ("org/Small-1B", 4, 96)
    assert (first["ttft_mean_ms"], second["requests_per_s"]) == (81.0, 21.0)


def test_a_description_with_a_mistake_costs_itself_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_formats: None
) -> None:
    (tmp_path / "bad.toml").write_text("[bad]\nwords = ['x']\n[[bad.lines]]\nmatch = '('\n")
    monkeypatch.setenv("ASSAY_FORMATS", str(tmp_path / "bad.toml"))
    assert "bad" not in formats.formats() and "seff" in formats.formats()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1-21:41:20", 164480.0), ("2-12", 216000.0), ("2-12:30", 217800.0), ("05:06", 306.0), ("1m2.345s", 62.345),
     ("1m20.5s", 80.5), ("312", None), ("UNLIMITED", None)],
)  # fmt: skip
def test_spans_of_schedulers_and_shells(text: str, seconds: float | None) -> None:
    assert span(text) == seconds


@pytest.mark.parametrize(
    ("text", "to", "value"),
    [("0.081", Target("ttft_mean_ms", "s"), 81.0), ("62.0GB", Target("rss_bytes_max", "bin"), 66571993088),
     ("0B", Target("rss_bytes_max", "bin"), None), ("88.81% of 3 h", Target("cpu_eff"), 0.8881), ("6,697", Target("tokens_per_s"), 6697)],
)  # fmt: skip
def test_values_come_out_in_the_unit_of_their_key(text: str, to: Target, value: float | None) -> None:
    assert value_of(text, to) == value
