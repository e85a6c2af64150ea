"""Faults of the live page: bad questions while runs go on, a server that is killed. Runs must not notice."""

from __future__ import annotations

import http.client
import signal
from urllib.parse import quote, urlsplit

from faults.case import Case
from faults.checks import run_dirs, went_well
from faults.fuzz.questions import question


def bad_questions(case: Case) -> None:
    process = case.measured(steps=250)
    server, address = _served(case)
    if address:
        for _ in range(40):
            path = _filled(question(case.chance), case)
            status = _ask(address, path)
            if status is None or status >= 500:
                case.wrong("tracebacks" if status else "hangs", f"{status or 'no'} answer to {path[:200]}")
        if _ask(address, "/api/runs") not in (200, 202):
            case.wrong("harmed", "the server does not answer any more")
    server.send_signal(signal.SIGTERM)
    case.wait(server, "assay serve")
    went_well(case, process)


def killed(case: Case) -> None:
    """kill -9 of the server amid questions; another takes its place."""
    process = case.measured(steps=150)
    server, address = _served(case)
    for _ in range(case.chance.randint(0, 10) if address else 0):
        _ask(address, _filled(question(case.chance), case))
    server.kill()
    server.wait()
    server, address = _served(case)
    if address and _ask(address, "/api/runs") not in (200, 202):
        case.wrong("harmed", "a second server does not answer")
    server.terminate()
    case.wait(server, "assay serve")
    went_well(case, process)


def _served(case: Case):
    server = case.start("serve", "--port", "0")
    said = case.said[-1].with_suffix(".out")
    case.until(lambda: said.read_bytes().endswith(b"\n"), "the server's address", server)
    return server, said.read_text().strip()


def _filled(path: str, case: Case) -> str:
    """With the name of a run there is, where the question is about one."""
    runs = run_dirs(case)
    return path.replace("RUN", quote(runs[0].name) if runs else "none")


def _ask(address: str, path: str) -> int | None:
    """The status, or None where no answer comes. Streams are only begun."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    try:
        token = urlsplit(address).query.removeprefix("token=")
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        if "event-stream" not in (answer.getheader("content-type") or ""):
            answer.read()
        return answer.status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
