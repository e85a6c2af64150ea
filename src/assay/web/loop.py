"""Serve until someone ends it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

import uvicorn

from assay.web.address import Address
from assay.web.app import make_app
from assay.web.pages import Pages


class _Server(uvicorn.Server):
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Streams never end by themselves: whoever asks us to go need not ask twice."""
        self.should_exit = True
        self.force_exit = True


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
