"""The address of an endpoint: where to connect, and which path answers what."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from assay.serving.program import BadSetting

#: of a name after the question mark
_SECRET = re.compile(r"key|token|secret|passw|auth|sig")
_APIS = {"chat": "/chat/completions", "completions": "/completions"}


@dataclass(frozen=True, kw_only=True)
class Address:
    """`base` is the path before `/chat/completions`: `/v1`."""

    host: str
    port: int
    tls: bool
    base: str
    query: str = ""

    @property
    def host_header(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"

    def target(self, api: str) -> str:
        """The path that is asked for completions."""
        return self.base + _APIS[api] + self.query

    def url(self, path: str) -> str:
        """A path beside the completions: `/models`; the server's own (`/health`) where it begins with two slashes."""
        place = path[1:] if path.startswith("//") else self.base + path
        return f"{'https' if self.tls else 'http'}://{self.host_header}{place}{self.query}"


def address_of(url: str) -> Address:
    """`http://host:8000`, `https://host/v1` or a whole `…/v1/chat/completions`; refused where it can be none."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port
    except ValueError as problem:
        raise BadSetting(f"`url={url}` is not an address", str(problem)) from None
    if parts.username or parts.password:
        raise BadSetting("the address contains a password", "put the key into a variable: key_env=NAME")
    secret = next((name for name, _ in parse_qsl(parts.query) if _SECRET.search(name.lower())), None)
    if secret is not None:
        raise BadSetting(f"`{secret}` in the address would be recorded", "put the key into a variable: key_env=NAME")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadSetting(f"`url={url}` is not an address", "write it like url=http://localhost:8000/v1")
    base = parts.path.rstrip("/")
    for path in _APIS.values():
        base = base.removesuffix(path)
    tls = parts.scheme == "https"
    query = f"?{parts.query}" if parts.query else ""
    return Address(host=parts.hostname, port=port or (443 if tls else 80), tls=tls, base=base or "/v1", query=query)
