"""Where the page is served: the socket, the token that every request needs, and the link that holds it."""

from __future__ import annotations

import errno
import os
import re
import secrets
import socket
from dataclasses import dataclass

from assay.errors import AssayError, UsageError

PORT = 7077
#: a token of the user's own, with which a bookmark and a cookie outlive the server
TOKEN = "ASSAY_TOKEN"
#: when no port was asked for, the next ones are tried
_TRIES = 20


@dataclass(frozen=True, kw_only=True)
class Address:
    socket: socket.socket
    host: str
    port: int
    token: str

    @property
    def url(self) -> str:
        host = socket.gethostname() if self.host in ("0.0.0.0", "::") else self.host
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{self.port}/?token={self.token}"


def listen(host: str, port: int | None) -> Address:
    """Bound before anything else starts, so that a port that is taken is said at once."""
    token = os.environ.get(TOKEN) or secrets.token_urlsafe(24)
    if not re.fullmatch(r"[\w-]{16,200}", token, re.ASCII):
        raise UsageError(f"`${TOKEN}` is not a token", "it needs at least 16 letters, digits, `-` or `_`")
    last = None
    for candidate in [port] if port is not None else range(PORT, PORT + _TRIES):
        try:
            bound = _bind(host, candidate)
        except OSError as problem:
            last = problem
            if port is None and problem.errno == errno.EADDRINUSE:
                continue
            break
        return Address(socket=bound, host=host, port=bound.getsockname()[1], token=token)
    raise _refusal(host, port or PORT, last)


def _bind(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(where)
        made.listen(512)
    except BaseException:
        made.close()
        raise
    return made


def _refusal(host: str, port: int, problem: OSError | None) -> AssayError:
    if isinstance(problem, socket.gaierror):
        return UsageError(f"no machine is called `{host}`", "--host names an address of this machine")
    code = problem.errno if problem else errno.EADDRINUSE
    if code == errno.EADDRINUSE:
        return AssayError(f"port {port} of `{host}` is taken", "choose another --port, or 0 for any that is free")
    if code == errno.EACCES:
        return AssayError(f"port {port} may not be opened by you", "choose a --port above 1023")
    if code == errno.EADDRNOTAVAIL:
        return AssayError(f"`{host}` is not an address of this machine", "--host 0.0.0.0 means all of them")
    return AssayError(f"cannot listen on `{host}` port {port}: {os.strerror(code or 0)}")
