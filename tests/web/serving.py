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

from assay.web.guard import cookie_name

if TYPE_CHECKING:
    from conftest import Assay

CHROMIUM = Path("/usr/bin/chromium")
ARGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]


#: the servers of all tests have one, so that their browser has it, too
TOKEN = "a-token-of-the-tests"
KNOWN = {"Authorization": f"Bearer {TOKEN}"}


class Served:
    """`assay serve` over the runs of a test, asked with its token unless the headers have another."""

    def __init__(self, link: str) -> None:
        self.link, self.url = link, link.partition("/?")[0]

    def ask(
        self, path: str, headers: dict[str, str] | None = None, method: str = "GET", body: bytes | None = None
    ) -> tuple[int, bytes]:
        request = urllib.request.Request(self.url + path, body, KNOWN | (headers or {}), method=method)
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
    assay.env["ASSAY_TOKEN"] = TOKEN
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
    made.context.add_cookies([{"name": cookie_name(TOKEN), "value": TOKEN, "domain": "127.0.0.1", "path": "/"}])
    made.set_default_timeout(60_000)
    made.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    made.on("pageerror", lambda problem: said.append(str(problem)))
    made.on("request", lambda request: asked.append(request.url))
    yield made
    made.close()
    assert not said
    assert all(url.startswith(("http://127.0.0.1:", "data:", "blob:")) for url in asked), asked


def address(page: Any) -> str:
    """Where the browser is now. `page.url` is what it had told when it was last asked, which may be an address ago."""
    return str(page.evaluate("location.href"))


def until(page: Any, condition: str) -> None:
    """Waits for a condition of the page. Playwright's own wait asks with `eval`, which the page forbids."""
    from conftest import wait_for

    wait_for(lambda: page.evaluate(condition), condition)
