"""One request and its answer, dated as the pieces come."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from assay.serving.events import DONE, Chunks, Events
from assay.serving.fault import Fault, of_error, of_status
from assay.serving.http import Answer

_LONGEST_ERROR = 64 << 10
#: a stream with so many times the tokens that were asked for will not end by itself
_FAR_TOO_MANY, _SOME = 2, 64
#: why an answer ends that is not whole: vLLM and SGLang end a request so that they abort
_GIVEN_UP = ("abort", "aborted", "error", "cancelled", "failed")


@dataclass(slots=True)
class Exchange:
    """Times come from the monotonic clock, in seconds. `fault` is None if the answer was complete."""

    index: int
    asked_tokens: int
    warmup: bool = False
    planned_s: float | None = None  # when an open loop wanted it sent
    sent_s: float = 0.0
    connected_s: float | None = None  # where a connection had to be made for it
    first_s: float | None = None
    last_s: float | None = None
    ended_s: float = 0.0
    in_flight: int = 0  # with this one, as it was sent
    status: int = 0
    chunks: int = 0  # pieces with text
    chunks_reasoning: int = 0  # those of them that hold reasoning
    gaps_us: list[int] = field(default_factory=list)
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    tokens_reasoning: int | None = None
    finish: str | None = None
    fault: Fault | None = None

    @property
    def is_good(self) -> bool:
        return self.fault is None

    @property
    def ttft_ms(self) -> float | None:
        return None if self.first_s is None else 1e3 * (self.first_s - self.sent_s)

    @property
    def e2e_ms(self) -> float | None:
        """To the last token: what closes the stream is no part of the answer."""
        return None if self.last_s is None else 1e3 * (self.last_s - self.sent_s)

    @property
    def output_tokens(self) -> int:
        """As the server counted; else its pieces, each of which is a token on most servers."""
        return self.chunks if self.tokens_out is None else self.tokens_out

    @property
    def tokens_hidden(self) -> int:
        """Reasoning that was generated before the first token that is shown."""
        return 0 if self.chunks_reasoning else min(self.tokens_reasoning or 0, self.output_tokens)

    @property
    def tokens_shown(self) -> int:
        return self.output_tokens - self.tokens_hidden

    @property
    def tpot_ms(self) -> float | None:
        """None for an answer that came at one moment: nothing is known of its tokens then."""
        if self.first_s is None or self.last_s is None or self.tokens_shown < 2 or self.last_s <= self.first_s:
            return None
        return 1e3 * (self.last_s - self.first_s) / (self.tokens_shown - 1)

    @property
    def late_ms(self) -> float:
        """How much later it was sent than planned."""
        return 0.0 if self.planned_s is None else max(0.0, 1e3 * (self.sent_s - self.planned_s))

    def as_event(self) -> dict[str, object]:
        """What is kept of it: enough to compute every figure again."""
        found: dict[str, object] = {
            "index": self.index,
            "warmup": self.warmup or None,
            "sent_mono_s": round(self.sent_s, 6),
            "late_ms": None if self.planned_s is None else round(self.late_ms, 3),
            "connect_ms": None if self.connected_s is None else round(1e3 * (self.connected_s - self.sent_s), 3),
            "ttft_ms": _rounded(self.ttft_ms),
            "e2e_ms": _rounded(self.e2e_ms),
            "ended_ms": round(1e3 * (self.ended_s - self.sent_s), 3),
            "in_flight": self.in_flight,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "tokens_cached": self.tokens_cached,
            "tokens_reasoning": self.tokens_reasoning,
            "chunks": self.chunks,
            "chunks_reasoning": self.chunks_reasoning or None,
            "status": self.status or None,
            "finish": None if self.finish == "length" else self.finish,
            "fault": self.fault.kind if self.fault else None,
            "message": self.fault.message if self.fault else None,
            "gaps_us": self.gaps_us,
        }
        return {name: value for name, value in found.items() if value is not None}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


class Reading:
    """Takes the bytes of an answer, and calls `done` once at its end.

    `done(reusable)`: whether the connection may carry another request.
    """

    def __init__(self, exchange: Exchange, done: Callable[[bool], None]) -> None:
        self._exchange, self._done = exchange, done
        self._answer, self._events, self._chunk = Answer(), Events(), Chunks()
        self._error = b""
        self._said_done = self.over = self._streams = False

    def take(self, data: bytes) -> None:
        now_s = time.monotonic()
        try:
            body = self._answer.feed(data)
            if body:
                self._body(body, now_s)
            if self._answer.ended:
                self._end(now_s)
        except Fault as fault:
            self.fail(fault, now_s)

    def lost(self, problem: BaseException | None) -> None:
        """The connection is gone: for some answers that is their end."""
        now_s = time.monotonic()
        try:
            if problem is None and self._answer.close():
                self._end(now_s)
            elif self._said_done:
                self._finish(now_s, reusable=False)
            else:
                self.fail(of_error(problem), now_s)
        except Fault as fault:
            self.fail(fault, now_s)

    def fail(self, fault: Fault, now_s: float | None = None) -> None:
        if not self.over:
            self._exchange.fault = fault
            self._finish(time.monotonic() if now_s is None else now_s, reusable=False)

    def time_out(self, limit_s: float) -> None:
        """An answer whose last word has come is whole, whatever else the connection waits for."""
        if self._said_done:
            self._finish(time.monotonic(), reusable=False)
        else:
            self.fail(Fault("timeout", f"no complete answer within {limit_s:g} s"))

    def _body(self, body: bytes, now_s: float) -> None:
        if not self._streams:
            answer = self._answer
            self._exchange.status = answer.status
            if answer.status != 200:
                self._error = (self._error + body)[:_LONGEST_ERROR]
                return
            if "text/event-stream" not in answer.content_type:
                raise Fault("not-a-stream", f"the content type is `{answer.content_type}`, not text/event-stream")
            self._streams = True
        for payload in self._events.feed(body):
            self._event(payload, now_s)

    def _event(self, payload: bytes, now_s: float) -> None:
        if payload == DONE:
            self._said_done = True
            return
        exchange, chunk = self._exchange, self._chunk(payload)
        if chunk.text:
            if exchange.last_s is None:
                exchange.first_s = now_s
            else:
                exchange.gaps_us.append(round(1e6 * (now_s - exchange.last_s)))
            exchange.last_s = now_s
            exchange.chunks += 1
            exchange.chunks_reasoning += chunk.reasoning
            if exchange.chunks > _FAR_TOO_MANY * exchange.asked_tokens + _SOME:
                raise Fault("endless", f"{exchange.chunks} tokens came where {exchange.asked_tokens} were asked for")
        if chunk.finish is not None:
            exchange.finish = chunk.finish
        if chunk.usage is not None:
            _count(exchange, chunk.usage)

    def _end(self, now_s: float) -> None:
        self._exchange.status = self._answer.status
        if self._answer.status != 200:
            raise of_status(self._answer.status, self._error, self._answer.location)
        for payload in self._events.finish():
            self._event(payload, now_s)
        if not self._said_done and self._exchange.finish is None:
            raise Fault("cut-short", "the stream ended before the answer was complete")
        if self._exchange.finish in _GIVEN_UP:
            raise Fault("server-error", f"the server gave the answer up (finish_reason `{self._exchange.finish}`)")
        if self._exchange.first_s is None:
            raise Fault("empty", _nothing(self._exchange))
        self._finish(now_s, reusable=self._answer.keeps_open)

    def _finish(self, now_s: float, *, reusable: bool) -> None:
        if not self.over:
            self.over = True
            self._exchange.ended_s = now_s
            self._done(reusable)


def _nothing(exchange: Exchange) -> str:
    if exchange.tokens_reasoning:
        return f"all {exchange.tokens_out} tokens were reasoning that the server does not show; raise output_len"
    return "the answer contains no text"


def _count(exchange: Exchange, usage: dict[str, object]) -> None:
    """Tokens as the server counts them; what is no count is not taken."""
    exchange.tokens_in = _whole(usage.get("prompt_tokens"), exchange.tokens_in)
    exchange.tokens_out = _whole(usage.get("completion_tokens"), exchange.tokens_out)
    inside, outside = usage.get("prompt_tokens_details"), usage.get("completion_tokens_details")
    if isinstance(inside, dict):
        exchange.tokens_cached = _whole(inside.get("cached_tokens"), exchange.tokens_cached)
    if isinstance(outside, dict):
        exchange.tokens_reasoning = _whole(outside.get("reasoning_tokens"), exchange.tokens_reasoning)


def _whole(value: object, otherwise: int | None) -> int | None:
    return value if type(value) is int and 0 <= value < 1 << 53 else otherwise
