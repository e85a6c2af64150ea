"""The addresses of the page and what answers them. What is a GET changes nothing; each change is a POST."""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import ParamSpec, TypeVar

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from assay.errors import AssayError, UsageError
from assay.store.layout import RunDir
from assay.views.web.assets import script_json
from assay.web.edits import Edits
from assay.web.guard import Guard
from assay.web.own_files import sent
from assay.web.pages import Pages
from assay.web.pool import Busy, Pool
from assay.web.query import whole
from assay.web.watching import Watches

T = TypeVar("T")
P = ParamSpec("P")
_HERE = Path(__file__).parent / "page"
_PAGES = ("runs", "run", "compare", "studies", "findings")
#: what is asked for before the page's own script says so
_DRAWS = ("run", "compare")
_CHARTED = ("chart.js", "curves.js", "downloads.js", "series.js", "diff.js", "serving.js", "share.js")
_EARLY = {
    "runs": ("table.js", "home.js", "spark.js", "edit.js", "columns.js"),
    "run": (*_CHARTED, "log.js", "edit.js"),
    "compare": (*_CHARTED, "forest.js"),
}
_KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_MOST_SENT = 1 << 20
_NO_STORE = {"cache-control": "no-store"}


def make_app(pages: Pages, token: str) -> Guard:
    api = _Api(pages)
    routes = [
        *api.routes(),
        Route("/static/{name}", _static),
        Route("/run/{folder}", lambda request: _page("run")),
        *(Route(f"/{name}", _page_route(name)) for name in _PAGES[2:]),
        Route("/runs", lambda request: RedirectResponse("/", 307)),
        Route("/", _page_route("runs")),
    ]
    return Guard(Starlette(routes=routes, lifespan=api.lifespan, exception_handlers={404: _missing}), token)


class _Api:
    """What pages ask for: JSON, or a stream of what is new."""

    def __init__(self, pages: Pages) -> None:
        self._pages, self._folder, self._watches = pages, pages.folder, Watches(pages.folder)
        # whoever reads a long log keeps no one from the list of runs
        self._lists, self._files = Pool("lists", 2), Pool("files", 4)
        self._edits = Edits(pages.folder)

    def routes(self) -> list[Route]:
        return [
            Route("/api/runs", self.runs),
            Route("/api/fields", self.fields),
            Route("/api/changes", self.changes),
            Route("/api/now", self.now),
            Route("/api/answer", self.last_answer),
            Route("/api/sparks", self.sparks),
            Route("/api/diff", self.diff),
            Route("/api/remove", self.remove, methods=["POST"]),
            Route("/api/studies", self.studies),
            Route("/api/findings", self.findings),
            Route("/api/compare", self.compare),
            Route("/api/run/{folder}", self.run),
            Route("/api/run/{folder}/log", self.log),
            Route("/api/run/{folder}/file/{name:path}", self.file),
            Route("/api/run/{folder}/label", self.label, methods=["POST"]),
            Route("/api/run/{folder}/events", self.run_events),
        ]

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        loading = asyncio.create_task(asyncio.to_thread(self._folder.load))
        yield
        loading.cancel()

    async def runs(self, request: Request) -> Response:
        self._watches.list.touch()
        return await self._answer(self._lists, self._pages.runs, request.query_params)

    async def fields(self, request: Request) -> Response:
        return await self._answer(self._lists, self._pages.fields)

    async def changes(self, request: Request) -> Response:
        try:
            return _stream(self._watches.list_stream(_last_seen(request, -1)))
        except UsageError as problem:
            return _json({"error": problem.message, "hint": problem.hint}, 400)

    async def now(self, request: Request) -> Response:
        self._watches.list.touch()
        return await self._answer(self._lists, self._pages.now)

    async def last_answer(self, request: Request) -> Response:
        return await self._answer(self._files, self._pages.last_answer)

    async def sparks(self, request: Request) -> Response:
        return await self._answer(self._files, self._pages.sparks, request.query_params)

    async def diff(self, request: Request) -> Response:
        return await self._answer(self._files, self._pages.diff, request.query_params)

    async def label(self, request: Request) -> Response:
        return await self._change(
            request, lambda asked, who: self._edits.label(request.path_params["folder"], asked, who)
        )

    async def remove(self, request: Request) -> Response:
        return await self._change(request, self._edits.remove)

    async def _change(
        self, request: Request, work: Callable[[Mapping[str, object], str], Mapping[str, object]]
    ) -> Response:
        """The guard has made sure that a page of ours asks, and that it has the token."""
        who = request.client.host if request.client else "someone"
        try:
            asked = json.loads(await _body(request))
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            return _json({"error": "this is not JSON", "hint": None}, 400)
        return await self._answer(self._files, work, asked, who)

    async def studies(self, request: Request) -> Response:
        self._watches.list.touch()
        return await self._answer(self._lists, self._pages.studies)

    async def findings(self, request: Request) -> Response:
        return await self._answer(self._files, self._pages.findings, request.query_params)

    async def compare(self, request: Request) -> Response:
        return await self._answer(self._files, self._pages.compare, request.query_params)

    async def run(self, request: Request) -> Response:
        return await self._answer(self._files, self._view, request, asyncio.get_running_loop())

    async def log(self, request: Request) -> Response:
        return await self._answer(self._files, lambda: self._pages.log(self._find(request), request.query_params))

    async def file(self, request: Request) -> Response:
        name, shown = request.path_params["name"], "show" in request.query_params
        try:
            found = await asyncio.to_thread(self._find, request)
        except AssayError as problem:
            return await _missing(request, problem)
        return await asyncio.to_thread(sent, found.path, name, shown=shown) or await _missing(request, AssayError(""))

    async def run_events(self, request: Request) -> Response:
        try:
            after = _last_seen(request, 0)
            found = await asyncio.to_thread(self._find, request)
        except AssayError as problem:
            status = 400 if isinstance(problem, UsageError) else 404
            return _json({"error": problem.message, "hint": problem.hint}, status)
        return _stream(self._watches.run_stream(found, after))

    async def _answer(
        self, pool: Pool, work: Callable[P, Mapping[str, object]], *given: P.args, **named: P.kwargs
    ) -> Response:
        """In a thread, so that no one waits for anyone else's files. A bad question is a 400 and says why."""
        loaded = self._folder.loaded
        try:
            if not loaded.is_set() and not await asyncio.to_thread(loaded.wait, 0.5):
                return _json({"building": 0}, 202)
            found = await pool.run(work, *given, **named)
        except (UsageError, Busy) as problem:
            return _json(
                {"error": problem.message, "hint": problem.hint}, 400 if isinstance(problem, UsageError) else 503
            )
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

    def _find(self, request: Request) -> RunDir:
        self._folder.refresh()
        return self._folder.run(request.path_params["folder"])

    def _view(self, request: Request, loop: asyncio.AbstractEventLoop) -> dict[str, object]:
        """Called in a thread; only the loop itself may change who watches what."""
        found = self._find(request)
        if not self._pages.is_active(found):
            return self._pages.ended(found)
        live, _ = asyncio.run_coroutine_threadsafe(_in_loop(lambda: self._watches.run(found)), loop).result()
        if not live.caught_up:
            live.poll()
        return live.view() | {"live": True} if live.caught_up else {"building": round(live.share_read, 3)}


def _last_seen(request: Request, otherwise: int) -> int:
    """The number of the last batch that a client has."""
    after = request.headers.get("last-event-id") or request.query_params.get("after", "")
    return whole({"after": after}, "after", otherwise)


async def _body(request: Request) -> bytes:
    """What is sent to be changed is small."""
    found = b""
    async for piece in request.stream():
        found += piece
        if len(found) > _MOST_SENT:
            raise ValueError("too much")
    return found


async def _in_loop(work: Callable[[], T]) -> T:
    return work()


def _json(value: Mapping[str, object], status: int = 200) -> Response:
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
    kinds = ["dom.js", "parts.js", "state.js", *_EARLY.get(name, ())]
    early = [f'<link rel="modulepreload" href="/static/{one}">' for one in kinds]
    if name in _DRAWS:
        early += ['<link rel="stylesheet" href="/static/uPlot.css">', '<script defer src="/static/uPlot.js"></script>']
    for word, value in (("PAGE", name), ("TITLE", name.capitalize()), ("PRELOADS", "\n".join([*early, ""]))):
        text = text.replace(f"%{word}%", value)
    return text


def _page(name: str, status: int = 200) -> Response:
    return Response(_shell(name), status, media_type="text/html", headers={"cache-control": "no-cache"})


async def _missing(request: Request, problem: Exception) -> Response:
    return Response("there is no such page: start at /\n", 404, media_type="text/plain")


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    content = await asyncio.to_thread(_files) if Path(name).suffix in _KINDS else {}
    if name not in content:
        return await _missing(request, AssayError(""))
    return Response(content[name], media_type=_KINDS[Path(name).suffix], headers={"cache-control": "no-cache"})


@cache
def _files() -> dict[str, bytes]:
    """All that a page may load, by name: our own scripts and the libraries beside them."""
    found = [path for place in (_HERE, _HERE / "vendor") for path in place.iterdir() if path.suffix in _KINDS]
    return {path.name: path.read_bytes() for path in found}
