"""`make seeds`: its drafts ask for studies that are run, and what they say of others' pages holds before the audit."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from conftest import Assay
from slurm_cluster import Cluster

from assay.auditing.audit import judge, load
from assay.strictyaml import load as load_yaml
from assay.views.written.draft import Command, figures, parse

ROOT = Path(__file__).parents[2]
DRAFTS = sorted((ROOT / "examples" / "seeds").glob("*.md"))


def run_by_make() -> set[str]:
    listed = re.search(r"SEEDS := ((?:.*\\\n)*.*)", (ROOT / "Makefile").read_text())
    assert listed
    return set(listed[1].replace("\\", " ").split())


@pytest.mark.parametrize("draft", DRAFTS, ids=lambda path: path.stem)
def test_a_draft_asks_only_for_studies_that_make_seeds_runs(draft: Path) -> None:
    for piece in parse(draft.read_text(), draft.name):
        if isinstance(piece, Command):
            asked = re.findall(r"study=([\w-]+)", piece.text)
            assert piece.may_fail or set(asked) <= run_by_make()
        else:
            inside = [one for one in figures(piece.text) if not isinstance(one, str)]
            asked = [word.removeprefix("study=") for one in inside for word in one.conditions if "study=" in word]
            assert len(asked) == len(inside) and set(asked) <= run_by_make()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(run_by_make()))
def test_every_study_of_make_seeds_is_there_and_plans_its_runs(assay: Assay, name: str) -> None:
    done = assay("study", str(ROOT / "examples" / "studies" / f"{name}.yaml"), "--dry-run")
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().startswith(f"{name}: ")


def test_every_page_of_the_seeds_has_its_draft() -> None:
    text = "".join(draft.read_text() for draft in DRAFTS)
    assert {f"page_{number:03}.md" for number in range(5)} <= set(re.findall(r"page_\d+\.md", text))


@pytest.mark.slow
def test_a_page_that_only_reads_logs_is_written_and_stands_before_the_audit(assay: Assay) -> None:
    done = assay("write", str(ROOT / "examples" / "seeds" / "hw7-cerebras.md"), "-o", "page.md")
    assert done.returncode == 0, done.stderr
    cases, problems = load([str(assay.folder / "page.md")], assay.folder)
    assert not problems
    assert [one for one in judge(cases) if one.severity == "wrong"] == []
    text = (assay.folder / "page.md").read_text()
    assert "give every run a fresh one" in text and "*parsed: `assay compare" in text


#: in the place of the workloads, which take minutes: it reports what they report, in a moment
BRIEF = """\
import sys, time
import assay
given = dict(one.split("=") for one in sys.argv[1:])
batch, epochs = int(given.get("batch_size", 64)), int(given.get("epochs", 2))
settings = {name: float(value) for name, value in given.items() if value[0].isdigit()}
assay.params(**{"model": "m", "dataset": "d", "lr": 0.1, "threads": 1, **settings})
with assay.phase("load"):
    held = bytearray(1 << 20)
with assay.phase("train"):
    begin_s = time.perf_counter()
    for step in range(1, 25):
        time.sleep(0.004)
        rate = step * batch / (time.perf_counter() - begin_s)
        assay.log(step=step, samples=step * batch, epoch=epochs * step / 24, loss=2.0 / step, samples_per_s=rate,
                  samples_per_s_avg=rate)
        if step % 12 == 0:
            assay.log(step=step, accuracy=0.5 + step / 50)
for index in range(20):
    assay.request(index=index, sent_mono_s=time.monotonic(), e2e_ms=0.5 + index / 100, in_flight=1)
assay.result(loss=2 / 24, samples=24 * batch, steps=24, epochs=epochs, train_s=time.perf_counter() - begin_s,
             samples_per_s_avg=rate, accuracy=0.98, peak_memory_bytes=1 << 20, latency_ms=0.6, latency_p50_ms=0.6,
             latency_p90_ms=0.7, latency_p99_ms=0.7, engine="torch", global_batch=batch)
"""


@pytest.mark.slow
def test_make_seeds_writes_its_five_pages_from_studies_of_seconds(assay: Assay, slurm: Cluster) -> None:
    """The recipe of the Makefile as it stands, in a folder of its own with brief programs: on Slurm what needs it."""
    here = assay.folder
    for name in ("studies", "seeds"):
        shutil.copytree(ROOT / "examples" / name, here / "examples" / name)
    for name in ("examples/standins", "tests"):
        (here / name).symlink_to(ROOT / name)
    (here / ".venv").symlink_to(sys.prefix)
    assay.script(BRIEF, "brief.py")
    for name in run_by_make():
        path = here / "examples" / "studies" / f"{name}.yaml"
        study = dict(load_yaml(path).value)
        for key in ("workload", "target", "cwd", "config", "on", "env", "limits"):
            study.pop(key, None)
        varied = {name: None for point in study.get("grid", {}).get("setting", [{}]) for name in point}
        names = [*study["set"], *(varied or study.get("grid", {}))]
        study["command"] = [sys.executable, str(here / "brief.py"), *(f"{one}={{{one}}}" for one in names)]
        path.write_text(yaml.safe_dump(study | {"repeat": 1, "warmup": 0, "interval": 0.02}))
    path = here / "examples" / "seeds" / "sambanova-tasks.yaml"
    study = dict(load_yaml(path).value)
    study["on"] |= {"tasks_per_node": 2, "memory": "1500M"}
    few = {
        "set": {"batch_size": 256, "max_steps": 4},
        "grid": {"shape": [{"tasks": 2, "nodes": 1}, {"tasks": 4, "nodes": 2}]},
    }
    path.write_text(yaml.safe_dump(study | few | {"repeat": 1}))
    slurm.wait_until_idle()
    words = ["make", "-f", str(ROOT / "Makefile"), "-o", ".venv/ready", "seeds"]
    environment = {**assay.environment(), **slurm.env}
    done = subprocess.run(words, cwd=here, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    pages = {path.name for path in (here / "seeds").iterdir()}
    assert pages >= {f"{draft.stem}{ending}" for draft in DRAFTS for ending in (".html", ".md")}
    assert "sambanova-tasks: 2 combinations" in done.stderr
    assert "Not here: " not in "".join(path.read_text() for path in (here / "seeds").glob("*.md"))


def test_a_draft_is_checked_before_its_studies_are_run_and_one_that_fails_keeps_no_other(assay: Assay) -> None:
    (assay.folder / "bad.md").write_text("# Bad\n\n```assay\nreport --charts machine-memory\n```\n")
    (assay.folder / "worse.md").write_text("# Worse\n\n{{wal_s: study=x}}\n")
    (assay.folder / "good.md").write_text("# Good\n\n```assay\nls --where status=failed\n```\n")
    drafts = ["bad.md", "worse.md", "good.md"]
    done = assay("write", "--check", *drafts, "-o", "pages/")
    assert done.returncode == 2 and not (assay.folder / "pages").exists()
    said = done.stderr.decode()
    assert "bad.md:4: there is no chart called `machine-memory`" in said and "there is no figure called `wal_s`" in said
    assay("run", "-q", "--", "true")
    done = assay("write", *drafts, "-o", "pages/")
    assert done.returncode != 0 and [path.name for path in (assay.folder / "pages").iterdir()] == ["good.html"]
