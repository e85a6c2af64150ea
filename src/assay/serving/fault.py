"""What can go wrong with one request, as a kind that can be counted and a message for people.

refused unreachable unknown-host tls reset cut-short timeout http-NNN no-such-model bad-http bad-json not-a-stream
too-large endless empty server-error interrupted
"""

from __future__ import annotations

import errno
import json
import socket
import ssl
from itertools import takewhile

_LONGEST = 300
_TELLING = 8  # so many letters of a key tell it from any other text


class Fault(Exception):
    """One request failed. The kind is one of the words above."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind, self.message = kind, message[:_LONGEST]


def of_error(problem: BaseException | None) -> Fault:
    """An error of a connection, as one of our kinds; no error at all means that it ended too early."""
    if isinstance(problem, Fault):
        return problem
    if problem is None:
        return Fault("cut-short", "the server closed the connection before the answer was complete")
    message = str(problem) or type(problem).__name__
    if isinstance(problem, (ssl.SSLError, ssl.CertificateError)) or "SSL handshake" in message:
        return Fault("tls", message)
    if isinstance(problem, socket.gaierror):
        return Fault("unknown-host", message)
    if (
        isinstance(problem, ConnectionRefusedError) or f"[Errno {errno.ECONNREFUSED}]" in message
    ):  # of all its addresses
        return Fault("refused", "the server refused the connection")
    if isinstance(problem, (ConnectionResetError, BrokenPipeError, ConnectionAbortedError)):
        return Fault("reset", "the connection was reset")
    if isinstance(problem, TimeoutError):
        return Fault("timeout", "the connection timed out")
    return Fault("unreachable", message)


def of_status(status: int, body: bytes, location: str = "") -> Fault:
    """An answer that is not a success, with the server's message if it can be read."""
    message, code = said(body)
    if 300 <= status < 400 and location:
        return Fault(f"http-{status}", f"the server redirects to {location}")
    if status == 404 and (code == "model_not_found" or "model" in message.lower()):
        return Fault("no-such-model", message or "the server does not know the model")
    return Fault(f"http-{status}", message or f"HTTP status {status}")


def masked(message: str, key: str) -> str:
    """Without the key, and without any beginning of it: a server may repeat it, and a long message is cut."""
    if not key:
        return message
    sign, at = key[:_TELLING], 0
    while sign and (at := message.find(sign, at)) >= 0:
        alike = takewhile(lambda pair: pair[0] == pair[1], zip(message[at:], key, strict=False))
        end = at + sum(1 for _ in alike)
        message = f"{message[:at]}***{message[end:]}"
        at += 3
    cut = next((n for n in range(min(len(key), _TELLING) - 1, 3, -1) if message.endswith(key[:n])), 0)
    return message[: len(message) - cut] + "***" if cut else message


def said(body: bytes) -> tuple[str, str]:
    """(the message, the code) of an error object; else the text as it is."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return " ".join(body.decode("utf-8", "replace").split())[:_LONGEST], ""
    if isinstance(found, dict):
        inner = found.get("error", found)
        if isinstance(inner, dict):
            message = inner.get("message") or inner.get("detail") or json.dumps(inner)
            return str(message)[:_LONGEST], str(inner.get("code") or "")
        return str(inner)[:_LONGEST], ""
    return str(found)[:_LONGEST], ""
