"""The addresses of the page and what answers them. Everything is a GET; nothing is changed by asking."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from assay.errors import AssayError
from assay.store.layout import RunDir
from assay.views.web.assets import script_json, text_of, vega_bundle
from assay.web.guard import Guard
from assay.web.pages import Pages
from assay.web.watching import Watches

_HERE = Path(__file__).parent / "page"
_PAGES = ("runs", "run", "compare", "studies", "findings")
#: what is asked for before the page's own script says so
_DRAWS = ("run", "compare")
_KINDS = {".js": "text/javascript", ".css": "text/css"}
_STATIC = ("app.css", "parts.js", "state.js", "runs.js", "run.js", "log.js", "sections.js", "compare.js", "studies.js",
           "findings.js")  # fmt: skip
_NO_STORE = {"cache-control": "no-store"}


def make_app(pages: Pages, token: str | None) -> Guard:
    watches = Watches(pages.folder)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        loading = asyncio.create_task(asyncio.to_thread(pages.folder.load))
        yield
        loading.cancel()

    async def answer(work: Callable[..., dict[str, Any]], *given: Any) -> Response:
        """In a thread, so that no one waits for anyone else's files."""
        try:
            if not await asyncio.to_thread(pages.folder.loaded.wait, 0.5):
                return _json({"building": 0}, 202)
            found = await asyncio.to_thread(work, *given)
        except AssayError as problem:
            missing = problem.message.startswith("no run called")
            return _json({"error": problem.message, "hint": problem.hint}, 404 if missing else 409)
        except OSError as problem:
            return _json({"error": f"cannot be read: {problem.strerror or problem}", "hint": None}, 409)
        except Exception as problem:  # whoever looks at the page cannot mend it: the terminal has the details
            traceback.print_exc()
            return _json(
                {"error": f"a fault of Assay itself: {problem!r}", "hint": "the server's terminal tells where"}, 500
            )
        return _json(found, 202 if "building" in found else 200)

    async def runs(request: Request) -> Response:
        watches.list.touch()
        return await answer(pages.runs, request.query_params)

    async def fields(request: Request) -> Response:
        return await answer(pages.fields)

    async def studies(request: Request) -> Response:
        watches.list.touch()
        return await answer(pages.studies)

    async def findings(request: Request) -> Response:
        return await answer(pages.findings, request.query_params)

    async def compare(request: Request) -> Response:
        return await answer(pages.compare, request.query_params)

    def find(request: Request) -> RunDir:
        pages.folder.refresh()
        return pages.folder.run(request.path_params["folder"])

    async def run(request: Request) -> Response:
        loop = asyncio.get_running_loop()

        def view() -> dict[str, Any]:
            found = find(request)
            if not pages.is_active(found):
                return pages.ended(found)
            live, _ = asyncio.run_coroutine_threadsafe(_in_loop(lambda: watches.run(found)), loop).result()
            if not live.caught_up:
                live.poll()
            return live.view() | {"live": True} if live.caught_up else {"building": round(live.share_read, 3)}

        return await answer(view)

    async def log(request: Request) -> Response:
        return await answer(lambda: pages.log(find(request), request.query_params))

    async def run_events(request: Request) -> Response:
        try:
            found = await asyncio.to_thread(find, request)
        except AssayError as problem:
            return _json({"error": problem.message, "hint": problem.hint}, 404)
        after = request.headers.get("last-event-id") or request.query_params.get("after", "")
        return _stream(watches.run_stream(found, int(after) if after.isdigit() else 0))

    async def changes(request: Request) -> Response:
        after = request.headers.get("last-event-id") or request.query_params.get("after", "")
        return _stream(watches.list_stream(int(after) if after.isdigit() else -1))

    routes = [
        Route("/api/runs", runs),
        Route("/api/fields", fields),
        Route("/api/changes", changes),
        Route("/api/studies", studies),
        Route("/api/findings", findings),
        Route("/api/compare", compare),
        Route("/api/run/{folder}", run),
        Route("/api/run/{folder}/log", log),
        Route("/api/run/{folder}/events", run_events),
        Route("/static/{name}", _static),
        Route("/run/{folder}", lambda request: _page("run")),
        *(Route(f"/{name}", _page_route(name)) for name in _PAGES[2:]),
        Route("/runs", lambda request: RedirectResponse("/", 307)),
        Route("/", _page_route("runs")),
    ]
    return Guard(Starlette(routes=routes, lifespan=lifespan, exception_handlers={404: _missing}), token)


async def _in_loop(work: Callable[[], Any]) -> Any:
    return work()


def _json(value: dict[str, Any], status: int = 200) -> Response:
    content = script_json(value).encode("utf-8", "replace")
    return Response(content, status, media_type="application/json", headers=_NO_STORE)


def _stream(source: AsyncIterator[bytes]) -> StreamingResponse:
    headers = {**_NO_STORE, "x-accel-buffering": "no"}
    return StreamingResponse(source, media_type="text/event-stream", headers=headers)


def _page_route(name: str) -> Callable[[Request], Response]:
    return lambda request: _page(name)


@cache
def _shell(name: str) -> str:
    """Nothing of any run stands in it: what a run says comes as data, and becomes text."""
    text = (_HERE / "shell.html").read_text(encoding="utf-8")
    kinds = [
        "parts.js",
        "state.js",
        *(["sections.js"] if name in _DRAWS else []),
        *(["log.js"] if name == "run" else []),
    ]
    early = [f'<link rel="modulepreload" href="/static/{one}">' for one in kinds]
    early += ['<link rel="preload" as="script" href="/static/vega.js">'] if name in _DRAWS else []
    for word, value in (("PAGE", name), ("PRELOADS", "\n".join([*early, ""]))):
        text = text.replace(f"%{word}%", value)
    return text


def _page(name: str, status: int = 200) -> Response:
    return Response(_shell(name), status, media_type="text/html", headers={"cache-control": "no-cache"})


async def _missing(request: Request, problem: Exception) -> Response:
    return Response("there is no such page: start at /\n", 404, media_type="text/plain")


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    content = await asyncio.to_thread(_file, name) if name in (*_STATIC, "style.css", "charts.js", "vega.js") else None
    if content is None:
        return await _missing(request, AssayError(""))
    headers = {"cache-control": "max-age=86400" if name == "vega.js" else "no-cache"}
    return Response(content, media_type=_KINDS[Path(name).suffix], headers=headers)


@cache
def _file(name: str) -> bytes:
    if name == "vega.js":
        return vega_bundle().encode()
    text = text_of(name) if name in ("style.css", "charts.js") else (_HERE / name).read_text(encoding="utf-8")
    return text.encode()
