"""Server-sent events out of the bytes of a body, and what a chunk of a completion says.

    data: {"choices":[{"delta":{"content":" is"},"finish_reason":null}]}

    data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":128}}

    data: [DONE]

The trap: the first chunk often holds a role and no text, the last one usage and no choices; neither is a token.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from assay.workloads.client.fault import Fault, said

_LONGEST_EVENT = 1 << 20
DONE = b"[DONE]"


class Events:
    """`feed` gives the payloads of all events that are whole."""

    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> list[bytes]:
        self._held.append(data)
        self._size += len(data)
        if b"\n" not in data:
            self._check()
            return []
        text = b"".join(self._held) if len(self._held) > 1 else data
        if b"\r" in text:
            text = text.replace(b"\r\n", b"\n")
        *whole, rest = text.split(b"\n\n")
        self._held, self._size = [rest] if rest else [], len(rest)
        self._check()
        return [payload for one in whole if (payload := _payload(one))]

    def finish(self) -> list[bytes]:
        """What stands at the end without an empty line after it."""
        rest, self._held = b"".join(self._held), []
        payload = _payload(rest.replace(b"\r\n", b"\n"))
        return [payload] if payload else []

    def _check(self) -> None:
        if self._size > _LONGEST_EVENT:
            raise Fault("too-large", f"one event of the stream is larger than {_LONGEST_EVENT >> 20} MiB")


def _payload(event: bytes) -> bytes:
    if event.startswith(b"data:") and b"\n" not in event:
        return event[5:].strip()
    lines = [line[5:].strip() for line in event.split(b"\n") if line.startswith(b"data:")]
    return b"\n".join(lines)


@dataclass(frozen=True, kw_only=True, slots=True)
class Chunk:
    """What one event of a completion says."""

    text: bool  # it holds what a reader would see, or reasoning that is shown apart
    finish: str | None = None
    usage: dict[str, object] | None = None


#: the usual chunk, made once: almost every event is one
_TOKEN, _NOTHING = Chunk(text=True), Chunk(text=False)
#: the half of `json.loads` that is needed: the other half guesses the encoding, and takes longer
_decode = json.JSONDecoder().raw_decode
_TEXTS = ("content", "reasoning_content", "reasoning", "tool_calls", "refusal")


def chunk_of(payload: bytes) -> Chunk:
    """Refuses what is no JSON object, and an error that the server reports within the stream."""
    try:
        text = str(payload, "utf-8")
        found, end = _decode(text)
        if end != len(text):
            raise ValueError
    except (ValueError, RecursionError):
        raise Fault(
            "bad-json", f"an event of the stream is not JSON: {payload[:60].decode('utf-8', 'replace')}"
        ) from None
    if not isinstance(found, dict):
        raise Fault("bad-json", "an event of the stream is not an object")
    if found.get("error"):
        raise Fault("server-error", said(payload)[0])
    choices, usage = found.get("choices"), found.get("usage")
    has_text, finish = _first(choices[0]) if isinstance(choices, list) and choices else (False, None)
    if finish is None and not usage:
        return _TOKEN if has_text else _NOTHING
    return Chunk(text=has_text, finish=finish, usage=usage if isinstance(usage, dict) else None)


def _first(choice: object) -> tuple[bool, str | None]:
    if not isinstance(choice, dict):
        raise Fault("bad-json", "a choice of the stream is not an object")
    delta, finish = choice.get("delta"), choice.get("finish_reason")
    text = any(map(delta.get, _TEXTS)) if isinstance(delta, dict) else bool(choice.get("text"))
    return text, str(finish) if finish else None
