"""A runs folder that others can write to: every command goes on with the good runs and names what it left out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bad_runs import LOST, SECRET, SPOILED, add_bad_runs
from conftest import PYTHON, Assay, warnings
from serving import serving

TRAINS = """
import assay, sys
size, extra = int(sys.argv[1]), float(sys.argv[2])
assay.params(batch_size=size)
with assay.phase("train"):
    for step in range(5):
        assay.log(step=step, loss=1 / (step + 1) + extra, samples=step * size)
"""
GOOD = 4
SHOWN = len(SPOILED) - len(LOST)


@pytest.fixture(scope="module")
def spoiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Assay, list[str]]]:
    """Four good runs, one bad run of each kind, and the files that deserve a warning."""
    made = Assay(tmp_path_factory.mktemp("spoiled"))
    script = made.script(TRAINS)
    for size in ("8", "16"):
        for extra in ("0", "0.1"):
            made("run", "-q", "--name", "good", "--param", f"batch_size={size}", "--", PYTHON, script, size, extra)
    assert len(made.run_dirs()) == GOOD
    yield made, add_bad_runs(made.runs, made.run_dirs()[0], made.folder / "outside")


def _said(done: subprocess.CompletedProcess[bytes], deserve: list[str]) -> None:
    """One warning for each file that was left out, and nothing of what a link led to."""
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    assert SECRET.encode() not in done.stdout + done.stderr
    said = [line.decode() for line in done.stderr.splitlines() if b"warning: " in line or line.startswith(b"error: ")]
    for file in deserve:
        assert sum(f"{file}`" in line for line in said) == 1, f"{file}: {said}"
    assert len(said) == len(deserve), said


def _but_output(deserve: list[str]) -> list[str]:
    """What a command warns of that has no need of the output."""
    return [file for file in deserve if not file.endswith("output.log")]


def test_a_list_shows_every_run_that_can_be_shown(spoiled: tuple[Assay, list[str]]) -> None:
    assay, deserve = spoiled
    done = assay("ls", "--json")
    assert done.returncode == 0
    _said(done, _but_output(deserve))
    names = [summary["name"] for summary in json.loads(done.stdout)]
    assert names.count("good") == GOOD
    assert len(names) == GOOD + SHOWN


@pytest.mark.parametrize(
    "words",
    [
        ("ls",), ("ls", "--sort", "loss"), ("ls", "loss<1"), ("compare",), ("compare", "--by", "batch_size", "--json"),
        ("compare", "--to", "loss=0.4"), ("report", "-o", "r.html"), ("report", "-o", "r.md"),
        ("report", "--format", "json"), ("report", "--format", "csv"), ("export", "--to", "tensorboard"),
        ("export", "--to", "csv"), ("export", "--to", "json"),
    ],
)  # fmt: skip
def test_every_command_over_all_runs_goes_on(spoiled: tuple[Assay, list[str]], words: tuple[str, ...]) -> None:
    assay, deserve = spoiled
    done = assay(*words)
    assert done.returncode == 0, done.stderr.decode()
    _said(done, _but_output(deserve))


def test_a_comparison_counts_the_good_runs(spoiled: tuple[Assay, list[str]]) -> None:
    assay, _ = spoiled
    found = json.loads(assay("compare", "--where", "name=good", "--by", "batch_size", "--json").stdout)
    assert [group["n"] for group in found["groups"]] == [2, 2]


def test_an_audit_judges_the_good_runs(spoiled: tuple[Assay, list[str]]) -> None:
    assay, deserve = spoiled
    done = assay("audit", "--json")
    _said(done, _but_output(deserve))
    assert done.returncode in (0, 1)
    assert isinstance(json.loads(done.stdout), list)


@pytest.mark.parametrize("name", SPOILED)
def test_a_bad_run_is_shown_or_refused_in_plain_words(spoiled: tuple[Assay, list[str]], name: str) -> None:
    assay, _ = spoiled
    (folder,) = assay.runs.glob(f"bad-{name}-2*")
    for words in (("show",), ("show", "--output")):
        done = assay(*words, folder.name)
        assert b"Traceback" not in done.stderr, done.stderr.decode()
        assert SECRET.encode() not in done.stdout + done.stderr
        assert done.returncode == (1 if name in LOST and words == ("show",) else done.returncode)
        assert done.returncode in (0, 1)


def test_a_study_with_a_bad_run_beside_it_has_a_status(spoiled: tuple[Assay, list[str]]) -> None:
    assay, _ = spoiled
    study = assay.script('study: s\ncommand: [echo, "{lr}"]\ngrid: {lr: [1]}\n', "s.yaml")
    done = assay("study", study, "--status")
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    assert done.returncode in (0, 1), done.stderr.decode()


def test_a_page_is_written_of_the_good_runs(spoiled: tuple[Assay, list[str]]) -> None:
    assay, _ = spoiled
    draft = assay.script("# A page\n\n```assay\ncompare --where name=good --by batch_size --markdown\n```\n", "d.md")
    done = assay("write", draft, "-o", "page.md")
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    assert done.returncode == 0, done.stderr.decode()


def test_a_bad_run_can_be_removed(spoiled: tuple[Assay, list[str]], assay: Assay) -> None:
    shutil.copytree(spoiled[0].runs, assay.runs, symlinks=True, ignore=lambda at, names: _special(at, names))
    for folder in sorted(assay.runs.glob("bad-*")):
        if (folder / "run.json").is_file() and not (folder.is_symlink() or (folder / "run.json").is_symlink()):
            done = assay("rm", "--yes", folder.name)
            assert done.returncode == 0, done.stderr.decode()
    assert [summary["name"] for summary in assay.ls()] == ["good"] * GOOD


def _special(at: str, names: list[str]) -> list[str]:
    """What cannot be copied."""
    places = [(name, Path(at, name)) for name in names]
    return [name for name, path in places if not (path.is_symlink() or path.is_file() or path.is_dir())]


def test_the_live_page_shows_the_good_runs_and_says_what_it_cannot(spoiled: tuple[Assay, list[str]]) -> None:
    assay, _ = spoiled
    with serving(assay) as served:
        found = served.json("/api/runs?limit=200")
        assert found["total"] == GOOD + SHOWN
        assert set(found["problems"]) >= {
            folder.name for folder in assay.runs.glob("bad-asked-[atd]*") if "types" not in folder.name
        }
        for row in found["rows"]:
            status, content = served.ask(f"/api/run/{row['folder']}")
            assert status in (200, 202), content
            assert SECRET.encode() not in content
            status, content = served.ask(f"/api/run/{row['folder']}/log")
            assert status in (200, 409), content
            assert SECRET.encode() not in content
        folders = ",".join(row["folder"] for row in found["rows"][:50])
        for path in ("/api/findings", "/api/fields", "/api/studies", f"/api/compare?runs={folders}"):
            answer = served.json(path)
            assert "error" not in answer, answer
            assert SECRET not in json.dumps(answer)


def test_a_runs_folder_and_a_run_named_by_its_path_may_be_links(spoiled: tuple[Assay, list[str]]) -> None:
    assay, _ = spoiled
    run = next(path for path in assay.run_dirs() if path.name.startswith("good"))
    linked, one = assay.folder / "linked", assay.folder / "one"
    linked.symlink_to(assay.runs)
    one.symlink_to(run)
    listed = assay("ls", "--json", "--runs-dir", linked)
    assert sum(summary["name"] == "good" for summary in json.loads(listed.stdout)) == GOOD
    assert assay("show", f"./{one.name}").returncode == 0
    (assay.runs / "newest").symlink_to(run.name)
    try:
        assert json.loads(assay("show", "--json", "newest").stdout)[0]["id"] in run.name
        assert len(assay.ls()) == GOOD + SHOWN  # a second name is no second run
    finally:
        (assay.runs / "newest").unlink()


def test_what_a_program_logs_of_the_wrong_type_costs_nothing_else(assay: Assay) -> None:
    script = assay.script(
        "import assay\n"
        "assay.log(step=1, loss=0.5, gpu=[70, 80])\n"
        "with assay.phase(['a', 'list']): pass\n"
        "assay.log(step=2, loss=0.25, host={}, line='x', at_s='y')\n"
        "assay.result(accuracy=[0.5], model=3)\n"
        "assay.params(betas=[0.9, 0.999], seed=2**100)\n"
    )
    assert assay("run", "-q", "--", PYTHON, script).returncode == 0
    summary = assay.summary()
    assert (summary["status"], summary["loss"], summary["steps"]) == ("completed", 0.25, 2)
    assert summary["params"] == {"betas": [0.9, 0.999], "seed": 2**100}
    done = assay("report", "--format", "json")
    assert done.returncode == 0
    (said,) = warnings(done.stderr)
    assert b"line 1 was skipped: `gpu` is not one value (and 3 more lines)" in said


def test_a_cache_that_someone_else_wrote_is_checked(assay: Assay, monkeypatch: Any) -> None:
    """The owner of the index cannot be changed here without being root, so we are told to be someone else."""
    from assay.summary import index

    run = assay.runs / "one-1"
    (run / "events").mkdir(parents=True)
    (run / "run.json").write_text('{"v": 1, "id": "1", "name": "one"}')
    summary = {"v": index.VERSION, "id": "1", "name": "one", "status": "completed"}
    (run / "summary.json").write_text(json.dumps(summary))
    head: dict[str, Any] = {
        "v": index._FORMAT,
        "summary_v": index.VERSION,
        "lean": index.LEAN,
        "runs": [["one-1", index.stamp_of(str(assay.runs), "one-1")]],
    }
    forged = json.dumps({**summary, "name": "forged", "loss": "x"})
    (assay.runs / index.NAME).write_text("\n".join([json.dumps(head), "[]", forged]))
    assert index.load_all(assay.runs, print)[0].summary.name == "forged"  # the cache is read
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    monkeypatch.setattr(index, "_OWNERS", ())
    (listed,) = index.load_all(assay.runs, print)
    assert listed.summary.as_json() == summary
    index._write(assay.runs, {"one-1": (head["runs"][0][1], listed)})
    monkeypatch.undo()
    assert index.load_all(assay.runs, print)[0].summary.as_json() == summary  # nor is it passed on under our name
