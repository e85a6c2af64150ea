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
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Streams never end by themselves, and nothing here needs to be put away: one signal is enough."""
        self.should_exit = True
        self.force_exit = True
        last = threading.Timer(_PATIENCE_S, os._exit, (0,))
        last.daemon = True
        last.start()


def serve(runs_dir: Path, address: Address) -> None:
    sys.stdout.flush()
    config = uvicorn.Config(
        make_app(Pages(runs_dir), address.token),
        log_level="critical",
        access_log=False,
        lifespan="on",
        server_header=False,
        date_header=False,
        backlog=512,
        timeout_graceful_shutdown=1,
    )
    _Server(config).run(sockets=[address.socket])
