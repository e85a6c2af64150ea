"""What happens when something dies, fills up or vanishes under a run."""

import json
import os
import random
import resource
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import PYTHON, Assay, wait_for, warnings
from test_signals import DEAF

pytestmark = pytest.mark.slow

#: counts aloud: each number is printed and reported before the next
COUNTING = """
import assay, itertools, sys, time
for step in itertools.count():
    assay.log(step=step)
    print(step, flush=True)
    time.sleep(0.002)
"""


def numbers(text: bytes) -> list[int]:
    return [int(line) for line in text.split(b"\n")[:-1]]


@pytest.mark.parametrize("lines", [1, 2, 10, 50, 200])
def test_killed_with_9_everything_reported_is_on_disk_and_the_child_ends(assay: Assay, lines: int) -> None:
    process = assay.start("run", "-q", "--interval", "0.02", "--", PYTHON, "-u", assay.script(COUNTING))
    assert process.stdout
    seen = b"".join(process.stdout.readline() for _ in range(lines))
    process.kill()
    process.wait(60)
    (listed,) = assay.ls()
    assert listed["status"] == "interrupted"
    wait_for(lambda: any(e["kind"] == "error" for e in assay.events()), "the guard to take over")
    wait_for(lambda: not processes_of(assay.run_dir()), "the child to end")
    kept = (assay.run_dir() / "output.log").read_bytes()
    assert kept.startswith(seen)
    assert numbers(kept) == list(range(len(numbers(kept))))
    steps = [event["step"] for event in assay.events() if event["kind"] == "metric"]
    assert steps == list(range(len(steps)))
    assert len(steps) >= lines
    assert assay.ls()[0]["steps"] == steps[-1]
    process.stdout.close()


def test_killed_with_9_at_any_moment_of_the_start_leaves_nothing_running(assay: Assay) -> None:
    chance = random.Random(4)
    for _ in range(30):
        process = assay.start("run", "-q", "--", "sleep", "1000", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.02, 0.25))  # the moment is the point of this test
        process.kill()
        process.wait(60)
    wait_for(lambda: not any(processes_of(run) for run in assay.run_dirs()), "every child to end")
    for summary in assay.ls():
        assert summary["status"] == "interrupted"


def test_what_was_printed_but_not_yet_read_is_saved_by_the_guard(assay: Assay) -> None:
    script = """
import sys, time
print('ready', flush=True)
sys.stdin.readline()
print('x' * 100000, flush=True)
open('printed', 'w')
time.sleep(1000)
"""
    process = assay.start("run", "-q", "--", PYTHON, "-c", script, stdin=subprocess.PIPE)
    assert process.stdout and process.stdin
    process.stdout.readline()
    process.send_signal(signal.SIGSTOP)  # the recorder reads nothing now
    process.stdin.write(b"\n")
    process.stdin.flush()
    wait_for(lambda: (assay.folder / "printed").exists(), "the child to print")
    process.kill()
    process.communicate(timeout=60)
    wait_for(lambda: (assay.run_dir() / "output.log").stat().st_size > 100000, "the guard to save it")


def test_a_child_that_ignores_term_is_killed_when_assay_is(assay: Assay) -> None:
    process = assay.start("run", "-q", "--", PYTHON, "-c", DEAF.format("SIGTERM"))
    assert process.stdout
    process.stdout.readline()
    process.kill()
    process.communicate(timeout=60)
    wait_for(lambda: not processes_of(assay.run_dir()), "the child to be killed")


def processes_of(run: Path) -> list[int]:
    mark = b"ASSAY_RUN=" + os.fsencode(run) + b"\0"
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (entry / "environ").read_bytes() and b"State:\tZ" not in (entry / "status").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@pytest.fixture
def small_disk(assay: Assay):
    """A file system of 256 KiB for the runs."""
    assay.runs.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "none", assay.runs], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("cannot mount a small file system here")
    yield assay
    subprocess.run(["umount", "-l", assay.runs], check=True)


def test_a_full_disk_does_not_stop_the_command(small_disk: Assay) -> None:
    script = """
import assay, sys
for i in range(3000):
    assay.log(step=i, text='y' * 200)
    print('x' * 200)
sys.exit(5)
"""
    done = small_disk("run", "--", PYTHON, "-c", script)
    assert done.returncode == 5
    assert done.stdout == (b"x" * 200 + b"\n") * 3000
    (warning,) = warnings(done.stderr)
    assert b"No space left on device" in warning


def test_a_disk_that_has_room_again_is_written_again(small_disk: Assay) -> None:
    filler = small_disk.runs / "filler"
    script = (
        "import assay, os, sys\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "for i in range(20): print('during', i, 'z' * 5000, flush=True)\n"
        "print('full', flush=True); sys.stdin.readline()\n"
        "assay.log(step=77); print('after', flush=True)"
    )
    process = small_disk.start("run", "--interval", "0.05", "--", PYTHON, "-c", script, stdin=subprocess.PIPE)
    assert process.stdout and process.stdin
    assert process.stdout.readline() == b"ready\n"
    try:
        with open(filler, "wb") as file:
            while True:
                file.write(b"f" * 512)
                file.flush()
    except OSError:
        pass
    process.stdin.write(b"\n")
    process.stdin.flush()
    while process.stdout.readline() != b"full\n":
        pass
    filler.unlink()
    process.stdin.write(b"\n")
    process.stdin.close()
    assert process.wait(60) == 0
    assert (small_disk.run_dir() / "output.log").read_bytes().endswith(b"after\n")
    (summary,) = small_disk.ls()
    assert summary["steps"] == 77
    process.stdout.close()
    assert process.stderr
    process.stderr.close()


def test_a_runs_folder_that_is_removed_does_not_stop_the_command(assay: Assay) -> None:
    script = """
import assay, sys
print('ready', flush=True)
sys.stdin.readline()
assay.log(step=1)
print('done')
sys.exit(4)
"""
    process = assay.start("run", "--", PYTHON, "-c", script, stdin=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"ready\n"
    shutil.rmtree(assay.runs)
    out, err = process.communicate(b"\n", timeout=60)
    assert (out, process.returncode) == (b"done\n", 4)
    (warning,) = warnings(err)
    assert b"nothing of this run is kept" in warning


def test_runs_started_together_do_not_meet(assay: Assay) -> None:
    processes = [assay.start("run", "-q", "--name", "same", "--", "echo", str(i)) for i in range(8)]
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    assert len(assay.run_dirs()) == 8
    assert {(run / "output.log").read_bytes() for run in assay.run_dirs()} == {b"%d\n" % i for i in range(8)}


HOSTILE = [
    "with space",
    "it's",
    'say "hi"',
    "new\nline",
    "; rm -rf /",
    "$(id)",
    "`id`",
    "-x",
    "ünï",
    b"\xff\xfe",
    "\x1b[31m",
    "*",
    "\\",
    "a\tb",
]


def test_hostile_arguments_survive_into_the_record_and_back(assay: Assay) -> None:
    script = "import os, sys; os.write(1, b'\\0'.join(map(os.fsencode, sys.argv[1:])))"
    done = assay("run", "-q", "--", PYTHON, "-c", script, *HOSTILE)
    expected = [os.fsencode(word) for word in HOSTILE]
    assert done.stdout.split(b"\0") == expected
    assert [os.fsencode(word) for word in assay.asked()["command"][3:]] == expected
    (shown,) = json.loads(assay("show", "--json").stdout)
    assert shown["status"] == "completed"
    assert b"\x1b[31m" not in assay("show").stdout


@pytest.mark.parametrize("name", [word for word in HOSTILE if word != "-x"])
def test_hostile_names_survive_and_find_their_run(assay: Assay, name: str | bytes) -> None:
    done = assay("run", "-q", "--name", name, "--tag", name, "--", "true")
    assert done.returncode == 0, done.stderr
    assert os.fsencode(assay.asked()["name"]) == os.fsencode(name)
    if assay.run_dir().name[:3] != "run":  # of a name of nothing but odd signs no word is left to find it by
        found = assay("show", "--json", name)
        assert found.returncode == 0, found.stderr
    assert assay.run_dir().parent == assay.runs
    listed = assay("ls")
    assert listed.returncode == 0
    assert len(listed.stdout.splitlines()) == 2
    assert b"\x1b" not in listed.stdout


def test_a_child_that_renames_itself_is_still_measured(assay: Assay) -> None:
    script = """
import ctypes, time
ctypes.CDLL(None).prctl(15, b') R 1 (x', 0, 0, 0)
end = time.process_time() + 0.4
while time.process_time() < end: pass
"""
    assert assay("run", "-q", "--interval", "0.05", "--", PYTHON, "-c", script).returncode == 0
    assert assay.summary()["cpu_s"] >= 0.4
    assert max(event.get("cpu_pct", 0) for event in assay.events()) > 10


def test_the_wall_clock_may_step_without_changing_durations(assay: Assay) -> None:
    assay("run", "-q", "--", PYTHON, "-c", "import assay\nwith assay.phase('train'): assay.log(step=1)")
    (assay.run_dir() / "summary.json").unlink()
    before = assay.ls()[0]
    for path in (assay.run_dir() / "events").glob("*.jsonl"):
        events = [json.loads(line) for line in path.read_text().splitlines()]
        for event in events[1:]:
            event["t"] -= 3600 * 5  # someone set the clock back after the first event
        path.write_text("".join(json.dumps(event) + "\n" for event in events))
    after = assay.ls()[0]
    assert after["wall_s"] == before["wall_s"]
    assert after["phases"] == before["phases"]


def test_deleting_the_summary_loses_nothing(assay: Assay) -> None:
    assay(
        "run",
        "-q",
        "-p",
        "lr=0.1",
        "--",
        PYTHON,
        "-c",
        "import assay; assay.log(step=3, loss=0.5); assay.result(accuracy=0.9)",
    )
    kept = assay.summary()
    (assay.run_dir() / "summary.json").unlink()
    assert assay.ls() == [kept]


def test_a_torn_last_line_is_expected_and_a_torn_middle_one_reported(assay: Assay) -> None:
    assay("run", "-q", "--", PYTHON, "-c", "import assay\nfor i in range(5): assay.log(step=i)")
    (assay.run_dir() / "summary.json").unlink()
    path = next(path for path in (assay.run_dir() / "events").glob("*.jsonl") if b'"step":4' in path.read_bytes())
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines) + b'{"v":1,"t":17')
    assert "problems" not in assay.ls()[0]
    path.write_bytes(lines[0] + b'{"v":1,"t":17\n' + b"".join(lines[1:]))
    assert assay.ls()[0]["problems"] == [f"{path.name}:2 is not a whole event"]
    assert assay.ls()[0]["steps"] == 4


ODD_EVENTS = [
    '{"kind":"beat","beside":1}',
    '{"kind":"_init__"}',
    '{"kind":"__class__"}',
    '{"kind":"seen","file":"x","bytes":"many"}',
    '{"loss":' + "9" * 400 + "}",
    '{"kind":"phase","name":[1],"edge":2}',
    '{"kind":"sample","from":"probe:gpu","gpu":"x","throttle":3}',
    '{"kind":"end","status":{"a":1}}',
    '{"kind":"error"}',
    '{"kind":"param","batch_size":[1,2]}',
    '{"from":5,"loss":1}',
    '{"t":"now","mono_s":"then","loss":1}',
    '{"mono_s":0.5,"t":0.5,"loss":1}',
    "[1,2,3]",
    "null",
]


@pytest.mark.parametrize("line", ODD_EVENTS)
def test_no_line_that_a_program_writes_costs_the_exit_code_or_the_list(assay: Assay, line: str) -> None:
    (assay.folder / "line").write_text(line + "\n")
    done = assay(
        "run", "--", "sh", "-c", 'cat line >> "$ASSAY_EVENTS"; echo \'{"step": 7}\' >> "$ASSAY_EVENTS"; exit 3'
    )
    assert done.returncode == 3
    assert b"Traceback" not in done.stderr
    (summary,) = assay.ls()
    assert (summary["steps"], summary["exit_code"]) == (7, 3)
    assert 0 < summary["wall_s"] < 100
    assert assay("show").returncode == 0


@pytest.mark.parametrize(
    "text", ['{"v":1,"host":null}', '{"v":1,"command":[1,2],"params":[1]}', '{"v":1,"id":5,"asked_t":"x"}', "[]"]
)
def test_no_run_json_breaks_the_list(assay: Assay, text: str) -> None:
    assay("run", "-q", "--name", "good", "--", "true")
    odd = assay.runs / "odd"
    (odd / "events").mkdir(parents=True)
    (odd / "run.json").write_text(text)
    done = assay("ls", "--json")
    assert done.returncode == 0
    assert "good" in [summary.get("name") for summary in json.loads(done.stdout)]
    assert assay("ls").returncode == 0


@pytest.mark.parametrize(
    "redirect", ["2>/dev/full", ">&-", "2>&-", "<&-", "<&- >&- 2>&-", "2>&1 | true; exit ${PIPESTATUS[0]}"]
)
def test_the_exit_code_comes_back_whatever_our_streams_are(assay: Assay, redirect: str) -> None:
    words = subprocess.list2cmdline(map(str, assay.words("run", "--", "sh", "-c", "sleep 0.1; exit 3")))
    done = subprocess.run(["bash", "-c", f"{words} {redirect}"], env=assay.environment(), cwd=assay.folder, check=False)
    assert done.returncode == 3
    assert assay.summary()["exit_code"] == 3


def test_what_is_printed_to_closed_streams_goes_into_no_file_of_ours(assay: Assay) -> None:
    words = subprocess.list2cmdline(
        map(str, assay.words("run", "-q", "--", "sh", "-c", "echo SENT; echo SENT >&2; sleep 0.2"))
    )
    subprocess.run(["bash", "-c", f"{words} <&- >&- 2>&-"], env=assay.environment(), cwd=assay.folder, check=True)
    for path in (assay.run_dir() / "events").iterdir():
        assert b"SENT" not in path.read_bytes()
    assert (assay.run_dir() / "output.log").read_bytes().count(b"SENT") == 2


def test_output_to_a_full_disk_is_not_cut_in_silence(small_disk: Assay) -> None:
    words = subprocess.list2cmdline(map(str, small_disk.words("run", "--", "head", "-c", "1000000", "/dev/zero")))
    environment = {**small_disk.environment(), "ASSAY_RUNS": str(small_disk.folder / "elsewhere")}
    done = subprocess.run(
        ["bash", "-c", f"{words} > runs/out"], env=environment, cwd=small_disk.folder, capture_output=True, check=False
    )
    assert done.returncode != 0
    assert b"cannot pass the output on: No space left on device" in done.stderr


def test_a_full_disk_before_the_start_is_an_error_and_nothing_starts(small_disk: Assay) -> None:
    (small_disk.runs / "filler").write_bytes(b"x" * (256 << 10))
    done = small_disk("run", "--", "touch", small_disk.folder / "started")
    assert done.returncode == 125
    assert done.stderr.startswith(b"error: cannot")
    assert not (small_disk.folder / "started").exists()


def test_a_current_folder_that_no_longer_exists_is_an_error(assay: Assay) -> None:
    script = (
        f"mkdir gone; cd gone; rmdir ../gone; {subprocess.list2cmdline(map(str, assay.words('run', '--', 'true')))}"
    )
    done = subprocess.run(
        ["bash", "-c", script], env=assay.environment(), cwd=assay.folder, capture_output=True, check=False
    )
    assert done.stderr == b"error: the current folder no longer exists\nhint: change to another one: cd ~\n"
    assert done.returncode == 125


@pytest.mark.parametrize("files", [8, 14, 18, 20, 22, 24])
def test_limits_on_files_are_named_as_such_and_leave_no_run_that_never_began(assay: Assay, files: int) -> None:
    script = f"ulimit -n {files}; {subprocess.list2cmdline(map(str, assay.words('run', '--', 'true')))}"
    done = subprocess.run(
        ["bash", "-c", script], env=assay.environment(), cwd=assay.folder, capture_output=True, check=False
    )
    assert b"Traceback" not in done.stderr
    assert done.returncode in (0, 125)
    if done.returncode:
        assert b"ulimit -" in done.stderr
        assert not list(assay.runs.iterdir())


@pytest.mark.skipif(os.getuid() != 0, reason="mounts something over /proc")
def test_without_proc_the_command_runs_and_hears_signals(assay: Assay) -> None:
    (assay.folder / "light").mkdir()
    (assay.folder / "light" / "sitecustomize.py").write_text("import sys; sys.modules['psutil'] = None\n")
    assay.env["PYTHONPATH"] = str(assay.folder / "light")
    words = shlex.join(map(str, assay.words("run", "--", "sh", "-c", "echo hi; kill -TERM $PPID; exec sleep 60")))
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", f"mount -t tmpfs none /proc && exec {words}"],
        env=assay.environment(), cwd=assay.folder, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (128 + signal.SIGTERM, b"hi\n")
    assert b"warning: there is no /proc here" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="limits someone else's processes")
@pytest.mark.parametrize("processes", range(1, 12))
def test_a_limit_on_threads_costs_samples_and_never_the_exit_code(assay: Assay, processes: int) -> None:
    assay.folder.chmod(0o777)
    reads_all = ["--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search"]  # our Python may be root's
    user = ["setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups", *reads_all]
    limit = ["prlimit", f"--nproc={processes}"]
    command = [*user, *limit, *assay.words("run", "--runs-dir", assay.folder / "theirs", "--", "sh", "-c", "exit 3")]
    done = subprocess.run(command, env=assay.environment(), cwd=assay.folder, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
    if done.returncode == 125:
        assert b"error: no process can be started here" in done.stderr
    else:
        assert done.returncode == 3


def test_the_guard_ends_the_command_even_if_the_record_is_gone(assay: Assay) -> None:
    process = assay.start("run", "-q", "--", "sh", "-c", "echo up; exec sleep 1000")
    assert process.stdout
    process.stdout.readline()
    run = assay.run_dir()
    shutil.rmtree(assay.runs)
    process.kill()
    process.communicate(timeout=60)
    wait_for(lambda: not processes_of(run), "the child to end")


def test_the_guard_finds_what_was_orphaned(assay: Assay) -> None:
    script = "(setsid sleep 1000 >/dev/null 2>&1 &) ; echo up; exec sleep 1000"
    process = assay.start("run", "-q", "--", "sh", "-c", script)
    assert process.stdout
    process.stdout.readline()
    wait_for(lambda: len(processes_of(assay.run_dir())) >= 2, "both")
    process.kill()
    process.communicate(timeout=60)
    wait_for(lambda: not processes_of(assay.run_dir()), "both to end")


def test_long_arguments_do_not_hold_the_start_up(assay: Assay) -> None:
    words = ["a" * 100_000, "https://" + "b" * 100_000, "--name=" + "c:" * 50_000]
    done = assay("run", "-q", "--", "true", *words, timeout=30)
    assert done.returncode == 0


def test_a_colon_in_the_runs_folder_does_not_break_the_import(assay: Assay) -> None:
    done = assay("run", "-q", "--runs-dir", "a:b", "--", PYTHON, "-c", "import assay; assay.log(step=1); print('fine')")
    assert done.stdout == b"fine\n"


#: leaves its parents, its session and its environment behind, and says who it is now
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 3)
        os.execve("/bin/sleep", ["sleep", "1000"], {})
    os._exit(0)
os.wait()
print("up", flush=True)
time.sleep(1000)
"""


def test_the_guard_finds_a_daemon_that_left_everything_behind_and_no_stranger(assay: Assay) -> None:
    stranger = subprocess.Popen(["/bin/sleep", "1000"], env={})
    process = assay.start("run", "-q", "--interval", "0.05", "--", PYTHON, "-c", DAEMON)
    assert process.stdout and process.stderr
    assert process.stdout.readline() == b"up\n"

    def adopted() -> list[int]:
        found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        return [int(pid) for pid in found if Path(f"/proc/{pid}/comm").read_text() == "sleep\n"]

    (daemon,) = wait_for(adopted, "the daemon to come to us")
    try:
        seen = len(assay.events())
        wait_for(lambda: len(assay.events()) > seen + 5, "it to be seen")
        process.kill()
        process.communicate(timeout=60)
        wait_for(lambda: _is_gone(daemon), "the daemon to end")
        assert stranger.poll() is None
    finally:
        for pid in (stranger.pid, *([] if _is_gone(daemon) else [daemon])):
            os.kill(pid, signal.SIGKILL)
        stranger.wait()


def _is_gone(pid: int) -> bool:
    try:
        return "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True


def test_killed_before_run_json_is_whole_no_folder_is_left_that_looks_like_a_run(assay: Assay) -> None:
    breaking = (
        "import os, sys, assay.recording.record as record\n"
        "def write(path, facts): os.kill(os.getpid(), 9)\n"
        "record.write_asked = write\n"
        "from assay.cli import main\nsys.exit(main())"
    )
    killed = subprocess.run(
        [PYTHON, "-c", breaking, "run", "--", "true"], env=assay.environment(), cwd=assay.folder, check=False
    )
    assert killed.returncode == -9
    (left,) = os.listdir(assay.runs)
    assert left.startswith(".begin-")
    (assay.runs / f".ingest-{os.getpid()}-{left.split('-')[2]}-mine").mkdir()  # of a process that lives
    (assay.runs / ".ingest-theirs").mkdir()  # of who knows whom, a moment ago
    assert assay("run", "-q", "--", "true").returncode == 0
    assert assay("show", "last").returncode == 0
    names = [name for name in os.listdir(assay.runs) if name.startswith((".begin-", ".ingest-"))]
    assert sorted(names) == sorted([f".ingest-{os.getpid()}-{left.split('-')[2]}-mine", ".ingest-theirs"])


def test_an_import_that_was_killed_is_cleared_away_at_the_next_start(assay: Assay) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    from assay.store import scratch

    left = assay.runs / (scratch.prefix("ingest").replace(f"-{os.getpid()}-", f"-{gone.pid}-") + "x1")
    left.mkdir(parents=True)
    (left / "output.log").write_text("half of it")
    log = assay.folder / "a.log"
    log.write_text("step 1 loss 0.5\nstep 2 loss 0.25\n")
    assert assay("ingest", log).returncode == 0
    assert not left.exists()


def test_when_the_record_takes_no_more_the_closing_words_still_say_how_the_run_ended(assay: Assay) -> None:
    process = assay.start("run", "--", "sh", "-c", "echo up; read go; exit 5", stdin=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1, 1))  # as after a remount that forbids writing
    _, err = process.communicate(b"\n", timeout=60)
    assert process.returncode == 5
    assert b"cannot write" in err
    assert b": failed" in err and b"exit code 5" in err
    assert b"running" not in err
