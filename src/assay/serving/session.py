"""One measurement, from the first contact with the server to the last figure."""

from __future__ import annotations

import asyncio
import resource
import signal
import threading
import time

import assay
from assay.serving import load, ready, words
from assay.serving.address import Address
from assay.serving.body import Body
from assay.serving.exchange import Exchange
from assay.serving.fault import Fault, masked
from assay.serving.figures import figures
from assay.serving.program import Failure, warn
from assay.serving.prompts import Given, Made, read_prompts
from assay.serving.settings import Settings
from assay.serving.wire import Endpoint

#: without which there is nothing to measure; anything else may pass
_HOPELESS = (
    "refused", "unreachable", "unknown-host", "tls", "http-301", "http-302", "http-307", "http-308", "http-401",
    "http-403", "http-404", "http-405", "no-such-model", "not-a-stream",
)  # fmt: skip
_REFUSES_WORDS = ("http-400", "http-422")
#: what a server says while it loads the model
_LOADING = ("http-429", "http-502", "http-503", "http-504", "timeout")
#: how a server ends a request in which it expected a TLS handshake
_NO_HTTP = ("bad-http", "cut-short", "reset")
_LOOK_S, _LONGEST_LOOK_S = 0.25, 5.0
_FEW_WORDS, _FEW_TOKENS = 16, 2


class Session:
    """The phases of a measurement: ready, load, probe, warmup, measure."""

    def __init__(self, settings: Settings, address: Address, key: str) -> None:
        self._settings, self._address, self._key = settings, address, key
        self._prompts: Made | Given
        if settings.prompts:
            self._prompts = Given(read_prompts(settings.prompts), fresh=settings.fresh)
        else:
            self._prompts = Made(settings.seed)
            self._prompts.of_words(settings.input_len)
        self.model = settings.model
        self._sent = 0
        self._finished: list[Exchange] = []  # measured, in the order of their ends

    def prepare(self) -> None:
        """Before anything is said of it: the server is there, and the model is known."""
        if self._settings.ready_s:
            with assay.phase("ready"):
                waited_s = ready.wait(self._address, self._key, self._settings.ready_s)
            assay.result(ready_s=round(waited_s, 3))
        if not self.model:
            self.model = ready.only_model(self._address, self._key)

    async def run(self) -> int:
        settings = self._settings
        self._endpoint = Endpoint(self._address, settings.api, self._key, settings.timeout_s)
        model = settings.served_as or self.model
        self._body = Body(api=settings.api, model=model, output_len=settings.output_len)
        _allow_files()
        _stop_in_order()
        try:
            with assay.phase("load"):
                first = await self._loaded()
            with assay.phase("probe"):
                await self._probe(first)
            with assay.phase("warmup"):
                await load.closed(self._warm, settings.warmup, settings.at_once)
                await self._endpoint.open(0 if settings.is_open else min(settings.at_once, settings.requests))
            with assay.phase("measure"):
                driven = await load.drive(self._load(), self._finished)
        finally:
            self._endpoint.close()
        code = self._tell(driven)
        if driven.stopped:
            raise asyncio.CancelledError
        return code

    async def _loaded(self) -> Exchange:
        """The first answer, for which the server may load the model; if it answers that it is loading, it is asked
        again.
        """
        begin_s, wait_s, limit_s = time.monotonic(), _LOOK_S, self._settings.ready_s
        first = await self._first()
        while first.fault is not None and first.fault.kind in _LOADING and limit_s:
            if time.monotonic() + wait_s > begin_s + limit_s:
                why = f"{first.fault.kind}: {first.fault.message}"
                message = f"the model was not ready after {limit_s:g} s ({why})"
                raise Failure("no-answer", message, "wait longer: ready_s=1800")
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, _LONGEST_LOOK_S)
            first = await self._first()
        assay.result(first_answer_s=round(time.monotonic() - begin_s, 3))
        return first

    def _hopeless(self, fault: Fault) -> Failure:
        return ready.unreachable(self._address, fault, self._settings.key_env if self._key else "")

    async def _probe(self, first: Exchange) -> None:
        """Which words does the server take, and how long is a prompt in its tokens?"""
        while first.fault is not None and first.fault.kind in _REFUSES_WORDS:
            plainer = self._body.plainer(first.fault.message)
            if plainer is None:
                raise self._hopeless(first.fault)
            self._body = plainer
            first = await self._first()
        if first.fault is not None and (first.fault.kind in _HOPELESS or not self._endpoint.was_reached):
            raise self._hopeless(first.fault)
        assay.params(asks_for=",".join(self._body.asks_for))
        if isinstance(self._prompts, Made):
            await self._fit(self._prompts, first)

    async def _first(self) -> Exchange:
        if isinstance(self._prompts, Made):
            self._prompts.of_words(min(_FEW_WORDS, self._settings.input_len))
        return await self._ask(-1, None, output_len=_FEW_TOKENS, warmup=True)

    async def _fit(self, prompts: Made, first: Exchange) -> None:
        """So many words that a prompt has the tokens that were asked for, as the server counts them."""
        few, wanted = prompts.words, self._settings.input_len
        prompts.of_words(wanted)
        if wanted <= few or first.tokens_in is None:
            return
        second = await self._ask(-1, None, output_len=_FEW_TOKENS, warmup=True)
        if second.tokens_in is None or second.tokens_in <= first.tokens_in:
            return
        per_word = (second.tokens_in - first.tokens_in) / (wanted - few)
        prompts.of_words(max(1, round(few + (wanted - first.tokens_in) / per_word)))

    def _load(self) -> asyncio.Future[None]:
        settings = self._settings
        if settings.is_open:
            poisson = settings.arrivals == "poisson"
            rate = load.opened(self._ask, settings.requests, settings.request_rate, poisson=poisson, seed=settings.seed)
            return asyncio.ensure_future(rate)
        return asyncio.ensure_future(load.closed(self._ask, settings.requests, settings.at_once))

    async def _warm(self, index: int, planned_s: float | None) -> Exchange:
        return await self._ask(index, planned_s, warmup=True)

    async def _ask(
        self, index: int, planned_s: float | None, *, output_len: int | None = None, warmup: bool = False
    ) -> Exchange:
        """The next prompt, sent and answered, and its event."""
        body = self._body.of(self._prompts(self._sent), output_len)
        self._sent += 1
        asked = output_len or self._settings.output_len
        exchange = Exchange(index=index, asked_tokens=asked, warmup=warmup, planned_s=planned_s)
        await self._endpoint.ask(body, exchange)
        assay.request(**self._masked(exchange).as_event())
        if not warmup:
            self._finished.append(exchange)
        return exchange

    def _masked(self, exchange: Exchange) -> Exchange:
        """A server may repeat the key in what it says."""
        if self._key and exchange.fault is not None:
            exchange.fault.message = masked(exchange.fault.message, self._key)
        return exchange

    def _tell(self, driven: load.Driven) -> int:
        """The figures, printed and kept; a run in which nothing succeeded has failed."""
        found = figures(driven, self._settings.limits)
        for line in words.table(found, self._settings, driven.exchanges):
            print(line, flush=True)
        repeats = len(self._prompts) if isinstance(self._prompts, Given) and not self._settings.fresh else None
        for line in words.warnings(found, self._settings, different_prompts=repeats):
            warn(line)
        assay.result(model=self.model, **found)
        if not found["requests"] and not driven.stopped:
            raise _all_failed(driven.exchanges, plain=not self._address.tls)
        return 0


def _all_failed(exchanges: list[Exchange], *, plain: bool) -> Failure:
    fault = next((one.fault for one in exchanges if one.fault is not None), None)
    why, hint = f" ({fault.kind}: {fault.message})" if fault else "", None
    if fault and fault.kind in _LOADING:
        hint = "if the server is still loading, wait for it: ready_s=600"
    elif fault and fault.kind in _NO_HTTP and plain and not any(one.status for one in exchanges):
        hint = "if the server expects TLS: url=https://…"
    return Failure("no-answer", f"all {len(exchanges):,} requests failed{why}", hint)


def _stop_in_order() -> None:
    """SIGTERM ends the measurement as Ctrl-C does: with the figures of what has been measured."""
    task = asyncio.current_task()
    if task is not None and threading.current_thread() is threading.main_thread():
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)


def _allow_files() -> None:
    """A connection is an open file, and an open loop may need many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY or soft < hard:
        wanted = 65536 if hard == resource.RLIM_INFINITY else min(hard, 65536)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
