"""Where the page is served: the socket, who may come, and the link that is printed."""

from __future__ import annotations

import errno
import ipaddress
import os
import secrets
import socket
from dataclasses import dataclass

from assay.errors import AssayError, UsageError

PORT = 7077
#: when no port was asked for, the next ones are tried
_TRIES = 20


@dataclass(frozen=True, kw_only=True)
class Address:
    """`token` is needed to look, None where only this machine can come; `key` to change something."""

    socket: socket.socket
    host: str
    port: int
    token: str | None
    key: str

    @property
    def url(self) -> str:
        return self._link(self.token)

    @property
    def edit_url(self) -> str:
        """A link whose holder may rename, tag and remove runs."""
        return self._link(self.key)

    def _link(self, token: str | None) -> str:
        host = socket.gethostname() if self.host in ("0.0.0.0", "::") else self.host
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{self.port}/" + (f"?token={token}" if token else "")


def listen(host: str, port: int | None, *, with_token: bool = False) -> Address:
    """Bound before anything else starts, so that a port that is taken is said at once."""
    key = secrets.token_urlsafe(24)
    token = key if with_token or not is_loopback(host) else None
    last = None
    for candidate in [port] if port is not None else range(PORT, PORT + _TRIES):
        try:
            bound = _bind(host, candidate)
        except OSError as problem:
            last = problem
            if port is None and problem.errno == errno.EADDRINUSE:
                continue
            break
        return Address(socket=bound, host=host, port=bound.getsockname()[1], token=token, key=key)
    raise _refusal(host, port or PORT, last)


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


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
