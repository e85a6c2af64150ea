"""What is asked of a server, and how: the settings of `assay run endpoint`."""

from __future__ import annotations

import os
from dataclasses import dataclass

from assay.serving.address import Address, address_of
from assay.serving.figures import Limits
from assay.serving.program import BadSetting, Plain, setting

#: `base_url=served` is the address of the server that `assay run --serve` started. Its port is another each time, so it
#: stands in a variable: the words of a run are the same when it is repeated or resumed.
SERVED, SERVED_AT = "served", "ASSAY_SERVED_AT"


@dataclass(frozen=True, kw_only=True)
class Settings(Plain):
    """Where, what is asked, and the load."""

    MODULE = "assay.serving.endpoint"

    url: str = setting("", "address of the server: http://host:port/v1 (default: $OPENAI_BASE_URL)")
    base_url: str = setting("", "the address, if url is only a name for it")
    model: str = setting("", "the model to ask (default: the server's only one)")
    served_as: str = setting("", "the name of the model on the server, if it differs")
    api: str = setting("chat", "which API to use", choices=("chat", "completions"))
    key_env: str = setting("", "environment variable with the key, which is never recorded")
    prompts: str = setting("", "a file with one prompt per line, as text or JSON (default: generated prompts)")
    fresh: bool = setting(True, "begin every prompt with different random words, so that no prefix cache answers")
    input_len: int = setting(512, "tokens per generated prompt", least=1, most=10_000_000)
    output_len: int = setting(128, "tokens per answer", least=1, most=1_000_000)
    concurrency: int = setting(
        0, "closed loop: requests always in flight (1 if no load is chosen)", least=0, most=10_000
    )
    request_rate: float = setting(0.0, "open loop: requests per second, whether or not the server keeps up", least=0.0)
    arrivals: str = setting("poisson", "arrival times of an open loop", choices=("poisson", "even"))
    requests: int = setting(200, "number of measured requests", least=1, most=10_000_000)
    warmup: int = setting(5, "number of warm-up requests", least=0, most=1_000_000)
    timeout_s: float = setting(600.0, "seconds after which a request counts as failed", least=0.001)
    ready_s: float = setting(0.0, "seconds to wait for the server at the start", least=0.0)
    ttft_limit_ms: float = setting(0.0, "goodput limit: time to first token (0: no limit)", least=0.0)
    tpot_limit_ms: float = setting(0.0, "goodput limit: time per output token", least=0.0)
    e2e_limit_ms: float = setting(0.0, "goodput limit: time of a whole request", least=0.0)

    def check(self) -> None:
        super().check()
        if self.concurrency and self.request_rate:
            raise BadSetting(
                "concurrency and request_rate exclude each other",
                "a closed loop has a concurrency, an open one a request_rate",
            )
        if self.arrivals != "poisson" and not self.request_rate:
            raise BadSetting(f"`arrivals={self.arrivals}` needs a request_rate", "add request_rate=4")
        if self.request_rate > 1e5:
            raise BadSetting("no client sends so many requests a second", "choose a smaller request_rate")
        if self.base_url != SERVED and (self.base_url or self.url):
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
    if settings.base_url == SERVED and SERVED_AT not in os.environ:
        raise BadSetting("the server that was started for this run has been stopped", "use assay run --serve … again")
    given = os.environ[SERVED_AT] if settings.base_url == SERVED else settings.base_url
    url = given or settings.url or os.environ.get("OPENAI_BASE_URL", "")
    if not url:
        raise BadSetting("the address of the server is missing", "add url=http://localhost:8000/v1")
    return address_of(url)


def key(settings: Settings) -> str:
    """Of the variable that was named. OpenAI's own variables go together: its key goes to no other address."""
    name = settings.key_env or ("OPENAI_API_KEY" if not (settings.url or settings.base_url) else "")
    found = os.environ.get(name, "") if name else ""
    if settings.key_env and not found:
        raise BadSetting(f"the variable `{settings.key_env}` is not set", f"export {settings.key_env}=…")
    if not found.isprintable() or not found.isascii():
        raise BadSetting(f"the variable `{name}` does not contain a valid key")
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
