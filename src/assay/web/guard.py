"""Who may ask, and what a browser may do with the answer. Stands before every page.

A page elsewhere on the web can make a browser ask our loopback address under another name (DNS rebinding), so a name
that is not ours is refused. Other machines need the token, by link, cookie or header. Whoever changes something needs
the key of the link on any machine, and a page of ours must be what asks.
"""

from __future__ import annotations

import ipaddress
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode

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

    def __init__(self, app: ASGIApp, token: str | None, key: str | None = None) -> None:
        """`token` is needed to look, and `key`, which is the same where both are there, to change something."""
        self._app, self._token, self._key = app, token, token or key
        #: one server's cookie is not another's, though they share the host's name
        self.cookie = "assay" + (f"-{self._key[:6]}" if self._key else "")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        guarded = _with_headers(send)
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        known, changes = self._known(headers), scope["method"] == "POST"
        scope["assay.edit"] = known
        if scope["method"] not in ("GET", "HEAD", "POST"):
            await _answer(guarded, 405, "only GET and POST are answered here")
        elif self._token is None and not is_ours(headers.get(b"host", "")):
            await _answer(guarded, 421, "this page is only for this machine: ask for localhost")
        elif changes and not (known and _same_origin(headers)):
            await _answer(guarded, 403, "open the link with the token that `assay serve` printed to change runs")
        elif not changes and b"token=" in scope["query_string"] and (not known or self._token is None):
            await self._with_link(scope, guarded)
        elif self._token is None or known:
            await self._app(scope, receive, guarded)
        else:
            await self._with_link(scope, guarded)

    def _known(self, headers: dict[bytes, str]) -> bool:
        jar: SimpleCookie = SimpleCookie()
        try:
            jar.load(headers.get(b"cookie", ""))
        except CookieError:
            pass
        given = [jar[self.cookie].value] if self.cookie in jar else []
        given += [headers.get(b"authorization", "").removeprefix("Bearer ")]
        return any(self._same(one) for one in given)

    def _same(self, given: str) -> bool:
        return self._key is not None and secrets.compare_digest(given.encode(), self._key.encode())

    async def _with_link(self, scope: Scope, send: Send) -> None:
        """The token of a link becomes a cookie, and leaves the address bar."""
        query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = query.pop("token", [""])[-1]
        if not self._same(given):
            await _answer(send, 401, "this page needs a token: open the link that `assay serve` printed")
            return
        rest = urlencode(query, doseq=True)
        path = "/" + scope["raw_path"].decode("latin-1").lstrip("/")
        cookie = f"{self.cookie}={self._key}; Path=/; HttpOnly; SameSite=Lax"
        where = path + (f"?{rest}" if rest else "")
        await _answer(send, 303, "", [(b"location", where.encode("latin-1")), (b"set-cookie", cookie.encode())])


def _same_origin(headers: dict[bytes, str]) -> bool:
    """Whether a page of ours asks, and with JSON: a form of another page can send neither without asking first."""
    origin = headers.get(b"origin", "").partition("://")[2]
    kind = headers.get(b"content-type", "").partition(";")[0].strip()
    return bool(origin) and origin == headers.get(b"host") and kind == "application/json"


def is_ours(host: str) -> bool:
    """A name for this machine, on whatever port: a tunnel may end on another one."""
    name = host.rsplit(":", 1)[0] if host.rpartition(":")[2].isdigit() else host
    name = name.strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


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
