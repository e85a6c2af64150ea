"""A server of language models measured through its OpenAI-style API: latency of every request, throughput of all.

    assay run endpoint url=http://localhost:8000/v1 model=NAME concurrency=8 requests=200
    assay run endpoint url=… request_rate=4 input_len=512 output_len=128 ttft_limit_ms=500

Answers are streamed, and every piece is dated as it arrives. All answers have the same length where the server allows
it, no two prompts begin alike, nothing is tried twice, and what failed is counted by its kind. See docs/serving.md.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass

from assay.workloads.client.address import Address, address_of
from assay.workloads.client.figures import Limits
from assay.workloads.failure import BadSetting, start
from assay.workloads.settings import Plain, announce, parse, setting


@dataclass(frozen=True, kw_only=True)
class Settings(Plain):
    """Where, what is asked, and the load."""

    url: str = setting("", "address of the server: http://host:port/v1 (else $OPENAI_BASE_URL)")
    base_url: str = setting("", "the address, where url is only a name for it")
    model: str = setting("", "the model to ask (else the one that the server has)")
    served_as: str = setting("", "what the server calls that model, where it has another name there")
    api: str = setting("chat", "which of its two ways to ask", choices=("chat", "completions"))
    key_env: str = setting("", "variable that holds the key, which is never recorded")
    prompts: str = setting("", "a file with a prompt a line, as text or JSON (else they are made up)")
    fresh: bool = setting(True, "begin every prompt with words of its own, so that no prefix cache answers")
    input_len: int = setting(512, "tokens of a made-up prompt", least=1, most=10_000_000)
    output_len: int = setting(128, "tokens of an answer", least=1, most=1_000_000)
    concurrency: int = setting(
        0, "closed loop: requests always in flight (1 if no load is chosen)", least=0, most=10_000
    )
    request_rate: float = setting(0.0, "open loop: requests per second, whether or not the server keeps up", least=0.0)
    arrivals: str = setting("poisson", "when the requests of an open loop come", choices=("poisson", "even"))
    requests: int = setting(200, "requests that are measured", least=1, most=10_000_000)
    warmup: int = setting(5, "requests before them that are not", least=0, most=1_000_000)
    timeout_s: float = setting(600.0, "seconds after which a request has failed", least=0.001)
    ready_s: float = setting(0.0, "seconds to wait for the server at the start", least=0.0)
    ttft_limit_ms: float = setting(0.0, "for the goodput: time to the first token at most (0: no limit)", least=0.0)
    tpot_limit_ms: float = setting(0.0, "for the goodput: time per further token at most", least=0.0)
    e2e_limit_ms: float = setting(0.0, "for the goodput: time of a whole request at most", least=0.0)

    def check(self) -> None:
        super().check()
        if self.concurrency and self.request_rate:
            raise BadSetting(
                "concurrency and request_rate exclude each other",
                "a closed loop has a concurrency, an open one a request_rate",
            )
        if self.request_rate > 1e5:
            raise BadSetting("no client sends so many requests a second", "choose a smaller request_rate")
        if self.base_url or self.url:
            address_of(self.base_url or self.url)

    @property
    def is_open(self) -> bool:
        return self.request_rate > 0

    @property
    def at_once(self) -> int:
        """Requests in flight of a closed loop."""
        return self.concurrency or 1

    @property
    def limits(self) -> Limits:
        return Limits(ttft_ms=self.ttft_limit_ms, tpot_ms=self.tpot_limit_ms, e2e_ms=self.e2e_limit_ms)


def address(settings: Settings) -> Address:
    url = settings.base_url or settings.url or os.environ.get("OPENAI_BASE_URL", "")
    if not url:
        raise BadSetting("no address of a server", "give it: url=http://localhost:8000/v1")
    return address_of(url)


def key(settings: Settings) -> str:
    """Of the variable that was named. OpenAI's own variables go together: its key goes to no other address."""
    name = settings.key_env or ("OPENAI_API_KEY" if not (settings.url or settings.base_url) else "")
    found = os.environ.get(name, "") if name else ""
    if settings.key_env and not found:
        raise BadSetting(f"the variable `{settings.key_env}` is not set", f"export {settings.key_env}=…")
    if not found.isprintable() or not found.isascii():
        raise BadSetting(f"the variable `{name}` holds no key: it has characters that no key has")
    return found.strip()


def in_effect(settings: Settings, where: Address, model: str) -> dict[str, object]:
    """What was found out, and without what this load does not have."""
    load = {"concurrency": None} if settings.is_open else {"request_rate": None, "arrivals": None}
    unset = dict.fromkeys(("ready_s", "ttft_limit_ms", "tpot_limit_ms", "e2e_limit_ms"))
    given = {name: value for name in unset if (value := getattr(settings, name))}
    length = {"input_len": None} if settings.prompts else {"fresh": None}
    closed = {} if settings.is_open else {"concurrency": settings.at_once}
    # a name tells servers apart as well as an address
    url = settings.url if settings.base_url else where.url("")
    return {
        **load,
        **closed,
        **unset,
        **given,
        **length,
        "served_as": None,
        "base_url": None,
        "url": url,
        "model": model,
    }


def main(words: Sequence[str]) -> int:
    settings = parse(Settings, words)
    where, secret = address(settings), key(settings)
    from assay.workloads.client.session import Session

    session = Session(settings, where, secret)
    session.prepare()
    announce(settings, **in_effect(settings, where, session.model))
    return asyncio.run(session.run())


if __name__ == "__main__":
    start(main)
