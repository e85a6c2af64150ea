"""Connections: each carries one request at a time, and is used again where the server lets it."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Mapping

from assay.serving.address import Address
from assay.serving.exchange import Exchange, Reading
from assay.serving.fault import of_error

#: a server that speaks no TLS may wait in silence for the rest of what it takes for a request
_HANDSHAKE_S = 30.0
_READ_BYTES = 64 << 10


class Wire(asyncio.BufferedProtocol):
    """One connection. All of an endpoint read into one buffer: a plain protocol would get a new one of 256 KiB from the
    kernel for every token, which takes several times as long as the reading.
    """

    def __init__(self, buffer: memoryview) -> None:
        self._buffer = buffer
        self.transport: asyncio.Transport | None = None
        self.reading: Reading | None = None
        self.is_open = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport, self.is_open = transport, True

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        data = bytes(self._buffer[:nbytes])
        if self.reading is not None:
            self.reading.take(data)
        elif data.strip(b"\r\n"):  # nobody asked: it would be taken for the next answer
            self.close()

    def eof_received(self) -> bool:
        return False

    def connection_lost(self, problem: Exception | None) -> None:
        self.is_open = False
        if self.reading is not None:
            self.reading.lost(problem)

    def close(self) -> None:
        self.is_open = False
        if self.transport is not None:
            self.transport.abort()


class Endpoint:
    """Where requests go, with the connections that wait for the next one. No request is ever sent twice."""

    def __init__(self, address: Address, api: str, key: str, timeout_s: float) -> None:
        self._address, self._timeout_s = address, timeout_s
        self._tls = ssl.create_default_context() if address.tls else None
        headers = {
            "Host": address.host_header,
            "User-Agent": "assay",
            "Accept": "text/event-stream",
            "Content-Type": "application/json",
            **({"Authorization": f"Bearer {key}"} if key else {}),
        }
        self._head = _head(address.target(api), headers)
        self._idle: list[Wire] = []
        self._buffer = memoryview(bytearray(_READ_BYTES))
        self.in_flight = 0
        self.was_reached = False  # whether there was ever a connection

    async def ask(self, body: bytes, exchange: Exchange) -> Exchange:
        """Send it and read the answer to its end, whatever that is: a failure is a part of the exchange."""
        loop = asyncio.get_running_loop()
        self.in_flight += 1
        exchange.in_flight, exchange.sent_s = self.in_flight, time.monotonic()
        wire: Wire | None = None
        done: asyncio.Future[bool] = loop.create_future()
        reading = Reading(exchange, done.set_result)
        timer = loop.call_later(self._timeout_s, reading.time_out, self._timeout_s)
        try:
            wire = self._waiting() or await self._connect(exchange)
            wire.reading = reading
            if wire.transport is not None and not reading.over:
                wire.transport.write(self._head + b"%d\r\n\r\n" % len(body) + body)
            reusable = await done
            wire.reading = None
            self._put_back(wire, reusable)
        except (OSError, ValueError, asyncio.TimeoutError) as problem:
            reading.fail(of_error(problem))
        finally:
            timer.cancel()
            self.in_flight -= 1
            if wire is not None and wire.reading is not None:  # cancelled on the way
                wire.reading = None
                wire.close()
        return exchange

    async def open(self, count: int) -> None:
        """Connections for the first requests, so that none of them pays for its own. A failure shows later."""
        made = await asyncio.gather(*(self._connection() for _ in range(count)), return_exceptions=True)
        self._idle += [wire for wire in made if isinstance(wire, Wire)]

    def close(self) -> None:
        for wire in self._idle:
            wire.close()

    def _waiting(self) -> Wire | None:
        while self._idle:
            wire = self._idle.pop()
            if wire.is_open:
                return wire
        return None

    def _put_back(self, wire: Wire, reusable: bool) -> None:
        if reusable and wire.is_open:
            self._idle.append(wire)
        else:
            wire.close()

    async def _connect(self, exchange: Exchange) -> Wire:
        wire = await asyncio.wait_for(self._connection(), self._timeout_s)
        exchange.connected_s = time.monotonic()
        return wire

    async def _connection(self) -> Wire:
        loop = asyncio.get_running_loop()
        patience_s = min(_HANDSHAKE_S, self._timeout_s) if self._tls else None
        _, wire = await loop.create_connection(
            lambda: Wire(self._buffer),
            self._address.host,
            self._address.port,
            ssl=self._tls,
            ssl_handshake_timeout=patience_s,
        )
        self.was_reached = True
        return wire


def _head(target: str, headers: Mapping[str, str]) -> bytes:
    lines = [f"POST {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "Content-Length: "]
    return "\r\n".join(lines).encode("latin-1", "replace")
