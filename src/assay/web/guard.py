"""Who may ask, and what a browser may do with the answer. Stands before every page.

Loopback is open to every user of a machine, and a page elsewhere on the web can make a browser ask it under another
name (DNS rebinding): so every request needs the token, by link, cookie or header. Whoever changes something must do so
from a page of ours. Nothing is parsed before the token is found but by cutting it at its separators.
"""

from __future__ import annotations

import hashlib
import secrets

from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: scripts only from us and none made of text; nothing is asked of anyone else
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
]


class Guard:
    """ASGI: answers what may not pass, and adds the headers to what may."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token, self._cookie = app, token, cookie_name(token)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        guarded = _with_headers(send)
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        query = scope["query_string"].decode("latin-1").split("&")
        linked, known = [one[6:] for one in query if one.startswith("token=")], self._known(headers)
        if scope["method"] not in ("GET", "HEAD", "POST"):
            await _answer(guarded, 405, "only GET and POST are answered here")
        elif scope["method"] == "POST" and not (known and _same_origin(headers)):
            await _answer(guarded, 403, "runs are changed from the page of the link that `assay serve` printed")
        elif not known and not any(map(self._same, linked)):
            await _answer(guarded, 401, "this page needs a token: open the link that `assay serve` printed")
        elif linked:
            await self._enter(scope["raw_path"], [one for one in query if not one.startswith("token=")], guarded)
        else:
            await self._app(scope, receive, guarded)

    def _known(self, headers: dict[bytes, str]) -> bool:
        cookies = (one.strip().partition("=") for one in headers.get(b"cookie", "").split(";"))
        given = [value for name, _, value in cookies if name == self._cookie]
        return any(map(self._same, [*given, headers.get(b"authorization", "").removeprefix("Bearer ")]))

    def _same(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self._token.encode())

    async def _enter(self, raw_path: bytes, query: list[str], send: Send) -> None:
        """The token of a link becomes a cookie, and leaves the address bar."""
        where = "/" + raw_path.decode("latin-1").lstrip("/") + ("?" if query else "") + "&".join(query)
        cookie = f"{self._cookie}={self._token}; Path=/; HttpOnly; SameSite=Lax"
        await _answer(send, 303, "", [(b"location", where.encode("latin-1")), (b"set-cookie", cookie.encode())])


def cookie_name(token: str) -> str:
    """One server's cookie is not another's, though they share the host's name."""
    return "assay-" + hashlib.sha256(token.encode()).hexdigest()[:8]


def _same_origin(headers: dict[bytes, str]) -> bool:
    """Whether a page of ours asks, and with JSON: a form of another page can send neither without asking first."""
    origin = headers.get(b"origin", "").partition("://")[2]
    kind = headers.get(b"content-type", "").partition(";")[0].strip()
    return bool(origin) and origin == headers.get(b"host") and kind == "application/json"


def _with_headers(send: Send) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *_HEADERS]
        await send(message)

    return guarded


async def _answer(send: Send, status: int, text: str, headers: list[tuple[bytes, bytes]] | None = None) -> None:
    kind = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": [*kind, *(headers or [])]})
    await send({"type": "http.response.body", "body": text.encode()})
