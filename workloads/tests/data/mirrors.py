"""A small web server of this test: a mirror, a package registry, or one that lies."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from assay_workloads.data.files import File


@dataclass
class Served:
    """What the server gives, and what it was asked for."""

    pages: dict[str, bytes]
    url: str = ""
    cut: bool = False  # says how much would come and sends half
    needs: str = ""  # the authorisation that it wants
    asked: list[str] = field(default_factory=list)


@contextmanager
def serving(**pages: bytes) -> Iterator[Served]:
    served = Served(pages={"/" + name.replace("__", "/"): content for name, content in pages.items()})

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append(self.path)
            content = served.pages.get(self.path)
            if served.needs and self.headers.get("Authorization") != served.needs:
                return self.send_error(401)
            if content is None:
                return self.send_error(404)
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if served.cut else content)
            return None

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def file_of(content: bytes, name: str = "digits.bin", **options: object) -> File:
    digest = hashlib.sha256(content).hexdigest()
    return File(name=name, sha256=digest, size_bytes=len(content), **options)  # type: ignore[arg-type]
