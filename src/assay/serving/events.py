"""Server-sent events out of the bytes of a body, and what a chunk of a completion says.

    data: {"choices":[{"delta":{"content":" is"},"finish_reason":null}]}

    data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":128}}

    data: [DONE]

The trap: the first chunk often holds a role and no text, the last one usage and no choices; neither is a token.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from assay.serving.fault import Fault, said

_LONGEST_EVENT = 1 << 20
DONE = b"[DONE]"


class Events:
    """`feed` gives the payloads of all events that are whole."""

    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> list[bytes]:
        if (
            not self._held
            and data.endswith(b"\n\n")
            and data.startswith(b"data:")
            and data.find(b"\n") == len(data) - 2
        ):
            return [data[5:].strip()]  # one event and nothing else, as almost every token comes
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
    reasoning: bool = False  # it is only the latter
    finish: str | None = None
    usage: dict[str, object] | None = None


#: the usual chunk, made once: almost every event is one
_TOKEN, _THOUGHT, _NOTHING = Chunk(text=True), Chunk(text=True, reasoning=True), Chunk(text=False)
#: the half of `json.loads` that is needed: the other half guesses the encoding, and takes longer
_decode = json.JSONDecoder().raw_decode
#: a text without escapes, by the name that it may have
_TEXTS = [
    re.compile(rb'"%s": ?"([^"\\]{1,1000})"' % name)
    for name in (b"content", b"text", b"reasoning_content", b"reasoning")
]
#: a text that JSON writes as it is
_PLAIN = re.compile(rb"[ !#-\[\]-~]+").fullmatch
_REASONING, _OTHERS = ("reasoning_content", "reasoning"), ("tool_calls", "refusal")


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
    if found.get("error") or found.get("object") == "error":  # the second of older versions of vLLM
        raise Fault("server-error", said(payload)[0])
    choices, usage = found.get("choices"), found.get("usage")
    held, finish = _first(choices[0]) if isinstance(choices, list) and choices else (_NOTHING, None)
    if finish is None and not usage:
        return held
    return Chunk(
        text=held.text, reasoning=held.reasoning, finish=finish, usage=usage if isinstance(usage, dict) else None
    )


def _first(choice: object) -> tuple[Chunk, str | None]:
    """(what it holds, why the answer ends with it)."""
    if not isinstance(choice, dict):
        raise Fault("bad-json", "a choice of the stream is not an object")
    delta, finish = choice.get("delta"), choice.get("finish_reason")
    if not isinstance(delta, dict):
        held = _TOKEN if choice.get("text") else _NOTHING
    elif delta.get("content"):
        held = _TOKEN
    elif any(map(delta.get, _REASONING)):
        held = _THOUGHT
    else:
        held = _TOKEN if any(map(delta.get, _OTHERS)) else _NOTHING
    return held, str(finish) if finish else None


class Chunks:
    """What each event of one answer says.

    Almost all of them differ in one JSON string: the text. So the first one with a text is kept as what stands before
    and after it, and one that has the same around a plain text is a token without being decoded: that is most of the
    client's work.
    """

    def __init__(self) -> None:
        self._before = self._after = b""
        self._held = _NOTHING  # what one of this form holds

    def __call__(self, payload: bytes) -> Chunk:
        before, after = self._before, self._after
        if (
            before
            and payload.startswith(before)
            and payload.endswith(after)
            and _PLAIN(payload, len(before), len(payload) - len(after))
        ):
            return self._held
        chunk = chunk_of(payload)
        if not self._before and (chunk is _TOKEN or chunk is _THOUGHT):
            self._learn(payload, chunk)
        return chunk

    def _learn(self, payload: bytes, chunk: Chunk) -> None:
        """Only where the text decides alone: with another it is the same chunk, and without any it is none."""
        for name in _TEXTS:
            found = name.search(payload)
            if found is None:
                continue
            before, after = payload[: found.start(1)], payload[found.end(1) :]
            if chunk_of(before + b"x" + after) is chunk and chunk_of(before + after) is _NOTHING:
                self._before, self._after, self._held = before, after, chunk
                return
