"""A server of the test's own, and a real browser for those that look at its pages."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Assay

CHROMIUM = Path("/usr/bin/chromium")
ARGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]


class Served:
    """`assay serve` over the runs of a test."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")

    def ask(self, path: str, headers: dict[str, str] | None = None, method: str = "GET") -> tuple[int, bytes]:
        request = urllib.request.Request(self.url + path, headers=headers or {}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as problem:
            return problem.code, problem.read()

    def json(self, path: str) -> Any:
        """Asks again while the server says that it still reads."""
        while True:
            status, content = self.ask(path)
            if status != 202:
                return json.loads(content)


@contextmanager
def serving(assay: Assay, *options: str) -> Iterator[Served]:
    process = assay.start("serve", "--port", "0", *options)
    assert process.stdout and process.stderr
    try:
        link = process.stdout.readline().decode().strip()
        assert link, process.stderr.read().decode()
        yield Served(link)
    finally:
        process.terminate()
        said = process.communicate(timeout=30)[1].decode()
        assert "Traceback" not in said, said


@pytest.fixture
def served(assay: Assay) -> Iterator[Served]:
    with serving(assay) as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if not CHROMIUM.exists():
        from conftest import skip_or_fail

        skip_or_fail("chromium", "no Chromium here: apt install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGS)
        yield made
        made.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that may not complain, nor ask anyone but our server for anything."""
    said: list[str] = []
    asked: list[str] = []
    made = browser.new_page(viewport={"width": 1280, "height": 900})
    made.set_default_timeout(60_000)
    made.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    made.on("pageerror", lambda problem: said.append(str(problem)))
    made.on("request", lambda request: asked.append(request.url))
    yield made
    made.close()
    assert not said
    assert all(url.startswith(("http://127.0.0.1:", "data:", "blob:")) for url in asked), asked
