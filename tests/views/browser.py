"""A report in a real browser: what it draws, and what should not happen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conftest import wait_for


class Looker:
    """One page at a time; collects what should not happen."""

    def __init__(self, chromium: Any) -> None:
        self._chromium = chromium
        self.problems: list[str] = []
        self.outside: list[str] = []
        self.page: Any = None

    def open(self, where: Path | str, width: int = 1280, height: int = 900) -> Any:
        page = self.page = self._chromium.new_page(viewport={"width": width, "height": height})
        page.on("console", lambda message: self.problems.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self.outside.append(request.url) if _is_outside(request.url) else None)
        page.goto(where.resolve().as_uri() if isinstance(where, Path) else where)
        return page

    def drawn_charts(self) -> dict[str, str]:
        """Reach every chart, wait until each is drawn or has failed."""
        for chart in self.page.query_selector_all(".chart"):
            chart.scroll_into_view_if_needed()
        drawn = "[...document.querySelectorAll('.chart')].every(e => e.dataset.drawn)"
        wait_for(lambda: self.page.evaluate(drawn), "every chart drawn")  # its own wait needs eval
        found: dict[str, str] = self.page.evaluate(
            "Object.fromEntries([...document.querySelectorAll('.chart')].map(e => [e.dataset.chart, e.dataset.drawn]))"
        )
        return found


def _is_outside(url: str) -> bool:
    return not url.startswith(("file:", "data:", "blob:", "http://127.0.0.1", "http://localhost"))
