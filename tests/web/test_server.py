"""Who is let in, what can be asked for, and that nothing is lost on the way."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, Assay, wait_for
from serving import KNOWN, TOKEN, Served, serving

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "src/assay/web/page"
#: a thousand events a second for as long as it was told, in pieces of fifty
FLOOD = """
import assay, sys, time
print("up", flush=True)
sys.stdin.readline()
begin = time.monotonic()
for step in range(int(sys.argv[1])):
    if step % 50 == 0:
        time.sleep(max(0, begin + step / 1000 - time.monotonic()))
    assay.log(step=step, loss=1.0)
sys.stdin.readline()
"""


#: asks for every path on its input, as another user of the machine would
STRANGER = """
import http.client, sys
for path in sys.stdin.read().split():
    connection = http.client.HTTPConnection(sys.argv[1])
    connection.request("GET", path, headers={"Cookie": "assay=x; assay-12345678=", "Authorization": "Bearer "})
    answer = connection.getresponse()
    print(answer.status, path, answer.read())
"""


def test_another_user_of_this_machine_is_shown_nothing(assay: Assay, served: Served) -> None:
    script = assay.script("print('my own words')")
    assay("run", "-q", "--", PYTHON, script)
    assay.script("print('my own words, changed')")
    assay("run", "-q", "--", PYTHON, script)
    assay.runs.chmod(0o700)
    a, b = (path.name for path in assay.run_dirs())
    logs = [f"/api/run/{a}", f"/api/run/{a}/log", f"/api/run/{a}/log?find=own", f"/api/run/{a}/file/output.log"]
    asked = ["/", f"/run/{a}", f"/api/diff?a={a}&b={b}", *logs, "/api/runs", "/api/fields", "/api/now", "/api/answer",
             "/api/changes", f"/api/run/{a}/events", f"/api/compare?runs={a},{b}", "/api/findings", "/api/studies",
             f"/api/sparks?runs={a}", "/static/parts.js", "/?token=", "/?token=wrong", "/nothing"]  # fmt: skip
    other = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    where = served.url.removeprefix("http://")
    done = subprocess.run(["python3", "-c", STRANGER, where], input="\n".join(asked), cwd="/", text=True,
                          capture_output=True, check=True, **other)  # fmt: skip
    answers = done.stdout.splitlines()
    assert len(answers) == len(asked)
    assert [line for line in answers if not line.startswith("401 ") or "own words" in line] == []
    assert b"own words" in served.ask(f"/api/run/{a}/file/output.log")[1]
    wait_for(lambda: b"words, changed" in served.ask(f"/api/diff?a={a}&b={b}")[1], "the difference, for the owner")


def test_a_page_elsewhere_that_calls_itself_by_our_address_is_shown_nothing(served: Served) -> None:
    assert served.ask("/api/runs", {"Host": "evil.example", "Authorization": ""})[0] == 401
    assert served.ask("/", {"Host": "localhost:1"})[0] == 200  # the other end of a tunnel


@pytest.mark.parametrize("cookie", ['a="' + r"\"" * 28_000 + '"', 'a="' + r"\134" * 14_000 + '"', "a=b;" * 14_000])
def test_a_cookie_of_any_length_is_answered_at_once(assay: Assay, served: Served, cookie: str) -> None:
    """Python's own parser of cookies takes two seconds for the first of these, and holds up everyone."""
    served.json("/api/fields")
    begin_s = time.monotonic()
    assert served.ask("/api/fields", {"Cookie": cookie, "Authorization": ""})[0] == 401
    assert time.monotonic() - begin_s < 1


def test_a_token_of_ones_own_keeps_a_bookmark_valid_and_is_long_enough(assay: Assay) -> None:
    with serving(assay) as first, serving(assay) as second:
        assert first.link.partition("?")[2] == second.link.partition("?")[2] == f"token={TOKEN}"
    assay.env["ASSAY_TOKEN"] = "short"
    done = assay("serve", "--port", "0")
    assert (done.returncode, b"at least 16" in done.stderr) == (2, True)


def test_nothing_can_be_changed_by_asking(served: Served) -> None:
    assert served.ask("/api/runs", method="POST")[0] == 403
    assert served.ask("/api/runs", method="DELETE")[0] == 405


def test_the_token_of_the_link_becomes_a_cookie(assay: Assay) -> None:
    with serving(assay, "--host", "0.0.0.0") as found:
        port = re.search(r":(\d+)/", found.link)
        assert port
        at = Served(f"http://127.0.0.1:{port.group(1)}/?token={TOKEN}")
        jar = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with jar.open(f"{at.url}/findings?token={TOKEN}&severity=wrong") as answer:
            assert answer.url.endswith("/findings?severity=wrong")  # the token leaves the address bar
        with jar.open(f"{at.url}/api/runs") as answer:
            assert answer.status in (200, 202)


@pytest.mark.parametrize(
    "path",
    [
        "/run/..%2f..%2fetc",
        "/api/run/..%2f..%2fetc",
        "/api/run/%2e%2e/log",
        "/api/run/.views/log",
        "/static/..%2fapp.py",
        "/static/guard.py",
        "/api/run/x/../../y",
    ],
)
def test_no_path_leaves_the_runs_folder(assay: Assay, served: Served, path: str) -> None:
    (assay.folder / "run.json").write_text('{"v": 1, "id": "secret"}')
    (assay.folder / "output.log").write_text("secret words")
    assay("run", "-q", "--", "true")
    status, content = served.ask(path)
    assert b"secret" not in content
    assert status == 404 or content.startswith(b"<!doctype")


def test_a_link_in_a_run_that_leads_out_is_not_followed(assay: Assay, served: Served) -> None:
    assay("run", "-q", "--", "true")
    secret = assay.folder / "secret.txt"
    secret.write_text("secret words")
    log = assay.run_dir() / "output.log"
    log.unlink()
    log.symlink_to(secret)
    wait_for(lambda: served.json("/api/runs")["total"] == 1, "the run")
    status, content = served.ask(f"/api/run/{assay.run_dir().name}/log")
    assert status == 409
    assert b"secret words" not in content


def test_a_link_in_the_place_of_kept_views_is_neither_written_to_nor_cleaned_up(assay: Assay, served: Served) -> None:
    elsewhere = assay.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine.json").write_text("{}")
    assay("run", "-q", "--", "true")
    lines = (json.dumps({"step": step, "loss": 1.0, "note": "x" * 100}) for step in range(12_000))
    (assay.run_dir() / "events" / "other-1-1.jsonl").write_text("\n".join([*lines, ""]))
    (assay.runs / ".views").symlink_to(elsewhere)
    assert served.json(f"/api/run/{assay.run_dir().name}")["total"] > 12_000
    assert [path.name for path in elsewhere.iterdir()] == ["mine.json"]


def test_every_answer_forbids_what_a_page_does_not_need(assay: Assay, served: Served) -> None:
    with urllib.request.urlopen(urllib.request.Request(served.url, headers=KNOWN)) as answer:
        policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert re.search(r"script-src 'self';", policy)


def test_no_script_of_ours_makes_markup_of_text() -> None:
    for path in PAGE.glob("*.js"):
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", path.read_text()
        )


def test_a_run_that_is_not_there_or_of_a_newer_version_is_said(assay: Assay, served: Served) -> None:
    newer = assay.runs / "newer-1"
    newer.mkdir(parents=True)
    (newer / "run.json").write_text('{"v": 99, "id": "newer"}')
    wait_for(lambda: served.json("/api/runs")["problems"], "the problem")
    status, content = served.ask("/api/run/newer-1")
    assert status == 409
    assert "newer Assay" in json.loads(content)["error"]
    assert served.ask("/api/run/nothing")[0] == 404


def test_a_run_is_found_in_the_moment_it_ends(assay: Assay, served: Served) -> None:
    for _ in range(3):
        served.json("/api/runs")  # the folder was just looked at
        assay("run", "-q", "--", "true")
        assert served.ask(f"/api/run/{assay.run_dirs()[-1].name}")[0] == 200


def test_a_condition_that_cannot_be_read_is_said(served: Served) -> None:
    served.json("/api/runs")
    status, content = served.ask("/api/runs?where=nonsense")
    assert status == 400
    assert "not a condition" in json.loads(content)["error"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/api/runs?offset=%C2%B2", "`offset` is a whole number"),
        ("/api/runs?limit=-1", "`limit` is a whole number"),
        ("/api/runs?limit=ten", "`limit` is a whole number"),
        ("/api/runs?offset=" + "9" * 5000, "`offset` is a whole number"),
        ("/api/runs?where=" + "+" * 60_000 + "a", "`where` is too long"),
        ("/api/runs?where=" + "+" * 2_000 + "a=1", "too long"),
        ("/api/runs?where=" + "a=1;" * 50, "50 conditions are too many"),
        ("/api/runs?q=" + "a" * 2_000, "`q` is too long"),
        ("/api/runs?sort=" + "a" * 2_000, "`sort` is too long"),
        ("/api/findings?limit=%D9%A3", "`limit` is a whole number"),
        ("/api/changes?after=%C2%B2", "`after` is a whole number"),
        ("/api/compare", "no runs to compare"),
        ("/api/compare?runs=" + ",".join(map(str, range(100))), "too many"),
        ("/api/compare?runs=RUN&axis=colour", "no axis is called `colour`"),
        ("/api/run/RUN/log?line=%C2%B2", "`line` is a whole number"),
        ("/api/run/RUN/log?end=-4", "`end` is a whole number"),
        ("/api/run/RUN/log?lines=many", "`lines` is a whole number"),
        ("/api/run/RUN/log?find=" + "a" * 2_000, "`find` is too long"),
        ("/api/run/RUN/events?after=last", "`after` is a whole number"),
    ],
)
def test_a_bad_question_is_answered_with_its_reason(assay: Assay, served: Served, path: str, said: str) -> None:
    assay("run", "-q", "--", "true")
    served.json("/api/runs")
    status, content = served.ask(path.replace("RUN", assay.run_dir().name))
    assert status == 400, content
    assert said in json.loads(content)["error"]


def test_a_log_of_many_lines_is_counted_once_and_its_lines_are_found(assay: Assay, served: Served) -> None:
    assay("run", "-q", "--", "true")
    count = 500_000  # several marks apart
    with open(assay.run_dir() / "output.log", "w") as log:
        log.writelines(f"line {number}\n" for number in range(1, count + 1))
    base = f"/api/run/{assay.run_dir().name}/log?"
    for wanted in (1, 2, 77_777, 250_000, count - 1, count):
        found = served.json(f"{base}line={wanted}&lines=10")
        assert f"line {wanted}" in found["lines"]
        assert found["lines"][0] == f"line {found['first']}"
        before = served.json(f"{base}lines=3&end={found['begin']}")
        assert before["lines"][-1:] == ([f"line {found['first'] - 1}"] if found["first"] > 1 else [])
    assert served.json(f"{base}line={10 * count}")["lines"] == []
    assert [hit["line"] for hit in served.json(f"{base}find=LINE+4321")["hits"]][:2] == [4321, 43210]


def test_a_line_without_end_is_searched_in_pieces(assay: Assay, served: Served) -> None:
    assay("run", "-q", "--", "true")
    (assay.run_dir() / "output.log").write_bytes(
        b"first\n" + b"x" * (3 << 20) + b"needle" + b"y" * (3 << 20) + b"\nlast needle"
    )
    hits, found = [], {"done": False, "at": 0, "line": 1}
    while not found["done"]:  # a request reads for a moment and says where the next one goes on
        where = f"at={found['at']}&from={found['line']}"
        found = served.json(f"/api/run/{assay.run_dir().name}/log?find=needle&{where}")
        hits += [hit["line"] for hit in found["hits"]]
    assert hits == [2, 3]
    about = served.json(f"/api/run/{assay.run_dir().name}/log?line=2&lines=2")
    assert about["lines"][0] == "first"
    assert "bytes in this line" in about["lines"][1]


def test_an_audit_that_nobody_waits_for_ends_with_the_page(assay: Assay) -> None:
    assay("run", "-q", "--", "true")
    tools, begun = assay.folder / "bin", assay.folder / "begun"
    tools.mkdir()
    (tools / "nice").write_text(f"#!/bin/sh\ntouch {begun}\nexec sleep 600\n")  # an audit that takes long
    (tools / "nice").chmod(0o755)
    assay.env["PATH"] = f"{tools}:{os.environ['PATH']}"
    with serving(assay) as served:
        assert served.ask("/api/findings")[0] == 202
        wait_for(begun.exists, "the audit")
    # the fixture looks for what is left of it


def test_a_port_that_is_taken_is_said_at_once(assay: Assay) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = assay("serve", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 1
    assert b"is taken" in done.stderr and b"hint: " in done.stderr


def test_an_address_of_another_machine_and_an_unknown_name_are_said(assay: Assay) -> None:
    assert b"not an address of this machine" in assay("serve", "--host", "192.0.2.1", "--port", "0").stderr
    assert b"no machine is called" in assay("serve", "--host", "nowhere.invalid", "--port", "0").stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open every port")
def test_a_port_that_may_not_be_opened_is_said(assay: Assay) -> None:
    assert b"may not be opened" in assay("serve", "--port", "80").stderr


def test_a_runs_folder_that_is_a_file_is_said(assay: Assay) -> None:
    (assay.folder / "file").write_text("")
    done = assay("serve", "--runs-dir", assay.folder / "file", "--port", "0")
    assert (done.returncode, b"is not a folder" in done.stderr) == (1, True)


class Client(threading.Thread):
    """Reads a stream as a browser does, and keeps the steps it was told of."""

    def __init__(self, url: str, wanted: int) -> None:
        super().__init__(daemon=True)
        self.url, self.wanted = url, wanted
        self.steps: list[int] = []
        self.told = 0
        self.seqs: list[int] = []

    def run(self) -> None:
        with urllib.request.urlopen(urllib.request.Request(self.url, headers=KNOWN), timeout=120) as stream:
            for line in stream:
                if line.startswith(b"data: "):
                    batch = json.loads(line[6:])
                    self.seqs.append(batch["seq"])
                    self.told += batch["new"]
                    self.steps += (batch.get("curves") or {}).get("steps", [])
                    if len(self.steps) >= self.wanted:
                        return


def test_fifty_clients_lose_no_event_of_a_run_that_writes_a_thousand_a_second(assay: Assay, served: Served) -> None:
    count = 3000
    process = assay.start("run", "-q", "--", PYTHON, assay.script(FLOOD), str(count), stdin=subprocess.PIPE)
    assert process.stdin and process.stdout
    assert process.stdout.readline() == b"up\n"
    wait_for(lambda: served.json("/api/runs")["total"] == 1, "the run")
    folder = assay.run_dir().name
    seq = served.json(f"/api/run/{folder}")["seq"]
    clients = [Client(f"{served.url}/api/run/{folder}/events?after={seq}", count) for _ in range(50)]
    for client in clients:
        client.start()
    process.stdin.write(b"go\n")
    process.stdin.flush()
    for client in clients:
        client.join(timeout=120)
    process.communicate(input=b"\n", timeout=60)
    for client in clients:
        assert client.steps == list(range(count))
        assert client.seqs == list(range(client.seqs[0], client.seqs[0] + len(client.seqs)))


def test_a_client_that_was_away_goes_on_where_it_left(assay: Assay, served: Served) -> None:
    process = assay.start("run", "-q", "--", PYTHON, assay.script(FLOOD), "200", stdin=subprocess.PIPE)
    assert process.stdin and process.stdout
    process.stdout.readline()
    wait_for(lambda: served.json("/api/runs")["total"] == 1, "the run")
    folder = assay.run_dir().name
    seq = served.json(f"/api/run/{folder}")["seq"]
    process.stdin.write(b"go\n")
    process.stdin.flush()
    first = Client(f"{served.url}/api/run/{folder}/events?after={seq}", 60)
    first.start()
    first.join(timeout=60)
    second = Client(f"{served.url}/api/run/{folder}/events?after={first.seqs[-1]}", 200 - len(first.steps))
    if second.wanted:
        second.start()
        second.join(timeout=60)
    process.communicate(input=b"\n", timeout=60)
    assert first.steps + second.steps == list(range(200))


def test_a_long_run_is_thinned_once_and_its_peaks_stay(assay: Assay, served: Served) -> None:
    peaks = "{23456: 9e9, 31111: -7.0}"
    script = f"import assay\nfor i in range(40000): assay.log(step=i, loss={peaks}.get(i, 1.0))"
    assay("run", "-q", "--", PYTHON, "-c", script)
    wait_for(lambda: served.json("/api/runs")["total"] == 1, "the run")
    folder = assay.run_dir().name
    assert served.ask(f"/api/run/{folder}")[0] == 202  # the first view says how far it is
    found = served.json(f"/api/run/{folder}")
    loss = dict(zip(found["data"]["curves"]["steps"], found["data"]["curves"]["loss"], strict=True))
    assert (loss[23456], loss[31111]) == (9e9, -7.0)
    assert len(loss) < 5000
    assert found["total"] > 40000
    kept = assay.runs / ".views" / f"{folder}.json"
    assert kept.exists()
    kept.write_text("{damaged")
    assert served.ask(f"/api/run/{folder}")[0] == 200  # still in memory
    with serving(assay) as another:
        assert another.json(f"/api/run/{folder}")["data"] == found["data"]


def test_runs_that_come_and_go_are_noticed(assay: Assay, served: Served) -> None:
    assay("run", "-q", "--", "true")
    wait_for(lambda: served.json("/api/runs")["total"] == 1, "a run")
    assay("rm", "--yes", "last")
    wait_for(lambda: served.json("/api/runs")["total"] == 0, "no run")


def test_a_recorder_that_was_killed_is_shown_as_interrupted(assay: Assay, served: Served) -> None:
    process = assay.start("run", "-q", "--", PYTHON, "-c", "print('up', flush=True); input()", stdin=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()
    wait_for(lambda: served.json("/api/runs?where=status%3Drunning")["total"] == 1, "the run")
    folder = assay.run_dir().name
    assert served.json(f"/api/run/{folder}")["live"]
    process.kill()
    process.communicate(timeout=60)
    wait_for(lambda: served.json("/api/runs?where=status%3Dinterrupted")["total"] == 1, "the end")
    found: Any = served.json(f"/api/run/{folder}")
    assert (found["live"], found["head"]["status"]) == (False, "interrupted")


def test_a_warm_up_has_a_page_too(assay: Assay, served: Served) -> None:
    (assay.folder / "study.yaml").write_text("command: echo {x}\ngrid: {x: [1]}\nwarmup: 1\n")
    assert assay("study", assay.folder / "study.yaml").returncode == 0
    (warmup,) = (path.name for path in assay.run_dirs() if "warmup" in path.name)
    assert served.json(f"/api/run/{warmup}")["head"]["status"] == "completed"
