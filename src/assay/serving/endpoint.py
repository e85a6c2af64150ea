"""A server of language models measured through its OpenAI-style API: latency of every request, throughput of all.

    assay run endpoint url=http://localhost:8000/v1 model=NAME concurrency=8 requests=200
    assay run endpoint url=… request_rate=4 input_len=512 output_len=128 ttft_limit_ms=500

Answers are streamed, and every piece is dated as it arrives. All answers have the same length where the server allows
it, no two prompts begin alike, nothing is tried twice, and what failed is counted by its kind. See docs/serving.md.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence

from assay.serving.program import Failure, announce, report, start
from assay.serving.session import Session
from assay.serving.settings import Settings, address, in_effect, key


def main(words: Sequence[str]) -> int:
    settings = Settings.parse(words)
    where, secret = address(settings), key(settings)
    session = Session(settings, where, secret)
    session.prepare()
    announce(settings, **in_effect(settings, where, session.model))
    try:
        return asyncio.run(session.run())
    except asyncio.CancelledError:  # SIGTERM; after a Ctrl-C it is a KeyboardInterrupt by now
        return report(Failure("interrupted", "stopped"), 128 + signal.SIGTERM)


if __name__ == "__main__":
    start(main)
