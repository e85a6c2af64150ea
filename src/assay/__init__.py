"""What a program can report about itself while Assay records it.

    import assay

    assay.params(batch_size=64, lr=0.05)            # what is in effect
    with assay.phase("train"):
        for step in range(1000):
            assay.log(step=step, loss=loss, samples=(step + 1) * 64)
    assay.result(accuracy=0.987)

This file is the whole of it: standard library only, Python 3.8 and up, and nothing of Assay's own imported but the
table of what is a secret, where a setting or a text is sent. Under `assay run` it is found without being installed;
anywhere else every call returns at once. It never raises and never stops a program: what cannot be written is dropped.
"""

from __future__ import annotations

import os

__version__ = "0.2.0"
__all__ = ["error", "how", "listening", "log", "params", "phase", "request", "result"]

#: functions and types of the library, for those who work with runs; a measured program needs none of them
_LIBRARY = ("Audit", "Run", "Runs", "audit", "compare", "diff", "load", "run")

#: names the file for JSON lines of other programs; ours go to files of their own beside it, one a process
_NAMED = os.environ.get("ASSAY_EVENTS")
_fd: int | None = None
_torn = False
#: what may hold a secret; the lists of a request are thousands of gaps between tokens, and nothing else
_MAY_HIDE = ((str, dict), (str, dict, list, tuple))


def listening() -> bool:
    """Whether anyone records what is said here."""
    return _NAMED is not None


def log(**values: object) -> None:
    """Figures of this moment: `log(step=100, loss=7.1, samples_per_s=2900.0)`."""
    if _NAMED is not None:
        _send("metric", values)


def result(**values: object) -> None:
    """Figures of the whole run: `result(accuracy=0.987)`."""
    if _NAMED is not None:
        _send("result", values)


def params(**values: object) -> None:
    """Settings that are in effect, as the program itself sees them: `params(batch_size=64)`."""
    if _NAMED is not None:
        _send("param", values)


def request(**values: object) -> None:
    """One request to a server, when it has ended: `request(sent_mono_s=812.4, ttft_ms=41.0, e2e_ms=902.1)`."""
    if _NAMED is not None:
        _send("request", values)


def error(code: str, message: str, hint: str | None = None) -> None:
    """Why the program is about to fail: a code of docs/formats.md, or `unknown`."""
    if _NAMED is not None:
        _send("error", {"code": code, "message": message, "hint": hint})


def how(how: str) -> None:
    """How the result comes about: `executed` (the default), `validated` or `simulated`. Say it first."""
    if _NAMED is not None:
        _send("how", {"how": how})


class phase:
    """`with phase("compile"):` marks a span of the run.

    Usual names: queue, compile, load, program, warmup, train, eval, checkpoint, teardown.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> phase:
        if _NAMED is not None:
            _send("phase", {"name": self.name, "edge": "begin"})
        return self

    def __exit__(self, *failure: object) -> None:
        if _NAMED is not None:
            _send("phase", {"name": self.name, "edge": "end"})


def _send(kind: str, values: dict[str, object]) -> None:
    global _torn
    import json
    import time

    event: dict[str, object] = {
        "v": 1,
        "t": round(time.time(), 6),
        "mono_s": round(time.monotonic(), 6),
        "kind": kind,
        "from": "self",
        "rank": _rank(),
    }
    try:
        if kind == "param" or any(isinstance(value, _MAY_HIDE[kind != "request"]) for value in values.values()):
            values = _masked(kind, values)
        for name in values:  # the envelope is ours: a metric called `t` does not redate its event
            event.setdefault(name, values[name])
        line = (json.dumps(event, separators=(",", ":"), default=_plain) + "\n").encode("ascii")
        if _torn:  # a line that a full disk cut short is closed first, so that it spoils none but itself
            line = b"\n" + line
        _torn = os.write(_file() if _fd is None else _fd, line) < len(line)
    except Exception:  # a full disk or an odd value must not stop a training run
        pass


def _masked(kind: str, values: dict[str, object]) -> dict[str, object]:
    """`params(api_key=…)` keeps the name and not the key. The one thing of ours that is loaded, where there is text."""
    if kind in ("phase", "how"):
        return values
    from .facts.secrets import mask_values

    return mask_values(values)


def _file() -> int:
    """This process's own file, so that no two writers ever share one."""
    global _fd
    import socket
    import time

    name = f"{socket.gethostname()}-{os.getpid()}-{int(time.time() * 1000)}.jsonl"
    path = os.path.join(os.path.dirname(_NAMED or ""), name)
    _fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
    return _fd


def _plain(value: object) -> object:
    """A tensor or an array scalar as a number, an array as a list; anything else as its text."""
    for name in ("item", "tolist"):
        try:
            return getattr(value, name)()
        except Exception:  # it has none, or is an array of more than one: the figures beside it are kept all the same
            continue
    return str(value)


def _rank() -> int:
    for name in ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"):
        value = os.environ.get(name, "")
        if value.isdigit():
            return int(value)
    return 0


def _after_fork() -> None:
    global _fd, _torn
    _fd, _torn = None, False


def __getattr__(name: str) -> object:
    """The library for programs that work with runs (`assay.load`, `assay.compare`, …), loaded when it is first used."""
    if name not in _LIBRARY:
        raise AttributeError(f"module 'assay' has no attribute '{name}'")
    from . import api

    return getattr(api, name)


if _NAMED is not None and hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
