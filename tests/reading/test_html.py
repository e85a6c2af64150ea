"""Web pages: the log in `<pre>` is read as it was printed."""

from __future__ import annotations

import html
from itertools import pairwise

import pytest
from reading import one, summaries

from assay.reading.html import lines

LOG = "\n".join(
    [
        "2024-03-30 15:16:30,100 INFO:   Effective batch size is 512.",
        "2024-03-30 15:16:33,873 INFO:   | Train Device=CSX, Step=100, Loss=9.39062, Rate=2983.97 samples/sec, "
        "GlobalRate=2983.97 samples/sec",
        "2024-03-30 15:16:51,873 INFO:   | Train Device=CSX, Step=200, Loss=8.12500, Rate=2980.11 samples/sec, "
        "GlobalRate=2982.01 samples/sec",
        '[1,0]<stdout>:a line of another program, with "quotes" & signs',
        "2024-03-30 15:17:51,873 INFO:   Processed 102400 sample(s) in 34.3 seconds.",
    ]
)


@pytest.mark.parametrize(
    "marked",
    [
        f"<pre><code>{html.escape(LOG)}</code></pre>",
        "<pre>" + "\n".join(f'<span class="l">{html.escape(line)}</span>' for line in LOG.split("\n")) + "</pre>",
        "<div>" + "<br/>".join(html.escape(line) for line in LOG.split("\n")) + "</div>",
    ],
)
def test_a_log_is_read_in_whatever_element_it_stands(marked: str) -> None:
    page = f"<!DOCTYPE html>\n<html><head><style>\n.l {{ loss: 3 }}\n</style></head><body><h1>Batch size 512</h1>\n{marked}"
    run = one(page + "<p>That was all.</p></body></html>", "page.html")
    assert (run["system"], run["steps"], run["loss"], run["status"]) == ("cerebras", 200, 8.125, "completed")
    assert run["claims"] == {"batch_size": 512}


def test_what_a_log_prints_between_angle_brackets_is_kept() -> None:
    shown = lines([(1, b"<pre>[1,0]&lt;stdout&gt;:a"), (2, b'  File "a.py", line 3, in <module>'), (3, b"</pre>")])
    assert shown == [(1, b"```"), (1, b"[1,0]<stdout>:a"), (2, b'  File "a.py", line 3, in <module>'), (3, b"```")]


def test_scripts_and_styles_are_seen_by_no_one() -> None:
    page = [b"<script>", b'console.log("loss: 3")', b"</script>text", b"<style>p { top: 1 }</style><p>more"]
    assert [raw for _, raw in lines(list(enumerate(page, 1))) if raw.strip()] == [b"text", b"more"]


def test_rows_of_a_table_are_rows() -> None:
    page = "<table><tr><th>batch size</th><th>loss</th></tr>\n<tr><td>512</td><td>7.1</td></tr>\n</table>"
    shown = [raw for _, raw in lines(list(enumerate(page.encode().split(b"\n"), 1)))]
    assert [raw.count(b"|") for raw in shown if b"|" in raw] == [3, 3]


def test_a_page_without_a_log_is_no_run() -> None:
    page = "<html><body><h1>Loss</h1><p>We lost 3 of 5 epochs of our lives.</p></body></html>"
    assert summaries(page, "page.html") == []


def test_numbers_of_lines_never_go_back() -> None:
    page = f"<h1>a</h1><pre>{html.escape(LOG)}</pre><p>b</p>"
    numbers = [number for number, _ in lines(list(enumerate(page.encode().split(b"\n"), 1)))]
    assert all(before <= after for before, after in pairwise(numbers))


def test_a_comment_is_seen_by_no_one() -> None:
    seen = lines([(1, b"<p>a<!-- loss: 9 <b> -->b<!-- --> c</p>"), (2, b"<!-- never ended <b>d</b>")])
    assert [text for _, text in seen] == [b"ab c", b"<!-- never ended d"]


def test_what_never_ends_is_read_in_one_go() -> None:
    """A pattern that tries every beginning against every end would take hours over these."""
    for piece in (b"<!--", b'<a x="b"', b' x="b"', b"<pre ", b"<script ", b"</td>", b"<tr "):
        assert lines([(1, b"<a" + piece * 200_000)])
