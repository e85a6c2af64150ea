"""psrecord's command line and files, with right figures."""

import csv
import subprocess
from pathlib import Path

import pytest
from conftest import PYTHON, Assay

pytestmark = pytest.mark.slow

BURN = "import time\nend = time.process_time() + 0.5\nwhile time.process_time() < end: pass"


def rows(path: Path) -> list[list[float]]:
    lines = path.read_text().splitlines()
    assert lines[0].split() == ["#", "Elapsed", "time", "CPU", "(%)", "Real", "(MB)", "Virtual", "(MB)"]
    return [list(map(float, line.split())) for line in lines[1:]]


def test_its_own_line_writes_its_own_log(assay: Assay) -> None:
    script = assay.script(BURN)
    done = assay("psrecord", f"{PYTHON} {script}", "--log", "p.log", "--interval", "0.05", "--include-children")
    assert done.returncode == 0, done.stderr
    assert b"Process finished (" in done.stdout
    found = rows(assay.folder / "p.log")
    assert len(found) >= 5
    assert max(row[1] for row in found) > 10  # a shell that only waits has 0, a busy machine leaves less than 100
    assert all(row[2] > 0 for row in found)
    assert assay.summary()["status"] == "completed"


def test_children_are_measured_with_or_without_the_flag(assay: Assay) -> None:
    script = assay.script(BURN)
    assay("psrecord", f"true; {PYTHON} {script}; true", "--log", "p.log", "--interval", "0.05")
    assert max(row[1] for row in rows(assay.folder / "p.log")) > 10


def test_the_exit_code_is_not_lost(assay: Assay) -> None:
    assert assay("psrecord", "exit 3", "--log", "p.log").returncode == 3


def test_csv_with_io(assay: Assay) -> None:
    # totals of the disk are read every half second, and the first time a command may not have read anything yet
    assay("psrecord", "sleep 1.5", "--log", "p.csv", "--log-format", "csv", "--include-io", "--interval", "0.05")
    with open(assay.folder / "p.csv", newline="") as file:
        table = list(csv.DictReader(file))
    memory, disk = ["mem_real", "mem_virtual"], ["read_count", "write_count", "read_bytes", "write_bytes"]
    assert list(table[0]) == ["elapsed_time", "nproc", "cpu", *memory, *disk]
    assert max(int(row["read_count"]) for row in table) > 0
    assert int(table[0]["nproc"]) in (1, 2)  # some shells replace themselves by a single command


@pytest.mark.parametrize(("name", "magic"), [("p.png", b"\x89PNG"), ("p.svg", b"<svg"), ("p.pdf", b"%PDF")])
def test_a_plot_is_drawn(assay: Assay, name: str, magic: bytes) -> None:
    done = assay("psrecord", "sleep 0.3", "--plot", name, "--interval", "0.05")
    assert done.returncode == 0, done.stderr
    assert (assay.folder / name).read_bytes().startswith(magic)


def test_a_plot_that_cannot_be_drawn_is_refused_before_the_start(assay: Assay) -> None:
    for target in ("p.gif", "no/such/folder/p.png"):
        done = assay("psrecord", "touch started", "--plot", target)
        assert done.returncode == 2
        assert not (assay.folder / "started").exists()


def test_without_files_the_log_is_printed(assay: Assay) -> None:
    done = assay("psrecord", "sleep 0.3", "--interval", "0.1")
    assert b"# Elapsed time" in done.stdout


def test_a_number_attaches(assay: Assay) -> None:
    process = subprocess.Popen(["sleep", "1000"])
    try:
        done = assay("psrecord", str(process.pid), "--log", "p.log", "--duration", "0.5", "--interval", "0.1")
        assert done.returncode == 0, done.stderr
        assert process.poll() is None
        assert len(rows(assay.folder / "p.log")) >= 2
    finally:
        process.kill()
        process.wait()
