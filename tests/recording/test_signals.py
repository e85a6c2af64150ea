"""Signals reach the whole tree once; what stays behind is ended; daemons are found."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from conftest import PYTHON, Assay, wait_for

#: a parent, two children, one of them in a session of its own, and a grandchild; each notes every signal it gets
TREE = """
import os, signal, sys, time
me, left = sys.argv[1], sys.argv[2:]
def note(number, frame):
    with open(f'signals-{me}', 'a') as file: file.write(f'{signal.Signals(number).name}\\n')
    if number != signal.SIGHUP: sys.exit(0)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, note)
children = []
for name in left:
    if os.fork() == 0:
        me, children = name, []
        if name == 'session': os.setsid()
        if name == 'middle' and os.fork() == 0: me = 'grandchild'
        break
open(f'ready-{me}', 'w').close()
while True: time.sleep(0.05)
"""
NAMES = ("parent", "session", "middle", "grandchild")


def start_tree(assay: Assay) -> subprocess.Popen[bytes]:
    script = assay.script(TREE)
    process = assay.start("run", "-q", "--", PYTHON, script, "parent", "session", "middle")
    wait_for(lambda: all((assay.folder / f"ready-{name}").exists() for name in NAMES), "the tree to stand")
    return process


def noted(assay: Assay) -> dict[str, list[str]]:
    def lines(path: Path) -> list[str]:
        return path.read_text().split() if path.exists() else []

    return {name: lines(assay.folder / f"signals-{name}") for name in NAMES}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGQUIT])
def test_a_signal_reaches_every_process_once(assay: Assay, number: signal.Signals) -> None:
    process = start_tree(assay)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert noted(assay) == {name: [number.name] for name in NAMES}
    assert assay.summary()["status"] == "interrupted"
    assert number.name in assay.summary()["error"]["message"]


def test_a_hangup_that_is_survived_does_not_end_the_run(assay: Assay) -> None:
    process = start_tree(assay)
    process.send_signal(signal.SIGHUP)
    wait_for(lambda: all(noted(assay).values()), "the hang-up")
    assert noted(assay) == {name: ["SIGHUP"] for name in NAMES}
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert noted(assay) == {name: ["SIGHUP", "SIGTERM"] for name in NAMES}


def test_a_signal_to_our_whole_group_reaches_the_command_once(assay: Assay) -> None:
    script = assay.script(TREE)
    process = assay.start("run", "-q", "--", PYTHON, script, "parent", start_new_session=True)
    wait_for(lambda: (assay.folder / "ready-parent").exists(), "the command")
    os.killpg(process.pid, signal.SIGTERM)
    process.communicate(timeout=60)
    assert noted(assay)["parent"] == ["SIGTERM"]


def test_a_second_interrupt_kills_what_ignores_the_first(assay: Assay) -> None:
    process = assay.start("run", "-q", "--", PYTHON, "-c", DEAF.format("SIGINT"))
    assert process.stdout
    assert process.stdout.readline() == b"deaf\n"
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    wait_for(lambda: process.poll() is not None or process.send_signal(signal.SIGINT), "the kill")
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGKILL
    assert assay.summary()["status"] == "interrupted"


#: ignores a signal, and says so
DEAF = "import signal\nsignal.signal(signal.{}, signal.SIG_IGN)\nprint('deaf', flush=True)\nwhile True: signal.pause()"

DAEMON = """
import os, signal, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        if 'deaf' in sys.argv: signal.signal(signal.SIGTERM, signal.SIG_IGN)
        open('daemon.tmp', 'w').write(str(os.getpid())); os.rename('daemon.tmp', 'daemon')
        end = time.process_time() + 0.3
        while time.process_time() < end: pass
        open('burned', 'w').close()
        while True: time.sleep(1)
    os._exit(0)
os.wait()
while not os.path.exists(sys.argv[1]): time.sleep(0.01)
"""


def daemon_pid(assay: Assay) -> int:
    return int((assay.folder / "daemon").read_text())


def gone(pid: int) -> bool:
    try:
        return "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True


def test_a_daemon_is_counted_and_ended_with_the_command(assay: Assay) -> None:
    done = assay("run", "-q", "--", PYTHON, assay.script(DAEMON), "burned")
    assert done.returncode == 0
    assert gone(daemon_pid(assay))
    assert assay.summary()["cpu_s"] >= 0.3
    assert [e["left_behind"] for e in assay.events() if e["kind"] == "end"] == [1]


@pytest.mark.slow
def test_a_daemon_that_ignores_term_is_killed(assay: Assay) -> None:
    assert assay("run", "-q", "--", PYTHON, assay.script(DAEMON), "daemon", "deaf").returncode == 0
    assert gone(daemon_pid(assay))


def test_a_daemon_can_be_kept(assay: Assay) -> None:
    done = assay("run", "-q", "--keep-daemons", "--", PYTHON, assay.script(DAEMON), "burned")
    try:
        assert done.returncode == 0
        assert not gone(daemon_pid(assay))
    finally:
        os.kill(daemon_pid(assay), signal.SIGKILL)


@pytest.mark.slow
def test_a_process_that_forks_after_its_parent_died_is_still_ours(assay: Assay) -> None:
    script = """
import os, sys, time
read, write = os.pipe()
if os.fork() == 0:                       # outlives the process that started it
    os.close(write); os.read(read, 1)    # until that one is gone
    if os.fork() == 0:
        end = time.process_time() + 0.3
        while time.process_time() < end: pass
        os._exit(0)
    os.wait()
    open('late', 'w').close(); os._exit(0)
if os.fork() == 0:
    os._exit(0)
os.wait(); os.execvp('sh', ['sh', '-c', 'while [ ! -e late ]; do sleep 0.05; done'])
"""
    middle = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {script!r}])"
    both = assay.script(f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {middle!r}])\n" + WAIT_FOR_LATE)
    assert assay("run", "-q", "--", PYTHON, both).returncode == 0
    assert assay.summary()["cpu_s"] >= 0.3


WAIT_FOR_LATE = "import os, time\nwhile not os.path.exists('late'): time.sleep(0.05)\n"


def test_a_process_under_nohup_is_not_ended_by_a_hangup(assay: Assay) -> None:
    words = [
        "nohup",
        *map(str, assay.words("run", "-q", "--", "sh", "-c", "echo here; while [ ! -e go ]; do sleep 0.05; done")),
    ]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=assay.folder, env=assay.environment()
    )
    assert process.stdout
    assert process.stdout.readline() == b"here\n"
    process.send_signal(signal.SIGHUP)
    (assay.folder / "go").touch()
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert assay.summary()["status"] == "completed"


def test_children_that_were_to_be_ignored_stay_ignored(assay: Assay) -> None:
    words = subprocess.list2cmdline(map(str, assay.words("run", "-q", "--", "grep", "SigIgn", "/proc/self/status")))
    done = subprocess.run(
        ["bash", "-c", f"trap '' CHLD; exec {words}"], cwd=assay.folder, env=assay.environment(), capture_output=True,
        check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0
    assert int(done.stdout.split()[1], 16) >> (signal.SIGCHLD - 1) & 1


def test_a_second_signal_after_the_end_does_not_hide_the_first(assay: Assay) -> None:
    from assay.recording.stopping import Stopper

    stopper = Stopper(list, shared_group=False)
    stopper.asked += [(signal.SIGQUIT, 100.0), (signal.SIGQUIT, 102.0)]
    assert stopper.asked_before(101.0, 10.0) == signal.SIGQUIT


@pytest.mark.slow
def test_stop_and_continue_reach_the_tree(assay: Assay) -> None:
    script = "import time\nprint('here', flush=True)\nwhile True: time.sleep(0.01)"
    # a group of its own, whose parent is in our session: in an orphaned group the kernel ignores this signal
    process = assay.start("run", "-q", "--", PYTHON, "-c", script, preexec_fn=lambda: os.setpgid(0, 0))
    assert process.stdout
    assert process.stdout.readline() == b"here\n"
    pids = [event["pid"] for event in assay.events() if "pid" in event]
    process.send_signal(signal.SIGTSTP)
    wait_for(lambda: state(pids[0]) == "T", "the command to stop")
    process.send_signal(signal.SIGCONT)
    wait_for(lambda: state(pids[0]) == "S", "the command to go on")
    process.terminate()
    process.communicate(timeout=60)


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def test_json_of_a_run_that_was_stopped_names_the_signal(assay: Assay) -> None:
    process = assay.start("run", "-q", "--", "sh", "-c", "echo up; exec sleep 100")
    assert process.stdout
    process.stdout.readline()
    process.terminate()
    process.communicate(timeout=60)
    (summary,) = json.loads(assay("show", "--json").stdout)
    assert (summary["status"], summary["exit_code"]) == ("interrupted", 143)


def test_usr1_reaches_the_program_and_ends_nothing(assay: Assay) -> None:
    script = "trap 'echo saved; exit 0' USR1; echo up; while :; do sleep 0.05; done"
    process = assay.start("run", "-q", "--", "bash", "-c", script)
    assert process.stdout
    assert process.stdout.readline() == b"up\n"
    process.send_signal(signal.SIGUSR1)
    assert process.communicate(timeout=60)[0] == b"saved\n"
    assert process.returncode == 0
    assert assay.summary()["status"] == "completed"


LEFT_BEHIND = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
def end(*_): open('was-told', 'w').close(); sys.exit(0)
signal.signal(signal.SIGTERM, end)
open('ready', 'w').close()
while True: time.sleep(0.05)
"""


def test_what_is_left_behind_is_asked_before_it_is_killed(assay: Assay) -> None:
    script = f"import os, subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', {LEFT_BEHIND!r}])\n"
    script += "while not os.path.exists('ready'): time.sleep(0.01)"
    assert assay("run", "-q", "--", PYTHON, "-c", script).returncode == 0
    assert (assay.folder / "was-told").exists()


def test_what_ignored_an_interrupt_is_still_asked_to_end(assay: Assay) -> None:
    script = f"import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', {LEFT_BEHIND!r}])\n"
    process = assay.start("run", "-q", "--", PYTHON, "-c", script + "time.sleep(1000)")
    wait_for(lambda: (assay.folder / "ready").exists(), "the child")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert (assay.folder / "was-told").exists()


def test_a_stopped_command_still_hears_that_it_should_end(assay: Assay) -> None:
    process = assay.start("run", "-q", "--", "sh", "-c", "echo up; kill -STOP $$; echo no")
    assert process.stdout
    process.stdout.readline()
    pids = [event["pid"] for event in assay.events() if "pid" in event]
    wait_for(lambda: state(pids[0]) == "T", "the stop")
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 143


def test_a_hangup_that_was_survived_long_ago_is_not_why_it_ended(assay: Assay) -> None:
    from assay.recording.stopping import Stopper

    stopper = Stopper(list, shared_group=False)
    stopper.asked.append((signal.SIGHUP, 100.0))
    assert stopper.asked_before(105.0, 10.0) == signal.SIGHUP
    assert stopper.asked_before(200.0, 10.0) is None
    assert stopper.asked_before(99.0, 10.0) is None  # asked after it had ended


def test_a_reader_that_pauses_holds_up_only_its_own_stream(assay: Assay) -> None:
    read_end, write_end = os.pipe()
    script = "head -c 3000000 /dev/zero & while [ ! -e go ]; do sleep 0.02; done; echo hi >&2; wait"
    process = subprocess.Popen(
        assay.words("run", "-q", "--", "sh", "-c", script), stdout=write_end, stderr=subprocess.PIPE,
        cwd=assay.folder, env=assay.environment(),
    )  # fmt: skip
    os.close(write_end)
    (assay.folder / "go").touch()
    assert process.stderr
    assert process.stderr.readline() == b"hi\n"  # though no one reads standard output yet
    size = 0
    while content := os.read(read_end, 1 << 20):
        size += len(content)
    assert (process.wait(60), size) == (0, 3000000)
    os.close(read_end)
    process.stderr.close()


def test_a_timeout_holds_while_no_one_reads_the_output(assay: Assay) -> None:
    read_end, write_end = os.pipe()
    process = assay.start("run", "-q", "--timeout", "0.5", "--", "yes", stdout=write_end)
    os.close(write_end)
    wait_for(lambda: assay.run_dirs() and any("pid" in event for event in assay.events()), "a start")
    pid = next(event["pid"] for event in assay.events() if "pid" in event)
    wait_for(lambda: gone(pid), "the command to be ended")
    os.close(read_end)
    assert process.wait(60) == 124


SLOW_TO_END = LEFT_BEHIND.replace("open('was-told'", "time.sleep(1); open('was-told'")


def test_what_is_left_behind_has_time_to_tidy_up(assay: Assay) -> None:
    script = f"import os, subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', {SLOW_TO_END!r}])\n"
    script += "while not os.path.exists('ready'): time.sleep(0.01)"
    assert assay("run", "-q", "--", PYTHON, "-c", script).returncode == 0
    assert (assay.folder / "was-told").exists()


@pytest.fixture
def foreign_thread(assay: Assay) -> None:
    """In the recorder, a library's thread that blocks no signal: the kernel gives it what our own threads block."""
    text = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    (assay.folder / "foreign").mkdir()
    (assay.folder / "foreign" / "sitecustomize.py").write_text(text)
    assay.env["PYTHONPATH"] = os.pathsep.join([str(assay.folder / "foreign"), os.environ.get("PYTHONPATH", "")])


@pytest.mark.usefixtures("foreign_thread")
def test_the_end_of_a_silent_command_is_noticed_whichever_thread_hears_of_it(assay: Assay) -> None:
    done = assay("run", "-q", "--", "sh", "-c", "exec >&- 2>&-; sleep 0.2; exit 3")
    assert done.returncode == 3


@pytest.mark.usefixtures("foreign_thread")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_passed_on_whichever_thread_takes_it(assay: Assay, number: signal.Signals) -> None:
    process = start_tree(assay)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert noted(assay) == {name: [number.name] for name in NAMES}
    assert assay.summary()["status"] == "interrupted"


#: each ends with exit code 0 once it is let go; the second is what saves its state when it is asked to end
WAITS = "while not os.path.exists('go'): time.sleep(0.01)"
PLAIN = f"import os, time\nprint('up', flush=True)\n{WAITS}\n"
SAVES = PLAIN.replace("import os, time", "import os, signal, time\nsignal.signal(signal.SIGTERM, lambda *_: exit(0))")


@pytest.mark.parametrize(("script", "status"), [(PLAIN, "completed"), (SAVES, "interrupted")], ids=["plain", "saves"])
def test_a_command_that_was_done_when_it_was_asked_to_end_has_completed(assay: Assay, script: str, status: str) -> None:
    """The signal and the end come in the same moment: the recorder sees both at once."""
    process = assay.start("run", "-q", "--interval", "0.05", "--", PYTHON, assay.script(script))
    seen = "a few looks at it"
    wait_for(lambda: assay.run_dirs() and sum(one["kind"] == "sample" for one in assay.events()) > 20, seen)
    command = next(event["pid"] for event in assay.events() if "pid" in event)
    os.kill(process.pid, signal.SIGSTOP)
    (assay.folder / "go").touch()
    wait_for(lambda: state(command) == "Z", "its end")
    os.kill(process.pid, signal.SIGTERM)
    os.kill(process.pid, signal.SIGCONT)
    process.communicate(timeout=60)
    assert (assay.summary()["status"], assay.summary()["exit_code"]) == (status, 0)
