"""What a report shows of servers: distributions, the curve with its knee, requests over time, failures."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from typing import Any

import vl_convert

from assay.comparing.comparison import Wish, compare
from assay.model.event import Event, Served, event_of
from assay.model.summary import Summary
from assay.stats.nested import quantiles
from assay.views.charts.base import rows_of
from assay.views.charts.draw import still
from assay.views.report.columns import datasets_of
from assay.views.report.data import ReportData
from assay.views.report.document import document
from assay.views.report.sections import sections
from assay.views.requests import asked, percentiles
from assay.views.thinner import thinned
from assay.web.serving import of_run

WANTED = {"latency-ttft", "latency-itl", "latency-tpot", "latency-e2e", "load-curve", "request-timeline", "failures"}


def client(url: str, load: int) -> tuple[Summary, list[Event]]:
    """60 requests at a load, of which 3 fail, to a server that has 8 places."""
    own, rate = random.Random(f"{url} {load}"), 20 * min(load, 8) / 0.3
    events: list[Event] = []
    for index in range(60):
        wait_ms = (100 + 40 * max(0, load - 8)) * own.lognormvariate(0, 0.1)
        more = {"fault": "http-503", "ended_ms": 9.0} if index % 20 == 19 else {}
        events.append(request(index, wait_ms, e2e_ms=wait_ms + 190, tokens_out=20, gaps_us=[10_000] * 19, **more))
    made = summary(
        id=f"{url}{load}", name=f"{url}-{load}", requests=57, requests_failed=3, metrics={"failed_http_503": 3},
        output_tokens=57 * 20, output_tokens_per_s=rate, e2e_p50_ms=290.0 + 40 * max(0, load - 8),
        params={"url": url, "concurrency": load},
    )  # fmt: skip
    return made, events


def request(index: int, ttft_ms: float, **more: Any) -> Served:
    base = {"kind": "request", "index": index, "sent_mono_s": 50.0 + index, "tokens_out": 3, "gaps_us": [1000, 3000]}
    event = event_of({**base, "ttft_ms": ttft_ms, "e2e_ms": ttft_ms + 4, **more})
    assert isinstance(event, Served)
    return event


def summary(**more: Any) -> Summary:
    return Summary.of({"id": "run1", "name": "one", "status": "completed", **more})


def test_percentiles_are_those_of_the_measured_requests_that_succeeded() -> None:
    events: list[Event] = [request(at, 10.0 + at) for at in range(101)]
    events += [request(0, 9e4, warmup=True), request(102, 9e4, fault="timeout", ended_ms=500.0)]
    found = asked("one", "all", summary(requests=101, requests_failed=1), events)
    assert found is not None
    rows = {(row["figure"], row["share"]): row for row in rows_of(percentiles([found]))}
    assert rows["ttft", 0.5]["ms"] == 60 and rows["ttft", 0.9]["ms"] == 100
    assert rows["tpot", 0.5]["ms"] == 2 and rows["itl", 0.99]["ms"] == 3
    low, high = rows["ttft", 0.5]["low"], rows["ttft", 0.5]["high"]
    assert isinstance(low, float) and isinstance(high, float) and 45 < low < 60 < high < 75
    assert rows["ttft", 0.99]["low"] is None  # one request beyond it does not say where it lies


def test_runs_that_differ_make_the_interval_of_a_percentile_wider() -> None:
    draw = random.Random(4)
    alike = [[[draw.gauss(100, 10)] for _ in range(60)] for _ in range(3)]
    apart = [[[draw.gauss(middle, 10)] for _ in range(60)] for middle in (70, 100, 130)]
    (narrow,), (wide,) = quantiles(alike, [0.5]), quantiles(apart, [0.5])
    assert narrow.low and narrow.high and wide.low and wide.high
    assert narrow.high - narrow.low < 15 and wide.high - wide.low > 4 * (narrow.high - narrow.low)


def test_a_failed_request_is_drawn_until_it_failed_and_counted_by_kind() -> None:
    events = [request(0, 10.0), request(1, 10.0, fault="timeout", ended_ms=1500.0), request(2, 12.0)]
    found = of_run(summary(requests=2, requests_failed=1, metrics={"failed_timeout": 1}), events)
    assert found is not None
    good, bad, _ = rows_of(found["data"]["requests"])
    assert (good["outcome"], bad["outcome"], bad["end_s"]) == ("answered", "timeout", 2.5)
    assert {"latencies", "percentiles", "requests", "failures"} <= set(found["data"])
    assert "1 of 3 requests failed" in found["says"][0]


def test_the_result_of_another_benchmark_stands_in_the_table_as_it_reports_it() -> None:
    found = of_run(summary(requests=48, ttft_p50_ms=12.5, ttft_p99_ms=90.0), [])
    assert found is not None and "latencies" not in found["data"]
    assert found["table"] == {
        "heads": ["metric", "", "requests", "mean (ms)", "p50 (ms)", "p90 (ms)", "p99 (ms)"],
        "rows": [["TTFT", "one", "48", "", "12.5", "", "90"]],
    }
    assert of_run(summary(), []) is None


def test_of_very_many_requests_an_even_part_is_kept() -> None:
    kept = thinned([request(at, float(at)) for at in range(10_000)], 40, ())
    places = [one.index for one in kept if isinstance(one, Served)]
    assert 2000 <= len(places) <= 4000
    assert {b - a for a, b in pairwise(places) if a is not None and b is not None} == {4}


def test_a_report_draws_servers_with_their_knee() -> None:
    runs = [client(url, load) for url, load in (("metis", 2), ("metis", 8), ("metis", 16), ("sophia", 8))]
    by_id = {one.id: events for one, events in runs}
    comparison = compare([one for one, _ in runs], lambda one: by_id[one.id], Wish())
    datasets = datasets_of(comparison.rows, lambda row: by_id[row.summary.id], comparison)
    data = ReportData(title="", records=[], comparison=comparison, why_not="", findings=[], datasets=datasets)
    made, charts = sections(data)
    first = document(data).main
    assert first is not None and first.id == "load-curve"
    parts = {part["id"]: part for part in made}
    assert charts.keys() >= WANTED
    for name in WANTED:
        drawn = vl_convert.vegalite_to_svg(
            still(charts[name], datasets, "metis-2" if name == "request-timeline" else "")
        )
        assert drawn.startswith("<svg") and drawn.count("<path") > 3, name
    assert "url metis: the knee is at a concurrency of 8: 533.3 output tokens/s" in parts["load"]["says"][0]
    assert "12 of 240 requests failed" in parts["failures"]["says"][0]
    table = parts["latencies"]["latency"]
    assert table is not None and table["rows"][0][:3] == ["TTFT", "concurrency 2 · url metis", "57"]
    assert re.fullmatch(r"\d+(\.\d+)? \(\d+(\.\d+)?–\d+(\.\d+)?\)", table["rows"][0][4])


def test_two_runs_that_have_nothing_in_common_give_a_percentile_no_interval() -> None:
    runs = [asked(name, "all", summary(id=name, requests=60), [request(at, ms + at / 1e3) for at in range(60)])
            for name, ms in (("a", 0.001), ("b", 100.0))]  # fmt: skip
    rows = rows_of(percentiles([one for one in runs if one is not None]))
    (median,) = [row for row in rows if (row["figure"], row["share"]) == ("ttft", 0.5)]
    assert median["ms"] is not None and (median["low"], median["high"]) == (None, None)
