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
