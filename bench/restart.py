"""How long a study of many cells takes to find out where it stands when it is taken up again. Run by `make bench`."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from table import ASSAY, row

from assay.launchers.places import load_places
from assay.model.summary import VERSION
from assay.study.file import load_study
from assay.study.plan import plan

CELLS = int(os.environ.get("CELLS", "10000"))


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as place:
        folder = Path(place)
        file = make_study(folder, CELLS)
        asked = [*ASSAY, "study", str(file), "--status", "--json", "--runs-dir", str(folder / "runs")]
        for which in ("first, the index is written", "from the index (at most 3 s)"):
            before, begin_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            done = subprocess.run(asked, stdout=subprocess.PIPE, check=False)
            took_s, after = time.monotonic() - begin_s, resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            good = len(json.loads(done.stdout))
            figures = f"{took_s:.2f} s, {cpu_s:.2f} s of CPU time; {good:,} rows"
            row(f"restart over {CELLS:,} cells: {which}", figures, cpu_s <= 3 if "index (" in which else None)


def make_study(folder: Path, cells: int) -> Path:
    """The file and the runs of a study that is done, all of them old enough to be in the index."""
    file, runs = folder / "study.yaml", folder / "runs"
    file.write_text("study: many\ncommand: 'true {x}'\ngrid: {x: {from: 1, to: " + str(cells) + "}}\n")
    begin_t = time.time() - 7200
    for at, unit in enumerate(plan(load_study(file), load_places(None))):
        run_id = time.strftime("%Y%m%dT%H%M%S", time.gmtime(begin_t + at / 10)) + f".{at % 10}00-a{at:05}"
        run = runs / f"x{at}-{run_id}"
        (run / "events").mkdir(parents=True)
        known = {"id": run_id, "name": f"x{at}", "study": "many", "cell": unit.cell, "repeat": unit.repeat}
        request = {"v": 1, **known, "command": ["true", str(at + 1)], "study_file": str(file), "asked_t": begin_t + at}
        summary = {"v": VERSION, **known, "status": "completed", "exit_code": 0, "wall_s": 1.5, "params": {"x": at + 1}}
        (run / "run.json").write_text(json.dumps(request))
        (run / "summary.json").write_text(json.dumps(summary))
        for path in (run / "summary.json", run / "run.json", run):
            os.utime(path, (begin_t + at / 10,) * 2)
    return file


if __name__ == "__main__":
    main()
