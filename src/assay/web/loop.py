"""Serve until someone ends it."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from types import FrameType

import uvicorn

from assay.web.address import Address
from assay.web.app import make_app
from assay.web.pages import Pages

_PATIENCE_S = 1.0


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, pages: Pages) -> None:
        super().__init__(config)
        self._pages = pages

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Streams never end by themselves, and only an audit needs to be ended: one signal is enough."""
        self._pages.close()
        self.should_exit = True
        self.force_exit = True
        last = threading.Timer(_PATIENCE_S, os._exit, (0,))
        last.daemon = True
        last.start()


def serve(runs_dir: Path, address: Address) -> None:
    sys.stdout.flush()
    pages = Pages(runs_dir)
    config = uvicorn.Config(
        make_app(pages, address.token),
        log_level="critical",
        access_log=False,
        lifespan="on",
        server_header=False,
        date_header=False,
        backlog=512,
        timeout_graceful_shutdown=1,
    )
    _Server(config, pages).run(sockets=[address.socket])
