"""What an input is fed to: one function a target, called in the worker. It may refuse, in plain words, and no more."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from typing import Any

_REFUSED = (0, 1, 2)


class Wrong(Exception):
    """An answer that no user should get."""


def cli(folder: Path, *words: str) -> None:
    """`assay WORDS`, as `main` does it, without a process for it."""
    from assay.cli.start import start

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = start([*words, "--runs-dir", str(folder / "runs")])
        for stream in (out, err):
            stream.flush()
    said = err.buffer.getvalue().decode(errors="replace")  # type: ignore[attr-defined]
    if code not in _REFUSED or "Traceback (most recent" in said:
        raise Wrong(f"assay {' '.join(words)[:300]}: exit {code}: {said[-2000:]}")


def readers(content: bytes, folder: Path) -> None:
    """A log in any pieces, as it is read while a command runs."""
    from assay import systems
    from assay.reading.stream import Stream

    chance, at = Random(len(content)), 0
    stream = Stream(lambda draft: None, systems.kit(), whole=True)
    while at < len(content):
        size = chance.choice((1, 7, 100, 4096, 65536))
        stream.feed(content[at : at + size])
        at += size
    stream.finish()


def _file(name: str, *commands: tuple[str, ...]) -> Callable[[bytes, Path], None]:
    """The input is a file of this name; each command is given its path."""

    def feed(content: bytes, folder: Path) -> None:
        path = folder / name
        path.write_bytes(content)
        for words in commands:
            cli(folder, *words, str(path))

    return feed


def _unpacked(content: bytes, to: Path) -> None:
    """An input of several files: an object of names and their bytes, as Latin-1."""
    for name, text in json.loads(content).items():
        path = to / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("latin-1"))


def run(content: bytes, folder: Path) -> None:
    """A run directory, read by every command that reads runs; the run beside it has to be listed all the same."""
    _unpacked(content, folder / "runs")
    cli(folder, "ls")
    for words in (("show", "bad"), ("show", "--json", "bad"), ("compare",), ("audit", str(folder / "runs"))):
        cli(folder, *words)
    cli(folder, "report", "--format", "json", "-o", str(folder / "report.json"))
    cli(folder, "export", "--to", "csv", "-o", str(folder / "csv"))


def folder_of_mlflow(content: bytes, folder: Path) -> None:
    _unpacked(content, folder / "mlruns")
    cli(folder, "ingest", str(folder / "mlruns"))


def condition(content: bytes, folder: Path) -> None:
    text = content.decode("utf-8", "surrogateescape").replace("\0", "")  # no command line can hold that byte
    cli(folder, "ls", f"--where={text}")
    cli(folder, "ls", f"--sort={text}")
    if text and not text.startswith("-"):
        cli(folder, "show", text)


def question(content: bytes, folder: Path) -> None:
    """An address of the live page: the status may be anything below 500."""
    from assay.web.app import make_app
    from assay.web.guard import cookie_name
    from assay.web.pages import Pages

    path, _, query = content.partition(b"?")
    token = "of-a-reader-who-may-see-it"
    cookie = f"{cookie_name(token)}={token}".encode()
    asyncio.run(_asked(make_app(Pages(folder / "runs"), token), path, query, cookie))


async def _asked(app: Any, path: bytes, query: bytes, cookie: bytes) -> None:
    from urllib.parse import unquote

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": unquote(path.decode("latin-1"), errors="replace"), "raw_path": path, "query_string": query,
        "root_path": "", "headers": [(b"host", b"127.0.0.1"), (b"cookie", cookie)],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2),
    }  # fmt: skip
    answered = asyncio.Event()
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        await answered.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
            answered.set()  # a stream would go on for ever

    async with app._app.router.lifespan_context(app._app):
        await asyncio.wait_for(app(scope, receive, send), 60)
    if not statuses or statuses[0] >= 500:
        raise Wrong(f"{statuses or 'no'} answer")


def study(content: bytes, folder: Path) -> None:
    path = folder / "study.yaml"
    path.write_bytes(content)
    cli(folder, "study", str(path), "--dry-run")


def places(content: bytes, folder: Path) -> None:
    path = folder / "places.yaml"
    path.write_bytes(content)
    (folder / "study.yaml").write_text("command: echo {x}\ngrid: {x: [1, 2]}\n")
    cli(folder, "study", str(folder / "study.yaml"), "--places", str(path), "--dry-run")


_READ = (("ingest",), ("audit",))
TARGETS: dict[str, Callable[[bytes, Path], None]] = {
    "readers": readers,
    "log": _file("some.log", *_READ),
    "markdown": _file("page.md", *_READ),
    "html": _file("page.html", *_READ),
    "notebook": _file("page.ipynb", *_READ),
    "run": run,
    "condition": condition,
    "question": question,
    "study": study,
    "places": places,
    "mlflow folder": folder_of_mlflow,
    "mlflow database": _file("mlflow.db", ("ingest",)),
    "wandb": _file("run-x1.wandb", ("ingest",)),
    "tensorboard": _file("events.out.tfevents.1.host", ("ingest",)),
    "psrecord": _file("psrecord.txt", ("ingest",)),
    "state": _file("state.yaml", ("ingest",)),
}


def _spin() -> None:
    while True:
        pass


#: what no input may make of a target: the worker is tried with them
CONTROLS: dict[str, Callable[[bytes, Path], None]] = {
    "control: raises": lambda content, folder: print(1 // len(content)),
    "control: is slow": lambda content, folder: _spin(),
    "control: is large": lambda content, folder: print(len(bytearray(4 << 30))),
}
