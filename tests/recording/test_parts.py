"""A script that runs several programs: each one's time, CPU time and memory."""

from conftest import PYTHON, Assay

HOLDS = "import sys, time\nblock = bytearray(b'x') * (int(sys.argv[1]) << 20)\ntime.sleep(0.5)"
BURNS = "import time\nwhile time.process_time() < 0.4: pass"


def test_each_program_of_a_script_has_its_figures(assay: Assay) -> None:
    script = '"$0" -c "$1" 20\nsleep 0.4\n"$0" -c "$2"\n"$0" -c "$1" 80\ntrue'
    assay("run", "-q", "--", "sh", "-c", script, PYTHON, HOLDS, BURNS)
    first, pause, burns, last = assay.summary()["parts"]
    assert [one["command"].split()[0] for one in (first, pause, burns, last)] == [PYTHON, "sleep", PYTHON, PYTHON]
    assert first["wall_s"] >= 0.5
    assert pause["wall_s"] >= 0.4
    assert pause["cpu_s"] < 0.2
    assert burns["cpu_s"] >= 0.36
    assert 20 << 20 < first["memory_bytes_max"] < 60 << 20
    assert 80 << 20 < last["memory_bytes_max"] < 120 << 20
    assert [one["began_s"] for one in assay.summary()["parts"]] == sorted(
        one["began_s"] for one in assay.summary()["parts"]
    )


def test_the_program_that_a_shell_becomes_is_one_of_them(assay: Assay) -> None:
    assay("run", "-q", "--", "sh", "-c", 'sleep 0.4; exec "$0" -c "$1" 60', PYTHON, HOLDS)
    pause, last = assay.summary()["parts"]
    assert pause["command"] == "sleep 0.4"
    assert last["memory_bytes_max"] > 60 << 20
    assert last["wall_s"] < assay.summary()["wall_s"]


def test_what_a_wrapper_runs_is_shown_in_its_place(assay: Assay) -> None:
    assay("run", "-q", "--", "sh", "-c", "sh -c 'sleep 0.3; sleep 0.4; true'; true")
    assert [one["command"] for one in assay.summary()["parts"]] == ["sleep 0.3", "sleep 0.4"]


def test_forks_are_no_programs(assay: Assay) -> None:
    fork = "import os, time\nfor _ in range(3):\n    if os.fork() == 0: time.sleep(0.5); os._exit(0)\n"
    assay("run", "-q", "--", PYTHON, "-c", fork + "for _ in range(3): os.wait()")
    assert "parts" not in assay.summary()


def test_the_programs_are_a_table(assay: Assay) -> None:
    secret = "hunter2hunter2"
    script = f'sleep 0.3 && env PASSWORD={secret} sh -c "sleep 0.3; true" && true'
    assay("run", "-q", "--", "sh", "-c", script)
    page = assay("show", "last").stdout.decode()
    rows = page[page.index("  program ") :].splitlines()[:3]
    assert rows[0].split() == ["program", "time", "CPU", "time", "peak", "memory"]
    assert rows[1].startswith("  sleep 0.3 ")
    assert secret not in page


def test_of_many_programs_the_largest_ten_are_kept(assay: Assay) -> None:
    assay("run", "-q", "--", "sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.1; done; sleep 0.6; true")
    parts = assay.summary()["parts"]
    assert len(parts) == 10
    assert parts[-1]["command"] == "sleep 0.6"
