"""A server of OpenAI's API that does what it is told and dates what it does, for the tests and for bench/serving.py.

    python known_server.py [--port N] [--ready-after S] [--log FILE]

prints its port, and writes a JSON line for each answer to the log. What it does stands in the name of the model:
`known/ttft=50/itl=10` waits so many ms for the first token and between two; `faults` breaks every request but the
tenth in another way; `no-extras` refuses words that not every server knows. It counts a word as a token.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import struct
import time
from typing import Any, TextIO

FAULTS = (
    "reset", "drip", "bad-json", "429", "500", "503", "no-usage", "not-a-stream", "endless", "huge", "good", "no-http",
    "cut", "error-inside", "empty", "bad-chunk", "400", "not-an-object", "huge-head", "half-a-head",
)  # fmt: skip
_counted = 0
_log: TextIO | None = None


class Request:
    def __init__(self, asked: dict[str, Any], key: str, came_s: float) -> None:
        self.asked, self.key, self.came_s = asked, key, came_s
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
    if head.startswith("GET"):
        found = head.split()[1].endswith(("/models", "/health"))
        send_json(writer, 200 if found else 404, {"data": [{"id": "known"}]})
        return True
    request = Request(json.loads(body), headers.get("authorization", ""), came_s)
    if request.name == "faults":
        return await fault(request, writer)
    if request.name == "no-extras" and {"ignore_eos", "min_tokens", "stream_options"} & request.asked.keys():
        send_json(writer, 400, {"error": {"message": "unknown field"}})
        return True
    if request.name == "locked" and request.key != "Bearer sesame-0123456789":
        send_json(writer, 401, {"error": {"message": f"wrong key: {request.key}"}})
        return True
    if request.name not in ("known", "no-extras", "locked", "early"):
        message = f"The model `{request.name}` does not exist"
        send_json(writer, 404, {"error": {"message": message, "code": "model_not_found"}})
        return True
    await stream(request, writer)
    return True


async def stream(request: Request, writer: asyncio.StreamWriter, *, usage: bool = True) -> None:
    """All tokens, each at its moment on a schedule that does not drift."""
    settings = request.settings
    writer.write(HEAD)
    send(writer, {"choices": [{"delta": {"role": "assistant", "content": ""}, "finish_reason": None}]})
    tokens = max(1, request.tokens // 2) if request.name == "early" else request.tokens
    due_s, sent = request.came_s + settings.get("ttft", 0) / 1e3, []
    for index in range(tokens):
        wait_s = due_s - time.monotonic()
        if wait_s > 0:
            await asyncio.sleep(wait_s)
        sent.append(time.monotonic())
        send(writer, {"choices": [{"delta": {"content": f"t{index} "}, "finish_reason": None}]})
        due_s += settings.get("itl", 0) / 1e3
        if not settings.get("itl") and index % 16 == 15:
            await writer.drain()
    send(writer, {"choices": [{"delta": {}, "finish_reason": "length" if tokens == request.tokens else "stop"}]})
    if usage and request.asked.get("stream_options"):
        count = {"prompt_tokens": len(request.words) + 3, "completion_tokens": tokens}
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


def send(writer: asyncio.StreamWriter, value: dict[str, Any]) -> None:
    chunk(writer, b"data: " + json.dumps(value).encode() + b"\n\n")


def chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n" % len(data) + data + b"\r\n")


def send_json(writer: asyncio.StreamWriter, status: int, value: dict[str, Any]) -> None:
    body = json.dumps(value).encode()
    head = b"HTTP/1.1 %d X\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    writer.write(head % (status, len(body)) + body)


def tell(request: Request, sent: list[float]) -> None:
    """When it came and when each token went, on the clock that all processes of a machine share."""
    first = " ".join(request.words[:4])
    told = {"came_s": request.came_s, "sent_s": sent, "words": len(request.words), "first": first}
    if _log is not None:
        _log.write(json.dumps(told) + "\n")
        _log.flush()


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--ready-after", type=float, default=0.0)
    parser.add_argument("--log")
    options = parser.parse_args()
    if options.log:
        global _log
        _log = open(options.log, "w")  # noqa: SIM115  # until the end
    await asyncio.sleep(options.ready_after)
    server = await asyncio.start_server(serve, "127.0.0.1", options.port, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())
