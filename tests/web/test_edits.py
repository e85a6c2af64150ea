"""Names, tags, notes and removal: only with the token and from a page of ours, and told on the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, Assay, wait_for
from serving import Served, address

from assay.errors import AssayError, UsageError
from assay.store.layout import RunDir
from assay.summary.relabel import Label, relabel
from assay.web.edits import Edits
from assay.web.folder import RunsFolder

pytestmark = pytest.mark.slow


def sent(served: Served, path: str, value: object, **changed: str) -> tuple[int, bytes]:
    """As a page of the server's own would."""
    headers = {"content-type": "application/json", "origin": served.url, **changed}
    return served.ask(path, headers, "POST", json.dumps(value).encode())


def test_a_change_needs_the_token_and_a_page_of_ours(assay: Assay, served: Served) -> None:
    assay("run", "-q", "--name", "plain", "--", "true")
    name = assay.run_dir().name
    change = f"/api/run/{name}/label", {"name": "mine"}
    assert sent(served, *change, Authorization="Bearer wrong")[0] == 403
    assert sent(served, *change, origin="http://evil.example")[0] == 403
    assert sent(served, *change, origin="")[0] == 403
    assert sent(served, *change, **{"content-type": "text/plain"})[0] == 403
    assert assay.run_dir().name == name
    status, content = sent(served, *change)
    assert status == 200, content
    assert assay.run_dir().name.startswith("mine-")
    assert sent(served, f"/api/run/{assay.run_dir().name}/label", {"name": 5})[0] == 400
    assert sent(served, "/api/remove", {"runs": ["../mine"]})[0] == 404
    assert sent(served, "/api/remove", {"runs": [assay.run_dir().name]})[0] == 200
    assert assay.run_dirs() == []


def test_a_renamed_run_is_found_by_its_new_name_and_keeps_its_evidence(assay: Assay) -> None:
    assay("run", "-q", "--name", "old", "--tag", "first", "--", PYTHON, "-c", "print('step 1 loss 0.5')")
    before = (assay.run_dir() / "output.log").read_bytes()
    run = relabel(RunDir(assay.run_dir()), Label(name="new name", tags=["paper", " paper", ""], note="the one we sent"))
    assert run.path.name.startswith("new_name-")
    shown = assay("show", "new_name", "--json")
    assert shown.returncode == 0, shown.stderr
    summary = json.loads((run.path / "summary.json").read_text())
    assert (summary["name"], summary["tags"], summary["note"]) == ("new name", ["paper"], "the one we sent")
    assert (run.path / "output.log").read_bytes() == before
    assert relabel(run, Label(note="")).asked().note is None
    with pytest.raises(UsageError):
        relabel(run, Label(name=" "))


def test_every_change_is_told_and_a_running_run_is_left_alone(tmp_path: Path, assay: Assay) -> None:
    process = assay.start("run", "-q", "--name", "busy", "--", PYTHON, "-c", "input()", stdin=-1)
    assert process.stdin
    wait_for(lambda: assay.run_dirs() and list((assay.run_dir() / "events").iterdir()), "the run")
    folder = RunsFolder(assay.runs)
    folder.load()
    told: list[str] = []
    edits = Edits(folder, told.append)
    name = assay.run_dir().name
    for refused in (lambda: edits.label(name, {"name": "x"}, "me"), lambda: edits.remove({"runs": [name]}, "me")):
        with pytest.raises(AssayError, match="running"):
            refused()
    assert told == []
    process.communicate(b"\n", timeout=60)
    wait_for(lambda: (assay.run_dir() / "summary.json").exists(), "its end")
    folder.refresh(0)
    new = edits.label(name, {"name": "done", "tags": ["a"]}, "127.0.0.1")["folder"]
    edits.remove({"runs": [new]}, "127.0.0.1")
    assert told == [f"127.0.0.1 changed the name and tags of {name}, now {new}", f"127.0.0.1 removed {new}"]


def test_a_run_is_renamed_tagged_and_deleted_in_the_page(assay: Assay, served: Served, page: Any) -> None:
    assay("run", "-q", "--name", "first", "--", "true")
    page.context.clear_cookies()
    page.goto(served.link)
    page.check("input[data-pick]")
    assert "token" not in address(page)  # a cookie has it
    page.reload()
    page.wait_for_selector("#label")  # what was selected still is
    page.click("#label")
    page.fill("dialog input >> nth=0", "second")
    page.fill("dialog textarea", "worth keeping")
    page.click("#save")
    page.wait_for_selector("td:has-text('second')")
    page.check("input[data-pick]")
    page.click("#remove")
    page.click("#really")
    page.wait_for_selector("text=No runs yet")
