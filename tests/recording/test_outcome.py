"""What comes back from a run: its output untouched, its exit code, its record."""

import os
import shlex
import signal
import subprocess

import pytest
from conftest import PYTHON, Assay


@pytest.mark.parametrize(
    ("script", "code"), [("exit 0", 0), ("exit 1", 1), ("exit 2", 2), ("exit 125", 125), ("exit 255", 255)]
)
def test_the_exit_code_is_the_childs(assay: Assay, script: str, code: int) -> None:
    assert assay("run", "--", "sh", "-c", script).returncode == code
    assert assay.summary()["exit_code"] == code
    assert assay.summary()["status"] == ("completed" if code == 0 else "failed")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGUSR1])
def test_a_signal_that_killed_it_is_128_plus_its_number(assay: Assay, number: signal.Signals) -> None:
    assert assay("run", "--", "sh", "-c", f"kill -{number.value} $$").returncode == 128 + number
    summary = assay.summary()
    assert summary["error"]["code"] == "crashed"
    assert number.name in summary["error"]["message"]


def test_a_command_that_does_not_exist_is_127_and_on_record(assay: Assay) -> None:
    done = assay("run", "--", "no-such-command-here")
    assert done.returncode == 127
    assert b"error: cannot start `no-such-command-here`: command not found" in done.stderr
    assert assay.summary()["error"]["code"] == "missing-file"


def test_a_file_that_cannot_be_executed_is_126(assay: Assay) -> None:
    (assay.folder / "plain").write_text("hello")
    assert assay("run", "--", "./plain").returncode == 126
    assert assay.summary()["error"]["code"] == "permission"


@pytest.mark.parametrize("closed", ["", "<&-"])  # without an input the recorder starts the command itself
def test_a_script_without_a_first_line_runs_as_a_shell_runs_it(assay: Assay, closed: str) -> None:
    assay.script("echo $1; exit 4\n", "plain").chmod(0o755)
    words = subprocess.list2cmdline(map(str, assay.words("run", "-q", "--", "./plain", "hi")))
    done = subprocess.run(
        ["bash", "-c", f"{words} {closed}"], cwd=assay.folder, env=assay.environment(), capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (4, b"hi\n")


def test_a_program_for_another_machine_is_126(assay: Assay) -> None:
    program = assay.folder / "odd"
    program.write_bytes(b"\x7fODD\0\0\0\n")
    program.chmod(0o755)
    assert assay("run", "-q", "--", program).returncode == 126


def test_an_empty_element_of_path_is_the_current_folder(assay: Assay) -> None:
    assay.script("#!/bin/sh\necho here\n", "only-here").chmod(0o755)
    assay.env["PATH"] = f"{os.environ['PATH']}:"
    assert assay("run", "-q", "--", "only-here").stdout == b"here\n"


def test_a_script_whose_interpreter_is_missing_says_so(assay: Assay) -> None:
    script = assay.script("#!/no/such/interpreter\n", "odd")
    script.chmod(0o755)
    done = assay("run", "--", script)
    assert done.returncode == 127
    assert b"its interpreter is missing" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("--interval", "0"),
        ("--interval", "-1"),
        ("--interval", "soon"),
        ("--interval", "1e9"),
        ("--timeout", "0"),
        ("--no-such-option",),
        ("--param", "batch_size"),
        ("--env", "=x"),
        ("--cwd", "/no/such/folder"),
        ("--cwd", ""),
        ("--runs-dir", ""),
        ("--runs-dir", "/proc/no/such"),
        ("--runs-dir", "/dev/null/runs"),
        ("--pid", "1"),
    ],
)
def test_what_cannot_work_is_an_error_before_anything_starts(assay: Assay, words: tuple[str, ...]) -> None:
    done = assay("run", *words, "--", "touch", assay.folder / "started")
    assert done.returncode == 125
    assert done.stderr.startswith(b"error: ")
    assert b"Traceback" not in done.stderr
    assert not (assay.folder / "started").exists()
    assert assay.run_dirs() == []


def test_no_command_is_an_error_with_an_example(assay: Assay) -> None:
    done = assay("run", "--")
    assert done.returncode == 125
    assert b"hint: write it after `--`" in done.stderr


def test_a_command_without_dashes_is_shown_how_to_write_it(assay: Assay) -> None:
    done = assay("run", "python", "train.py")
    assert done.returncode == 125
    assert b"assay run -- python train.py" in done.stderr


def test_a_timeout_ends_the_command_with_124(assay: Assay) -> None:
    done = assay("run", "--timeout", "0.3", "--", "sleep", "1000")
    assert done.returncode == 124
    assert assay.summary()["error"]["code"] == "time-limit"


@pytest.mark.slow
def test_a_command_that_ignores_term_is_killed_after_its_timeout(assay: Assay) -> None:
    script = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: signal.pause()"
    assert assay("run", "--timeout", "0.5", "--", PYTHON, "-c", script).returncode == 124
    assert assay.summary()["error"]["code"] == "time-limit"


def test_output_passes_through_byte_for_byte_and_streams_stay_apart(assay: Assay) -> None:
    noise = os.urandom(300_000)
    (assay.folder / "noise").write_bytes(noise)
    done = assay("run", "-q", "--", "sh", "-c", "cat noise; echo to stderr >&2")
    assert done.stdout == noise
    assert done.stderr == b"to stderr\n"
    assert sorted((assay.run_dir() / "output.log").read_bytes()) == sorted(noise + b"to stderr\n")


def test_streams_that_go_to_one_place_keep_their_order(assay: Assay) -> None:
    script = "i=0; while [ $i -lt 200 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done"
    done = assay("run", "-q", "--", "sh", "-c", script, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expected = b"".join(b"out %d\nerr %d\n" % (i, i) for i in range(200))
    assert done.stdout == expected
    assert (assay.run_dir() / "output.log").read_bytes() == expected


def test_standard_input_reaches_the_command(assay: Assay) -> None:
    done = assay("run", "-q", "--", "tr", "a-z", "A-Z", input=b"hello\n")
    assert done.stdout == b"HELLO\n"


def test_descriptors_that_the_shell_opened_reach_the_command(assay: Assay) -> None:
    run = shlex.join(assay.words("run", "-q", "--"))
    line = f"{run} cat <(echo substituted); {run} sh -c 'echo third >&3' 3>third"
    done = subprocess.run(["bash", "-c", line], cwd=assay.folder, env=assay.environment(), capture_output=True)
    assert (done.stdout, done.stderr) == (b"substituted\n", b"")
    assert (assay.folder / "third").read_text() == "third\n"


def test_none_of_our_own_descriptors_reaches_the_command(assay: Assay) -> None:
    done = assay("run", "-q", "--", "sh", "-c", "ls /proc/$$/fd")
    assert done.stdout.split() == [b"0", b"1", b"2"]


def test_a_folder_is_no_command(assay: Assay) -> None:
    done = assay("run", "--", assay.folder)
    assert (done.returncode, b"not a folder" in done.stderr) == (126, True)


def test_a_reader_that_leaves_ends_the_command_as_it_would_without_us(assay: Assay) -> None:
    command = (
        " ".join(map(str, assay.words("run", "-q", "--", "yes"))) + " | head -c 100000 | wc -c; echo ${PIPESTATUS[0]}"
    )
    done = subprocess.run(
        ["bash", "-c", command], env=assay.environment(), capture_output=True, timeout=60, check=False
    )
    assert done.stdout.split() == [b"100000", b"141"]


def test_a_child_that_closes_its_output_is_still_waited_for(assay: Assay) -> None:
    done = assay("run", "-q", "--", "bash", "-c", "echo before; exec >&- 2>&-; sleep 0.3; exit 7")
    assert (done.stdout, done.returncode) == (b"before\n", 7)


def test_output_without_a_line_end_is_kept(assay: Assay) -> None:
    assert assay("run", "-q", "--", "printf", "no end").stdout == b"no end"
    assert (assay.run_dir() / "output.log").read_bytes() == b"no end"


def test_quiet_prints_nothing_of_our_own(assay: Assay) -> None:
    done = assay("run", "--quiet", "--", "true")
    assert (done.stdout, done.stderr) == (b"", b"")


def test_the_closing_words_go_to_stderr_with_the_next_commands(assay: Assay) -> None:
    done = assay("run", "--", "echo", "mine")
    assert done.stdout == b"mine\n"
    assert b"completed after" in done.stderr
    assert b"assay show" in done.stderr


@pytest.mark.slow
def test_ten_thousand_short_children_are_all_waited_for(assay: Assay) -> None:
    done = assay("run", "--", "sh", "-c", "i=0; while [ $i -lt 10000 ]; do (:); i=$((i+1)); done; echo $i")
    assert (done.stdout, done.returncode) == (b"10000\n", 0)


@pytest.mark.slow
def test_a_thousand_living_children_are_counted(assay: Assay) -> None:
    script = assay.script(
        "import os, sys, signal, time\n"
        "read, write = os.pipe()\n"
        "for _ in range(1000):\n"
        "    if os.fork() == 0:\n"
        "        os.close(write); os.read(read, 1); os._exit(0)\n"
        "print('all here', flush=True)\n"
        "sys.stdin.read()\n"
        "os.close(write)\n"
        "for _ in range(1000): os.wait()\n"
    )
    process = assay.start("run", "-q", "--interval", "0.05", "--", PYTHON, script, stdin=subprocess.PIPE)
    assert process.stdout and process.stdin
    assert process.stdout.readline() == b"all here\n"
    from conftest import wait_for

    wait_for(lambda: max(e.get("processes", 0) for e in assay.events()) == 1001, "a sample of all of them")
    process.stdin.close()
    assert process.wait(60) == 0
    process.stdout.close()


def test_what_ended_a_command_is_called_as_people_call_it(assay: Assay) -> None:
    killed = assay("run", "--", "sh", "-c", "kill -KILL $$")
    assert b"crashed: killed by SIGKILL (if nobody did that, the machine may have run out of memory" in killed.stderr
    stopped = assay("run", "--", "sh", "-c", "kill -INT $$")
    assert b"interrupted: stopped by SIGINT (Ctrl-C)" in stopped.stderr
