"""run.json is read once, into a `Request`, and written back as it came."""

from __future__ import annotations

import ast
import json
from pathlib import Path

from conftest import Assay

import assay as package
from assay.model.job import Verdict
from assay.model.request import Request
from assay.store.layout import RunDir

SOURCE = Path(package.__file__).parent
#: what a request, or a part of one, is called wherever it is used
NAMES = {"asked", "request", "verdict"}
#: what `apart.py` is sent is no run.json, and a reader's own settings are none either
OTHERS = {"recording/apart.py", "readers/generic.py", "auditing/rules/failures.py", "study/plan.py", "api.py"}


def _called(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr.strip("_")
    if isinstance(node, ast.Call):
        return _called(node.func)
    return node.id if isinstance(node, ast.Name) else ""


def _by_key(tree: ast.AST) -> list[int]:
    """Lines that look into a request as if it were a dictionary."""
    found = {
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Subscript) and _called(node.value) in NAMES)
        or (isinstance(node, ast.Attribute) and node.attr == "get" and _called(node.value) in NAMES)
    }
    return sorted(found)


def test_no_one_reads_a_request_by_string_keys() -> None:
    files = {path.relative_to(SOURCE).as_posix(): path for path in SOURCE.rglob("*.py")}
    read = {where: path for where, path in files.items() if not where.startswith(("model/", "serving/"))}
    found = {where: _by_key(ast.parse(path.read_text())) for where, path in read.items() if where not in OTHERS}
    assert {where: lines for where, lines in found.items() if lines} == {}


def test_the_check_finds_what_it_looks_for() -> None:
    assert _by_key(ast.parse('asked["id"]\nrun.asked().get("id")\nself._asked["a"]\nrequest.id')) == [1, 2, 3]


def test_what_a_run_writes_is_known_to_the_model_and_written_back_the_same(assay: Assay) -> None:
    assay("run", "-q", "--param", "lr=0.1", "--tag", "x", "--env", "A=b", "--timeout", "60", "--", "true")
    raw = assay.asked()
    asked = Request.of(raw)
    assert dict(asked.extra) == {} and asked.host is not None and dict(asked.host.extra) == {}
    assert json.dumps(asked.as_json()) == json.dumps(raw)


def test_a_request_of_a_newer_version_is_written_back_with_what_is_new(tmp_path: Path) -> None:
    raw = {
        "v": 1, "id": "a", "name": "n", "params": {"seed": 2**70, "on": True}, "dreams": [1, {"b": None}],
        "host": {"name": "h", "moons": 2},
        "place": {"name": "p", "launcher": "slurm", "extra": ["--x"], "memory": "4G"},
    }  # fmt: skip
    (tmp_path / "run.json").write_text(json.dumps(raw))
    asked = RunDir(tmp_path).asked()
    assert asked.as_json() == raw
    assert asked.replace(tags=("t",)).as_json() == {**raw, "tags": ["t"]}


def test_what_is_wrong_inside_a_part_of_it_is_reported_by_its_path() -> None:
    heard: list[str] = []
    asked = Request.of({"id": "a", "host": {"cpu": [1], "name": "h"}, "params": {"a": [1], "b": 2}}, heard.append)
    assert asked.host is not None and (asked.host.cpu, asked.host.name) == (None, "h")
    assert dict(asked.params) == {"b": 2}
    assert sorted(heard) == ["`host.cpu` is not text", "`params.a` is not a value of a sensible size"]


def test_a_verdict_is_read_back_as_it_was_noted() -> None:
    one = Verdict(status="failed", code="time-limit", message="m", state="TIMEOUT", node="n1", t=3.0)
    assert Verdict.of(one.as_json()) == one
