"""torchrun: several processes a node, several nodes, with ranks that are fixed and not agreed on.

Static ranks keep rank 0 on the first node, where the run's own output is kept. The command that was asked for is turned
into one of torchrun's: `python train.py` becomes `python -m torch.distributed.run … train.py`, by the same Python.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_PYTHON = re.compile(r"python[\d.]*")
#: options of Python that take the next word
_TAKES = ("-W", "-X", "--check-hash-based-pycs")


def wrap(command: Sequence[str], *, procs: int, nodes: int = 1, rank: int = 0, master: str | None = None) -> list[str]:
    """`master` is `address:port` of the first node; a single node finds a free port."""
    words = [f"--nproc-per-node={procs}", f"--nnodes={nodes}"]
    if nodes > 1 and master:
        address, _, port = master.rpartition(":")
        words += [f"--node-rank={rank}", f"--master-addr={address}", f"--master-port={port}"]
    elif nodes == 1:
        words.append("--standalone")
    if not _PYTHON.fullmatch(Path(command[0]).name):
        return ["torchrun", *words, "--no-python", *command]
    at = _program(command)
    python = [*command[:at], "-m", "torch.distributed.run", *words]
    if command[at : at + 1] == ["-m"]:
        return [*python, "--module", *command[at + 1 :]]
    return [*python, *command[at:]]


def _program(command: Sequence[str]) -> int:
    """Where the options of Python end and its program begins."""
    at = 1
    while at < len(command) and command[at].startswith("-") and command[at] not in ("-m", "-c", "-"):
        at += 2 if command[at] in _TAKES else 1
    return at
