"""A server of OpenAI's API that does what it is told and dates what it does, for the tests and for bench/serving.py.

    python known_server.py [--port N] [--ready-after S] [--loads-for S] [--dies-after N] [--deaf] [--log FILE]
                           [--tls FILE]

prints its port, and writes a JSON line for each answer to the log. What it does stands in the name of the model:
`known/ttft=50/itl=10` waits so many ms for the first token and between two, and with `/slots=4` answers four requests
at a time; `cold/s=2` answers 503 for so long after it was first asked; `faults` breaks every request but the tenth in
another way; `no-extras` refuses words that not every server knows, `refuses-WORD` one word by its name; `thinks` hides
three tokens of four as reasoning; `gathers` sends each answer in one piece; `drips` sends a byte at a time, for ever;
`whole` does not stream; `moved` redirects. It counts a word as a token.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import socket
import ssl
import struct
import time
from typing import Any, TextIO

FAULTS = (
    "reset", "bad-json", "429", "500", "503", "no-usage", "not-a-stream", "endless", "huge", "good", "no-http",
    "cut", "error-inside", "empty", "bad-chunk", "400", "not-an-object", "huge-head", "half-a-head",
)  # fmt: skip
_counted = 0
_log: TextIO | None = None
_cold: dict[str, float] = {}  # since when a model is being loaded
_slots: dict[int, asyncio.Semaphore] = {}
_loaded_at_s = 0.0  # until then it lists its model, and answers nothing
_answers_left = -1
#: from Linux's headers: that the kernel dates what arrives
_SO_TIMESTAMPING, _SOFTWARE = 37, 1 << 3 | 1 << 4
_arrived: dict[int, float] = {}  # by the number of the socket: when the last piece came, on the monotonic clock


class Dated(socket.socket):
    """Notes when the kernel got what is read: a server that reads late does not date a request late."""

    def accept(self) -> tuple[socket.socket, Any]:
        number, address = self._accept()  # type: ignore[attr-defined]
        made = Dated(self.family, self.type, self.proto, fileno=number)
        made.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPING, _SOFTWARE)
        return made, address

    def recv(self, size: int, flags: int = 0) -> bytes:
        data, about, _, _ = self.recvmsg(size, 256, flags)
        for level, kind, told in about:
            if (level, kind) == (socket.SOL_SOCKET, _SO_TIMESTAMPING):
                seconds, nanoseconds = struct.unpack_from("qq", told)
                _arrived[self.fileno()] = seconds + nanoseconds / 1e9 - (time.time() - time.monotonic())
        return data


class Request:
    def __init__(self, asked: dict[str, Any], key: str, came_s: float) -> None:
        self.arrived_s = came_s
        self.asked, self.key, self.came_s, self.begun_s = asked, key, came_s, came_s
        name, *settings = str(asked.get("model", "")).split("/")
        self.name = name
        self.settings = {k: float(v) for k, _, v in (one.partition("=") for one in settings)}
        content = asked.get("prompt") or " ".join(str(one.get("content")) for one in asked.get("messages", []))
        self.words = str(content).split()
        self.tokens = int(asked.get("max_tokens") or asked.get("max_completion_tokens") or 16)


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, TimeoutError):
        while await answer(reader, writer):
            pass
    writer.close()


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Whether the connection stays."""
    begin = await reader.readexactly(1)
    if not begin.isalpha():  # TLS, which is not spoken here
        send_json(writer, 400, {"error": "no HTTP"})
        return False
    head = (begin + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    came_s = time.monotonic()
    headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head.split("\r\n")[1:])}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    if not head.startswith("POST"):
        path = head.split()[1]
        if path.endswith("/health") and time.monotonic() < _loaded_at_s:
            send_json(writer, 503, {"error": {"message": "Loading model"}})
            return True
        status = 401 if "locked" in path else 200 if path.endswith(("/models", "/health")) else 404
        send_json(writer, status, {"data": [{"id": "known"}]})
        return True
    request = Request(json.loads(body), headers.get("authorization", ""), came_s)
    request.arrived_s = min(came_s, _arrived.pop(writer.get_extra_info("socket").fileno(), came_s))
    if time.monotonic() < _loaded_at_s:
        send_json(writer, 503, {"error": {"message": "Loading model"}})
        return True
    refused = request.name.partition("refuses-")[2]
    if refused and refused in request.asked:
        send_json(writer, 400, {"error": {"message": f"Unexpected field: '{refused}'"}})
        return True
    if request.name == "moved":
        writer.write(b"HTTP/1.1 308 X\r\nlocation: https://elsewhere/v1\r\ncontent-length: 0\r\n\r\n")
        return True
    if request.name == "whole":
        send_json(writer, 200, {"choices": [{"message": {"content": "hello"}}]})
        return True
    if request.name == "faults":
        return await fault(request, writer)
    if request.name == "drips":
        await broken("drip", writer)
    if request.name == "no-extras" and {"ignore_eos", "min_tokens", "stream_options"} & request.asked.keys():
        send_json(writer, 400, {"error": {"message": "unknown field"}})
        return True
    if request.name == "locked" and request.key != "Bearer sesame-0123456789":
        send_json(writer, 401, {"error": {"message": f"wrong key: {request.key}"}})
        return True
    if (
        request.name == "cold"
        and time.monotonic() < _cold.setdefault(request.asked["model"], came_s) + request.settings["s"]
    ):
        send_json(writer, 503, {"error": {"message": "the model is being loaded"}})
        return True
    if request.name not in ("known", "no-extras", "locked", "early", "cold", "thinks", "gathers") and not refused:
        message = f"The model `{request.name}` does not exist"
        send_json(writer, 404, {"error": {"message": message, "code": "model_not_found"}})
        return True
    slots = int(request.settings.get("slots", 0))
    async with _slots.setdefault(slots, asyncio.Semaphore(slots)) if slots else contextlib.nullcontext():
        request.begun_s = time.monotonic()
        await stream(request, writer)
    return True


async def stream(request: Request, writer: asyncio.StreamWriter, *, usage: bool = True) -> None:
    """All tokens, each at its moment on a schedule that does not drift."""
    settings = request.settings
    writer.write(HEAD)
    send(writer, {"choices": [{"delta": {"role": "assistant", "content": ""}, "finish_reason": None}]})
    tokens = max(1, request.tokens // 2) if request.name == "early" else request.tokens
    due_s, sent = request.begun_s + settings.get("ttft", 0) / 1e3, []
    hidden = 3 * tokens // 4 if request.name == "thinks" else 0
    due_s += hidden * settings.get("itl", 0) / 1e3
    for index in range(hidden, tokens):
        wait_s = due_s - time.monotonic()
        if wait_s > 0:
            await asyncio.sleep(wait_s)
        sent.append(time.monotonic())
        text = f"t{index} " if request.name != "gathers" else " ".join(f"t{index}" for index in range(tokens))
        send(writer, {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})
        if request.name == "gathers":
            break
        due_s += settings.get("itl", 0) / 1e3
        if not settings.get("itl") and index % 16 == 15:
            await writer.drain()
    send(writer, {"choices": [{"delta": {}, "finish_reason": "length" if tokens == request.tokens else "stop"}]})
    if usage and request.asked.get("stream_options"):
        words = len(request.words) + 3
        count: dict[str, Any] = {"prompt_tokens": words, "completion_tokens": tokens, "total_tokens": words + tokens}
        if hidden:
            count["completion_tokens_details"] = {"reasoning_tokens": hidden}
        send(writer, {"choices": [], "usage": count})
    chunk(writer, b"data: [DONE]\n\n")
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    tell(request, sent)


async def fault(request: Request, writer: asyncio.StreamWriter) -> bool:
    """The next kind of misbehaviour. The first requests, with which a client makes itself known, are answered well."""
    global _counted
    kind = FAULTS[_counted % len(FAULTS)] if len(request.words) > 18 else "good"
    _counted += kind != "good" or len(request.words) > 18
    if kind in ("good", "no-usage"):
        await stream(request, writer, usage=kind == "good")
        return True
    if kind.isdigit():
        send_json(writer, int(kind), {"error": {"message": f"this is a {kind}"}})
        return True
    await broken(kind, writer)
    return False


async def broken(kind: str, writer: asyncio.StreamWriter) -> None:
    token = {"choices": [{"delta": {"content": "x "}, "finish_reason": None}]}
    plain = {
        "no-http": b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        "huge-head": b"HTTP/1.1 200 OK\r\nx: " + b"y" * 200_000,
        "half-a-head": b"HTTP/1.1 200 OK\r\ncontent-ty",
        "bad-chunk": HEAD + b"zz\r\n",
    }
    if kind in plain:
        writer.write(plain[kind])
        return
    if kind == "not-a-stream":
        send_json(writer, 200, {"choices": [{"message": {"content": "hello"}}]})
        return
    writer.write(HEAD)
    if kind == "empty":
        chunk(writer, b"data: [DONE]\n\n")
        writer.write(b"0\r\n\r\n")
        return
    send(writer, token)
    await writer.drain()
    if kind == "reset":
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(1, 13, linger)
    elif kind == "bad-json":
        chunk(writer, b'data: {"choices": [{"delta"\n\n')
    elif kind == "not-an-object":
        chunk(writer, b"data: [1, 2]\n\n")
    elif kind == "error-inside":
        send(writer, {"error": {"message": "the engine died"}})
    elif kind == "drip":
        while True:
            chunk(writer, b"d")
            await writer.drain()
            await asyncio.sleep(0.02)
    elif kind == "endless":
        while True:
            send(writer, token)
            await writer.drain()
    elif kind == "huge":
        chunk(writer, b"data: " + b"x" * (3 << 20))
        await writer.drain()


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n"


#: what other clients want to see in each piece
WHOLE = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1763312400, "model": "known"}


def send(writer: asyncio.StreamWriter, value: dict[str, Any]) -> None:
    chunk(writer, b"data: " + json.dumps({**WHOLE, **value}).encode() + b"\n\n")


def chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n" % len(data) + data + b"\r\n")


def send_json(writer: asyncio.StreamWriter, status: int, value: dict[str, Any]) -> None:
    body = json.dumps(value).encode()
    head = b"HTTP/1.1 %d X\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    writer.write(head % (status, len(body)) + body)


def tell(request: Request, sent: list[float]) -> None:
    """When it came and when each token went, on the clock that all processes of a machine share."""
    global _answers_left
    _answers_left -= 1
    if _answers_left == 0:
        print("device lost", flush=True)
        os._exit(9)
    first = " ".join(request.words[:4])
    told = {
        "came_s": request.came_s,
        "arrived_s": request.arrived_s,
        "sent_s": sent,
        "words": len(request.words),
        "first": first,
    }
    if _log is not None:
        _log.write(json.dumps(told) + "\n")
        _log.flush()


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--ready-after", type=float, default=0.0)
    parser.add_argument("--loads-for", type=float, default=0.0)
    parser.add_argument("--dies-after", type=int, default=-1, metavar="ANSWERS")
    parser.add_argument("--deaf", action="store_true", help="ignore SIGTERM and SIGINT")
    parser.add_argument("--log")
    parser.add_argument("--tls", metavar="FILE", help="a certificate with its key")
    options = parser.parse_args()
    global _loaded_at_s, _answers_left
    _loaded_at_s, _answers_left = time.monotonic() + options.loads_for, options.dies_after
    for number in (signal.SIGTERM, signal.SIGINT) if options.deaf else ():
        signal.signal(number, signal.SIG_IGN)
    if options.log:
        global _log
        _log = open(options.log, "w")  # noqa: SIM115  # until the end
    await asyncio.sleep(options.ready_after)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if options.tls else None
    if tls is not None:
        tls.load_cert_chain(options.tls)
    kind = socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP  # named, else asyncio leaves Nagle's algorithm on
    listening = socket.socket(*kind) if tls else Dated(*kind)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", options.port))
    server = await asyncio.start_server(serve, sock=listening, backlog=512, ssl=tls)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())
