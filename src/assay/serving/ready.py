"""What is asked of a server before the load: whether it answers, and which models it has."""

from __future__ import annotations

import http.client
import json
import os
import time
import urllib.error
import urllib.request

from assay.serving.address import Address
from assay.serving.fault import Fault, of_error
from assay.serving.program import BadSetting, Failure

_HEALTH = "//health"
_PATHS = ("/models", _HEALTH)
_PLAIN_BASE, _LOADING = "/v1", 503
_LOOK_S, _PATIENCE_S = 0.2, 10.0
_LONGEST = 4 << 20
#: what a machine that has only a proxy to the outside sees
_NO_WAY = ("unknown-host", "unreachable", "timeout")


def wait(address: Address, key: str, limit_s: float) -> float:
    """Until it answers; the seconds that took."""
    begin_s = time.monotonic()
    while True:
        problem = _unready(address, key)
        waited_s = time.monotonic() - begin_s
        if problem is None:
            return waited_s
        if waited_s + _LOOK_S > limit_s:
            message = f"the server at {address.url('')} was not ready after {limit_s:g} s ({problem.message})"
            hint = "check its output, or wait longer: ready_s=600"
            raise Failure("no-answer", message, _about_tls(problem.message) if problem.kind == "tls" else hint)
        time.sleep(_LOOK_S)


def answers(address: Address, key: str) -> bool:
    return _unready(address, key) is None


def _unready(address: Address, key: str) -> Fault | None:
    """Why it does not answer yet. One that asks for a key, or has no such path, is there.

    llama.cpp lists its model while it still loads it, and only `/health` says so. Under another path than `/v1` that is
    the health of a gateway.
    """
    problem: Fault | None = None
    for path in _PATHS:
        status, _ = get(address.url(path), key)
        if isinstance(status, int) and status < 500:
            return None if path == _HEALTH else _loading(address, key)
        problem = status if isinstance(status, Fault) else Fault(f"http-{status}", f"HTTP status {status}")
    return problem


def _loading(address: Address, key: str) -> Fault | None:
    """Asked last: a server that begins to listen between two questions would be taken for one that has no health."""
    if address.base == _PLAIN_BASE and get(address.url(_HEALTH), key)[0] == _LOADING:
        return Fault(f"http-{_LOADING}", "the model is being loaded")
    return None


def only_model(address: Address, key: str) -> str:
    """The model of a server that has one."""
    status, body = get(address.url("/models"), key)
    if isinstance(status, Fault):
        raise unreachable(address, status)
    names = model_names(body)
    if len(names) == 1:
        return names[0]
    if names:
        raise BadSetting(f"the server has {len(names)} models", "choose one: model=" + " or model=".join(names[:10]))
    hint = "name it: model=NAME" if status != 401 else "it asks for a key: key_env=NAME names the variable"
    raise BadSetting("the server does not list its models", hint)


def model_names(body: bytes) -> list[str]:
    """What a server lists; nothing where it lists nothing that can be read."""
    try:
        return [str(one["id"]) for one in json.loads(body)["data"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        return []


def unreachable(address: Address, fault: Fault, key_env: str = "") -> Failure:
    hints = {
        "refused": "is it running, and is the port right? ready_s=60 waits for it",
        "unknown-host": "check the address",
        "tls": _about_tls(fault.message),
        "not-a-stream": "check the path, and that the server can stream its answers: only streamed tokens can be timed",
        "http-401": "name the variable with the key: key_env=NAME",
        "http-403": "name the variable with the key: key_env=NAME",
        "http-404": "check the path: most servers answer at http://host:port/v1",
        "http-405": "check the path: most servers answer at http://host:port/v1",
        **dict.fromkeys(("http-301", "http-302", "http-307", "http-308"), "give that address: url=https://…/v1"),
        "no-such-model": "model=NAME must be one that the server lists",
    }
    if key_env:
        refused = f"the server refuses the key in {key_env}; tokens expire, so log in again and export a new one"
        hints |= {"http-401": refused, "http-403": refused}
    if fault.kind in _NO_WAY and (proxy := _proxy()):
        hints[fault.kind] = f"{proxy} is set, and this client uses no proxy: run it where the server can be reached"
    message = f"{address.url('')} does not answer as it should ({fault.kind}): {fault.message}"
    return Failure("no-answer", message, hints.get(fault.kind))


def _about_tls(message: str) -> str:
    if "CERTIFICATE_VERIFY_FAILED" in message:
        return "if you trust this server, name the file with its certificate: export SSL_CERT_FILE=FILE.pem"
    return "check the certificate, or use http:// if the server has no TLS"


def _proxy() -> str:
    """The variable that sends others through a proxy."""
    return next(
        (name for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy") if os.environ.get(name)), ""
    )


def get(url: str, key: str) -> tuple[int | Fault, bytes]:
    """(status, body), or what went wrong. No proxy: what is measured is the server at that address."""
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"} if key else {})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=_PATIENCE_S) as answer:
            return int(answer.status), answer.read(_LONGEST)
    except urllib.error.HTTPError as problem:
        return problem.code, b""
    except urllib.error.URLError as problem:
        reason = problem.reason
        return of_error(reason if isinstance(reason, BaseException) else OSError(str(reason))), b""
    except (OSError, http.client.HTTPException, ValueError) as problem:
        return of_error(problem if isinstance(problem, OSError) else OSError(str(problem))), b""
