"""What a client makes of bytes, however they are cut; of addresses, moments and figures."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest

from assay.serving.address import address_of
from assay.serving.body import Body
from assay.serving.events import Chunk, Chunks, Events, chunk_of
from assay.serving.exchange import Exchange, Reading
from assay.serving.fault import Fault, masked
from assay.serving.figures import Limits, figures, quantile
from assay.serving.http import Answer
from assay.serving.load import Driven, moments
from assay.serving.program import BadSetting

_TEXT = b'data: {"choices":[{"delta":{"content":"x"}}]}\n\n'
_BODY = (
    b': a comment\r\n\r\ndata: {"choices":[{"delta":{"role":"assistant","content":""}}]}\n\n' + 3 * _TEXT
    + b'data: {"choices":[],\ndata: "usage":{"prompt_tokens":7,"completion_tokens":3}}\n\ndata: [DONE]\n\n'
)  # fmt: skip


def chunked(body: bytes, size: int) -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x;ext=1\r\n%s\r\n" % (len(one), one) for one in pieces) + b"0\r\n\r\n"


def answers() -> dict[str, bytes]:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    return {
        "chunked": head + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(_BODY, 1000),
        "small chunks": head + b"transfer-encoding: chunked\r\n\r\n" + chunked(_BODY, 7),
        "length": head + b"Content-Length: %d\r\n\r\n" % len(_BODY) + _BODY,
        "until closed": b"HTTP/1.1 100 Continue\r\n\r\n" + head + b"\r\n" + _BODY,
    }


@pytest.mark.parametrize("coding", answers())
@pytest.mark.parametrize("piece", [1, 2, 3, 11, 10_000])
def test_an_answer_is_the_same_however_it_is_coded_and_cut(coding: str, piece: int) -> None:
    exchange, ends = Exchange(index=0, asked_tokens=3), []
    reading, data = Reading(exchange, ends.append), answers()[coding]
    for at in range(0, len(data), piece):
        reading.take(data[at : at + piece])
    if coding == "until closed":
        assert ends == []
        reading.lost(None)
    assert exchange.fault is None and ends == [coding != "until closed"]
    assert (exchange.chunks, exchange.tokens_in, exchange.tokens_out, len(exchange.gaps_us)) == (3, 7, 3, 2)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ('{"choices":[{"delta":{},"finish_reason":"abort"}]}', "gave the answer up (finish_reason `abort`)"),
        ('{"choices":[{"delta":{},"finish_reason":"error"}]}', "gave the answer up (finish_reason `error`)"),
        ('{"object":"error","message":"context too long","code":400}', "context too long"),
        ('{"error":"overloaded"}', "overloaded"),
    ],
)
def test_an_answer_that_the_server_gives_up_has_failed(event: str, message: str) -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    exchange = Exchange(index=0, asked_tokens=3)
    reading = Reading(exchange, lambda reusable: None)
    reading.take(head + chunked(_TEXT + f"data: {event}\n\ndata: [DONE]\n\n".encode(), 1000))
    assert exchange.fault is not None and exchange.fault.kind == "server-error" and message in exchange.fault.message


def test_the_end_of_one_answer_may_come_before_the_next() -> None:
    answer = Answer()
    assert answer.feed(b"\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi") == b"hi"
    assert answer.ended and answer.keeps_open


@pytest.mark.parametrize("line", [b"-5", b"xyz", b"ffffffffffffffffffff", b"", b"1" * 2000])
def test_a_size_that_is_none_is_a_fault(line: bytes) -> None:
    with pytest.raises(Fault) as caught:
        Answer().feed(
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + line + (b"\r\n" if len(line) < 99 else b"")
        )
    assert caught.value.kind == "bad-http"


def test_a_stream_of_one_event_without_end_is_given_up() -> None:
    events = Events()
    with pytest.raises(Fault, match="larger than 1 MiB"):
        for _ in itertools.repeat(None, 2000):
            events.feed(b"x" * 1000)


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (b'{"choices":[{"text":"a"}]}', True),
        (b'{"choices":[{"delta":{"reasoning_content":"hm"}}]}', True),
        (b'{"choices":[{"delta":{"tool_calls":[{"index":0}]}}]}', True),
        (b'{"choices":[{"delta":{"content":null}}]}', False),
        (b'{"choices":[{"delta":{}}]}', False),
        (b'{"choices":[]}', False),
        (b"{}", False),
    ],
)
def test_a_token_is_a_piece_with_text(payload: bytes, text: bool) -> None:
    assert chunk_of(payload).text is text


@pytest.mark.parametrize("payload", [b"{", b"[]", b'{"choices":[1]}', b'{"error":"out of memory"}'])
def test_a_piece_that_is_no_chunk_is_a_fault(payload: bytes) -> None:
    with pytest.raises(Fault):
        chunk_of(payload)


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://h:8000", "http://h:8000/v1/chat/completions"),
        ("h:8000", "http://h:8000/v1/chat/completions"),
        ("http://h:8000/v1/", "http://h:8000/v1/chat/completions"),
        ("https://h/resource_server/sophia/vllm/v1", "https://h/resource_server/sophia/vllm/v1/chat/completions"),
        ("https://h/api/v1/chat/completions", "https://h/api/v1/chat/completions"),
        ("https://h/openai?version=2", "https://h/openai/chat/completions?version=2"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1/chat/completions"),
    ],
)
def test_an_address_may_be_given_in_any_usual_form(url: str, target: str) -> None:
    found = address_of(url)
    scheme = "https" if found.tls else "http"
    assert f"{scheme}://{found.host_header}{found.target('chat')}" == target


@pytest.mark.parametrize("url", ["ftp://h", "http://", "http://h:port", "http://me:secret@h"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(BadSetting):
        address_of(url)


def test_requests_of_an_open_loop_arrive_at_their_rate() -> None:
    even = list(moments(5, 10.0, poisson=False, seed=1))
    assert even == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])
    late = list(moments(4001, 50.0, poisson=True, seed=1))
    gaps = sorted(b - a for a, b in itertools.pairwise(late))
    assert sum(gaps) / 4000 == pytest.approx(0.02, rel=0.05)
    assert quantile(gaps, 0.5) == pytest.approx(0.02 * 0.6931, rel=0.1)  # as independent arrivals have it
    assert late == list(moments(4001, 50.0, poisson=True, seed=1))


def made(index: int, ttft_s: float, gaps_ms: list[float]) -> Exchange:
    tokens = len(gaps_ms) + 1
    return Exchange(
        index=index, asked_tokens=tokens, sent_s=float(index), first_s=index + ttft_s,
        last_s=index + ttft_s + sum(gaps_ms) / 1e3, ended_s=index + ttft_s + sum(gaps_ms) / 1e3, chunks=tokens,
        gaps_us=[round(1e3 * gap) for gap in gaps_ms], tokens_in=10, tokens_out=tokens,
    )  # fmt: skip


def test_figures_are_those_of_the_requests_that_succeeded() -> None:
    source = random.Random(3)
    good = [made(index, 0.1 + index / 100, [source.uniform(5, 15) for _ in range(9)]) for index in range(11)]
    bad = Exchange(index=11, asked_tokens=10, sent_s=11.0, ended_s=20.0, fault=Fault("http-503", "busy"))
    driven = Driven(exchanges=[*good, bad], began_s=0.0, ended_s=20.0, cpu_s=0.1, late_ms=[0.1] * 50)
    found = figures(driven, Limits(ttft_ms=150.5))
    assert (found["requests"], found["requests_failed"], found["failed_http_503"]) == (11, 1, 1)
    assert found["ttft_p50_ms"] == pytest.approx(150) and found["ttft_p90_ms"] == pytest.approx(190)
    assert (found["output_tokens"], found["output_tokens_per_s"]) == (110, 5.5)
    assert (found["requests_per_s"], found["goodput_requests_per_s"]) == (0.55, 0.3)
    assert found["total_tokens_per_s"] == 11.0 and not found["client_limited"]
    assert found["tpot_mean_ms"] == pytest.approx(sum(sum(one.gaps_us) for one in good) / 99e3, rel=1e-3)


@pytest.mark.parametrize(("cpu_s", "late_ms", "limited"), [(0.1, 0.2, 0), (19.0, 0.2, 1), (0.1, 40.0, 1)])
def test_a_client_that_is_the_limit_says_so(cpu_s: float, late_ms: float, limited: int) -> None:
    good = [made(index, 0.1, [10.0]) for index in range(10)]
    driven = Driven(exchanges=good, began_s=0.0, ended_s=20.0, cpu_s=cpu_s, late_ms=[late_ms] * 50)
    assert figures(driven, Limits())["client_limited"] == limited


@pytest.mark.parametrize(
    ("payload", "reasoning"),
    [
        (b'{"choices":[{"delta":{"reasoning_content":"hm"}}]}', True),
        (b'{"choices":[{"delta":{"reasoning":"hm","content":""}}]}', True),
        (b'{"choices":[{"delta":{"reasoning":"hm"},"finish_reason":"length"}]}', True),
        (b'{"choices":[{"delta":{"content":"a"}}]}', False),
    ],
)
def test_reasoning_that_is_shown_is_told_from_the_answer(payload: bytes, reasoning: bool) -> None:
    found = chunk_of(payload)
    assert found.text and found.reasoning is reasoning


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("no key here", "no key here"),
        ("wrong: secret-0123456789!", "wrong: ***!"),
        ("wrong: secret-0123 (cut)", "wrong: *** (cut)"),
        ("cut at its end: secre", "cut at its end: ***"),
        ("a secret is kept", "a secret is kept"),
    ],
)
def test_no_part_of_a_key_is_left_in_a_message(message: str, shown: str) -> None:
    assert masked(message, "secret-0123456789") == shown
    assert masked(message, "") == message


def test_a_server_that_names_no_word_gets_ever_plainer_requests() -> None:
    body: Body | None = Body(api="chat", model="m", output_len=4)
    tried = []
    while body is not None:
        tried.append(body.asks_for)
        body = body.plainer("bad request")
    assert tried == [
        ["max_tokens", "ignore_eos", "min_tokens", "stream_options", "temperature"],
        ["max_tokens", "stream_options", "temperature"],
        ["max_tokens", "temperature"],
        ["max_tokens"],
        ["max_completion_tokens", "stream_options"],
        ["max_completion_tokens"],
    ]


def _said(read: Callable[[bytes], Chunk], payload: bytes) -> Chunk | str:
    try:
        return read(payload)
    except Fault as fault:
        return fault.kind


@pytest.mark.parametrize(
    "usual",
    [
        '{"id":"a","choices":[{"index":0,"delta":{"content":%s},"finish_reason":null}],"usage":null}',
        '{"choices": [{"delta": {"role": "assistant", "content": %s}}]}',
        '{"choices":[{"text":%s,"finish_reason":null}]}',
        '{"choices":[{"delta":{"reasoning_content":%s,"content":null}}]}',
        '{"content":"model","choices":[{"delta":{"content":%s}}]}',
        '{"choices":[{"delta":{"content":%s,"tool_calls":[{"id":"b"}]}}]}',
    ],
)
def test_a_chunk_like_the_one_before_is_understood_as_if_it_was_decoded(usual: str) -> None:
    texts = [
        '" is"',
        '"a"',
        '""',
        '"\\n"',
        '"\\""',
        '"ü"',
        '"\x01"',
        '"x", "more": "y"',
        "null",
        '"a" "b"',
        '"\\"',
        "7",
    ]
    payloads = [usual % text for text in texts]
    payloads += [(usual % '" is"')[:-1], usual % '"' + '" is"', '{"error":{"message":"' + "x" * 9 + '"}}', "[DONE", ""]
    payloads += [(usual % '" is"').replace("null", '"stop"'), (usual % '"b"').replace('"b"', '"b"}],"error":"c"')]
    read = Chunks()
    for payload in [usual % '" the"', *payloads, *payloads]:
        assert _said(read, payload.encode()) == _said(chunk_of, payload.encode()), payload
    broken = (usual % '" is"').encode().replace(b"is", b"\xff")
    assert _said(read, broken) == _said(chunk_of, broken)
