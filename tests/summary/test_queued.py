"""How long a job waited: over all of its starts, and only while its scheduler had it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from assay.launchers.base import Job
from assay.launchers.places import Place
from assay.launchers.script import script_text
from assay.model.request import Request
from assay.store.job import keep_name, queued_s, read_job, read_name
from assay.store.layout import create


def test_every_wait_counts_from_the_moment_it_was_handed_over(tmp_path: Path) -> None:
    run = create(tmp_path, "x-1")
    (run.path / "job").mkdir()
    asked = Request(submitted_t=100.0)  # made ready then; the queue took it only at 150
    (run.path / "job" / "name").write_text("sizes.3runs-abcdef[1]\n150.0\n")
    assert queued_s(run, read_job(run), asked) is None
    (run.path / "job" / "start.0").write_text("160.0 n1 7 12\n")
    assert queued_s(run, read_job(run), asked) == 10
    (run.path / "job" / "start.1").write_text("200.0 n2 8 12 170.0\n")  # its node was lost at 170
    assert queued_s(run, read_job(run), asked) == 40
    (run.path / "job" / "name").write_text("sizes.3runs-abcdef[1]\n")  # of an older Assay
    assert queued_s(run, read_job(run), asked) == 90
    keep_name(run, "another-abcdef")
    assert read_name(run) == "another-abcdef"


def test_a_second_attempt_says_when_the_first_was_last_seen(tmp_path: Path) -> None:

    run = create(tmp_path, "x-1")
    (run.path / "job").mkdir()
    place = Place(name="there", launcher="slurm", python="false")
    script = run.path / "job" / "script"
    script.write_text(script_text(Job(run=run, place=place, command=["true"]), "me=1\nnode=here", [], ""))
    subprocess.run(["bash", script], capture_output=True, check=False)
    (run.path / "events" / "n1.jsonl").write_text("{}\n")
    os.utime(run.path / "job" / "start.0", (1000, 1000))
    os.utime(run.path / "job" / "end.0", (1000, 1000))
    os.utime(run.path / "events" / "n1.jsonl", (1030, 1030))
    subprocess.run(["bash", script], capture_output=True, check=False)
    first, second = read_job(run).starts
    assert (first.lost_t, second.lost_t, second.job_id) == (None, 1030.0, "1")
