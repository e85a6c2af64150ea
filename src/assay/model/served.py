"""One request to a server, as the client that sent it saw it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.model.event_base import Event
from assay.model.record import LONGEST_S, fact


@dataclass(frozen=True, kw_only=True)
class Served(Event):
    """Enough to compute every figure of a serving benchmark again. The event is dated by the end of the request."""

    kind: ClassVar[str] = "request"

    index: int | None = fact("Which request it is, in the order of sending; -1 for one that only tries the server.")
    warmup: bool = fact("Whether it was sent before the measurement.", False)
    sent_mono_s: float | None = fact("When it was sent, on the clock of `mono_s`.", most=LONGEST_S)
    late_ms: float | None = fact("How much later than an open loop had planned it.")
    connect_ms: float | None = fact("How long its connection took, where one had to be made.")
    ttft_ms: float | None = fact("From sending to the first token.")
    e2e_ms: float | None = fact("From sending to the last token.")
    ended_ms: float | None = fact("From sending to the end of the answer, or to its failure.")
    in_flight: int | None = fact("Requests in flight as it was sent, with itself.")
    tokens_in: int | None = fact("Tokens of the prompt, as the server counted them.")
    tokens_out: int | None = fact("Tokens of the answer, as the server counted them.")
    tokens_cached: int | None = fact("Prompt tokens that the server took from a cache, as it reports.")
    tokens_reasoning: int | None = fact("Reasoning tokens in the answer, as the server reports.")
    chunks: int | None = fact("Pieces with text that the answer came in.")
    chunks_reasoning: int | None = fact("Those of them that hold reasoning.")
    status: int | None = fact("The HTTP status.")
    finish: str = fact("Why the answer ended, where that is not its length: stop, or another word of the server.", "")
    fault: str = fact("The kind of its failure: refused, reset, timeout, http-503; see docs/serving.md.", "")
    message: str = fact("What the server or the system said of the failure.", "")
    gaps_us: tuple[int, ...] = fact("Microseconds between its pieces, in order.", ())

    @property
    def tpot_ms(self) -> float | None:
        """Per token after the first that is shown; None for an answer that came at one moment."""
        if self.ttft_ms is None or self.e2e_ms is None or self.e2e_ms <= self.ttft_ms:
            return None
        tokens = self.tokens_out or self.chunks or 0
        shown = tokens if self.chunks_reasoning else tokens - (self.tokens_reasoning or 0)
        return (self.e2e_ms - self.ttft_ms) / (shown - 1) if shown > 1 else None
