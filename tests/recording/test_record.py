"""What is in the record: before the start, while it goes, and of what runs beside it."""

import hashlib
import json
import os
import subprocess
import sys

import pytest
from conftest import PYTHON, Assay, wait_for


def test_run_json_says_what_was_asked_and_where(assay: Assay) -> None:
    script = assay.script("print('hello')\n", "train.py")
    assay(
        "run", "-q", "--param", "batch_size=64", "--param", "lr=0.03", "--tag", "first", "--", PYTHON, "train.py", "--x"
    )
    asked = assay.asked()
    assert asked["v"] == 1
    assert asked["command"] == [PYTHON, "train.py", "--x"]
    assert asked["cwd"] == str(assay.folder)
    assert asked["params"] == {"batch_size": 64, "lr": 0.03}
    assert asked["tags"] == ["first"]
    assert asked["name"] == "bs64-lr0.03"
    assert asked["host"]["cores"] == os.cpu_count()
    assert asked["host"]["memory_bytes"] > 1 << 28
    assert asked["host"]["cpu"]
    assert (assay.run_dir() / "code" / "train.py").read_text() == "print('hello')\n"
    assert asked["script"]["sha256"] == hashlib.sha256(script.read_bytes()).hexdigest()
    assert asked["versions"]["python"] == ".".join(map(str, sys.version_info[:3]))


def test_claims_are_not_filled_into_what_was_in_effect(assay: Assay) -> None:
    assay("run", "-q", "--param", "batch_size=64", "--", PYTHON, "-c", "import assay; assay.params(batch_size=32)")
    summary = assay.summary()
    assert summary["claims"] == {"batch_size": 64}
    assert summary["params"] == {"batch_size": 32}


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["--", "python", "-u", "a/train.py", "--lr", "1"], "train-lr1"),
        (["--", "python", "train.py", "--hidden", "8", "--batch-size", "4", "--lr", "1"], "train-bs4"),
        (["--", "python", "bench.py", "--out", "/tmp/x", "--seed", "3", "--size", "4"], "bench-size=4"),
        (["--", "python", "-m", "pkg.train"], "pkg.train"),
        (["--", "./a.out"], "a"),
        (["--", "bash", "-c", "true"], "bash"),
        (["--", "torchrun", "--nproc", "2", "ddp.py"], "ddp-num_procs=2"),
        (["--param", "batch_size=8", "--param", "model=tiny", "--", "true"], "bs8-modeltiny"),
        (["--name", "mine", "--param", "a=1", "--", "true"], "mine"),
    ],
)
def test_a_run_is_named_by_what_varies(assay: Assay, words: list[str], name: str) -> None:
    assay("run", "-q", *words)
    assert assay.asked()["name"] == name


def test_later_runs_of_a_program_are_named_by_what_differs(assay: Assay) -> None:
    for words in ("--batch_size 32 --lr 0.1", "--batch_size 256 --lr 0.1", "--batch_size 256 --lr 0.1 --no-amp"):
        assay("run", "-q", "--", "python", "train.py", *words.split(), "--seed", "1")
    names = [json.loads((run / "run.json").read_bytes())["name"] for run in assay.run_dirs()]
    assert sorted(names) == ["train-bs256", "train-bs256-no-amp", "train-bs32"]


def test_the_state_of_the_code_is_recorded(assay: Assay) -> None:
    def git(*words: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        return subprocess.run(
            ["git", *identity, *words], cwd=assay.folder, check=True, capture_output=True, text=True
        ).stdout

    assay.script("print(1)\n", "train.py")
    git("init", "-q", "-b", "work")
    git("add", "train.py")
    git("commit", "-qm", "one")
    assay("run", "-q", "--", PYTHON, "train.py")
    clean = assay.asked()["git"]
    assert clean["commit"] == git("rev-parse", "HEAD").strip()
    assert (clean["dirty"], clean["branch"]) == (False, "work")
    assert "diff" not in clean
    assay.script("print(2)\n", "train.py")
    assay("run", "-q", "--name", "dirty", "--", PYTHON, "train.py")
    folder = next(assay.runs.glob("dirty-*"))
    assert json.loads((folder / "run.json").read_bytes())["git"]["dirty"]
    diff = json.loads((folder / "code.json").read_bytes())["git"]["diff"]
    assert "-print(1)\n+print(2)" in diff
    git("checkout", "train.py")
    subprocess.run(["git", "apply"], input=diff, text=True, cwd=assay.folder, check=True)
    assert (assay.folder / "train.py").read_text() == "print(2)\n"


def test_a_huge_diff_is_not_stored(assay: Assay) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=assay.folder, check=True)

    (assay.folder / "big").write_text("a\n")
    git("init", "-q")
    git("add", "big")
    git("commit", "-qm", "one")
    (assay.folder / "big").write_text("b" * (3 << 20))
    assay("run", "-q", "--", "true")
    assert "diff" not in assay.asked()["git"]
    assert "over the limit" in assay.asked()["git"]["diff_problem"]


def test_secrets_are_nowhere_in_the_record(assay: Assay) -> None:
    token, password = "hf_" + "q" * 30, "correct-horse"
    assay.env = {
        "HF_TOKEN": token,
        "WANDB_API_KEY": password,
        "OMP_NUM_THREADS": "2",
        "SLURM_JOB_ID": "7",
        "SLURM_JWT": token,
    }
    words = ["--password", password, f"--api-key={password}", "--token", token, f"https://me:{password}@host/x"]
    done = assay(
        "run",
        "--env",
        f"MY_SECRET={password}",
        "--param",
        f"auth_token={token}",
        "--",
        "true",
        *words,
        "--max-tokens",
        "128",
    )
    for path in assay.run_dir().rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert token.encode() not in content, path
            assert password.encode() not in content, path
    shown = done.stderr + assay("show").stdout + assay("ls", "--json").stdout
    assert token.encode() not in shown
    assert password.encode() not in shown
    asked = assay.asked()
    assert asked["environment"]["OMP_NUM_THREADS"] == "2"
    assert asked["scheduler"]["SLURM_JOB_ID"] == "7"
    assert asked["command"][-2:] == ["--max-tokens", "128"]


def test_the_command_itself_gets_its_secrets(assay: Assay) -> None:
    done = assay(
        "run", "-q", "--env", "MY_TOKEN=abcdefghijklmnop", "--", "sh", "-c", 'echo "$MY_TOKEN $0"', "--password=x y"
    )
    assert done.stdout == b"abcdefghijklmnop --password=x y\n"


def test_what_lies_on_the_commands_pythonpath_does_not_stand_in_for_our_packages(assay: Assay) -> None:
    theirs = assay.folder / "theirs"
    theirs.mkdir()
    for name in ("click", "json", "yaml"):
        (theirs / f"{name}.py").write_text("old = True\n")
    assay.env = {"PYTHONPATH": str(theirs)}
    done = assay("run", "-q", "--", PYTHON, "-c", "import assay, click; print(click.old, assay.listening())")
    assert (done.stdout, done.stderr) == (b"True True\n", b"")
    assert assay("ls").returncode == 0


@pytest.mark.parametrize("given", [[], ["LANG=C"], ["LC_CTYPE=C"], ["LC_CTYPE=C.UTF-8"]], ids=str)
def test_the_command_sees_the_environment_that_it_was_given(assay: Assay, given: list[str]) -> None:
    """Python sets LC_CTYPE for itself in a C locale."""
    done = subprocess.run(
        ["env", "-i", *given, *assay.words("run", "-q", "--", "/usr/bin/env")],
        cwd=assay.folder, capture_output=True, check=True,
    )  # fmt: skip
    ours = (b"ASSAY_RUN=", b"ASSAY_EVENTS=", b"PYTHONPATH=")
    assert [line for line in done.stdout.splitlines() if not line.startswith(ours)] == [one.encode() for one in given]


def test_env_and_cwd_are_as_asked(assay: Assay) -> None:
    (assay.folder / "sub").mkdir()
    done = assay("run", "-q", "--env", "A=1", "--env", "B=x=y", "--cwd", "sub", "--", "sh", "-c", "echo $A $B; pwd")
    assert done.stdout.decode().split() == ["1", "x=y", str(assay.folder / "sub")]


def test_samples_keep_their_schedule_and_know_how_late_they_were(assay: Assay) -> None:
    assay("run", "-q", "--interval", "0.2", "--", "sleep", "1.2")
    samples = [e for e in assay.events() if e["kind"] == "sample" and e["from"] == "probe:process"]
    start_s = min(e["mono_s"] for e in assay.events())
    assert len(samples) >= 3
    assert all(sample["late_s"] >= 0 for sample in samples)
    # a multiple of the interval, whatever came before; on a busy machine a single look itself may take long
    offs_s = sorted((sample["mono_s"] - start_s - sample["late_s"]) % 0.2 for sample in samples)
    assert min(offs_s[len(offs_s) // 2], 0.2 - offs_s[len(offs_s) // 2]) < 0.08


def test_a_second_measured_run_is_warned_about_and_on_record(assay: Assay) -> None:
    first = assay.start(
        "run", "--interval", "0.05", "--name", "one", "--", "sh", "-c", "echo up; read go", stdin=subprocess.PIPE
    )
    assert first.stdout
    assert first.stdout.readline() == b"up\n"
    second = assay("run", "--name", "two", "--", "sleep", "0.3")
    assert b"active on this machine" in second.stderr
    first.communicate(b"\n", timeout=60)
    by_name = {summary["name"]: summary for summary in assay.ls()}
    assert any("one-" in other for other in by_name["two"]["beside"])


def test_a_run_inside_a_run_is_no_neighbour(assay: Assay) -> None:
    inner = subprocess.list2cmdline(map(str, assay.words("run", "--name", "inner", "--", "sleep", "0.2")))
    done = assay("run", "--name", "outer", "--", "sh", "-c", inner)
    assert b"(`outer" not in done.stderr
    inner_summary = next(s for s in assay.ls() if s["name"] == "inner")
    assert not any("outer" in other for other in inner_summary.get("beside", []))


def test_inside_a_job_the_schedulers_variables_are_recorded(assay: Assay) -> None:
    assay.env = {"SLURM_JOB_ID": "4711", "SLURM_JOB_NODELIST": "n[1-2]", "SLURM_PROCID": "1"}
    assay("run", "-q", "--", "true")
    assert assay.asked()["scheduler"]["SLURM_JOB_NODELIST"] == "n[1-2]"


def test_the_cost_of_measuring_is_reported(assay: Assay) -> None:
    assay("run", "-q", "--", "sleep", "0.2")
    assert 0 < assay.summary()["own_cpu_s"] < 5


def test_the_output_is_dated(assay: Assay) -> None:
    assay("run", "-q", "--", "sh", "-c", "echo one; sleep 0.3; echo two")
    rows = [line.split() for line in (assay.run_dir() / "output.times").read_text().splitlines()]
    assert [int(offset) for offset, _ in rows] == [0, 4]
    assert float(rows[1][1]) - float(rows[0][1]) > 0.25


IDLE = """
import sys, time
end = time.process_time() + 0.3
print('up', flush=True)
sys.stdin.readline()
while time.process_time() < end: pass
sys.exit(3)
"""


@pytest.fixture
def idle(assay: Assay):
    process = subprocess.Popen(
        [
            PYTHON,
            "-c",
            IDLE,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout
    process.stdout.readline()
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_attaching_watches_a_process_until_it_ends(assay: Assay, idle: subprocess.Popen[bytes]) -> None:
    watcher = assay.start("run", "--interval", "0.05", "--pid", str(idle.pid))
    wait_for(lambda: assay.run_dirs() and any(e["kind"] == "sample" for e in assay.events()), "a sample")
    assert idle.stdin
    idle.stdin.write(b"\n")
    idle.stdin.close()
    watcher.communicate(timeout=60)
    assert watcher.returncode == 0
    summary = assay.summary()
    assert summary["status"] == "failed"
    assert summary["exit_code"] == 3
    assert 0.2 < summary["cpu_s"] < 0.5


def test_attaching_beside_a_measured_run_is_warned_about(assay: Assay, idle: subprocess.Popen[bytes]) -> None:
    first = assay.start("run", "--", "sh", "-c", "echo up; read go", stdin=subprocess.PIPE)
    assert first.stdout
    first.stdout.readline()
    done = assay("run", "--pid", str(idle.pid), "--timeout", "0.2")
    first.communicate(b"\n", timeout=60)
    assert b"active on this machine" in done.stderr


def test_leaving_an_attached_process_leaves_it_alone(assay: Assay, idle: subprocess.Popen[bytes]) -> None:
    watcher = assay.start("run", "--interval", "0.05", "--pid", str(idle.pid))
    wait_for(lambda: assay.run_dirs() and any(e["kind"] == "sample" for e in assay.events()), "a sample")
    watcher.terminate()
    watcher.communicate(timeout=60)
    assert idle.poll() is None
    assert assay.summary()["status"] == "unfinished"


def test_attaching_to_nothing_is_an_error(assay: Assay) -> None:
    done = assay("run", "--pid", "4194303")
    assert done.returncode == 125
    assert b"error: there is no process 4194303" in done.stderr


def test_the_run_directory_holds_only_what_the_design_names(assay: Assay) -> None:
    assay("run", "-q", "--", "true")
    names = {path.name for path in assay.run_dir().iterdir()}
    assert names == {"run.json", "events", "output.log", "output.times", "summary.json"}
    assert {path.name.split("-")[0] for path in assay.runs.iterdir()} == {"true"}


def test_the_record_of_an_attached_process_is_about_it_not_about_us(
    assay: Assay, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    process = subprocess.Popen(
        ["sleep", "1000"], cwd=elsewhere, env={"OMP_NUM_THREADS": "7", "PATH": os.environ["PATH"]}
    )
    try:
        assay.env = {"OMP_NUM_THREADS": "3"}
        assay("run", "-q", "--timeout", "0.3", "--pid", str(process.pid))
    finally:
        process.kill()
        process.wait()
    asked = assay.asked()
    assert asked["cwd"] == str(elsewhere)
    assert asked["environment"]["OMP_NUM_THREADS"] == "7"
    assert asked["command"] == ["sleep", "1000"]


@pytest.mark.slow
def test_what_an_attached_process_used_before_is_not_counted(assay: Assay) -> None:
    script = "import time\nwhile time.process_time() < 1.5: pass\nprint('up', flush=True)\ntime.sleep(1000)"
    process = subprocess.Popen([PYTHON, "-c", script], stdout=subprocess.PIPE)
    try:
        assert process.stdout
        process.stdout.readline()
        assay("run", "-q", "--interval", "0.05", "--timeout", "0.5", "--pid", str(process.pid))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    samples = [event for event in assay.events() if event.get("from") == "probe:process"]
    assert samples
    assert max(event["cpu_s"] for event in samples) < 0.5
    assert assay.summary()["cpu_s"] < 0.5
    assert not [event for event in assay.events() if event["kind"] == "seen"]


def test_a_short_run_still_has_a_peak_of_memory(assay: Assay) -> None:
    assay("run", "-q", "--interval", "5", "--", PYTHON, "-c", "b = bytearray(b'x') * (300 << 20)")
    assert assay.summary()["rss_bytes_peak"] > 300 << 20


def test_memory_between_two_samples_is_counted(assay: Assay) -> None:
    script = "import time\ntime.sleep(.3)\nb = bytearray(b'x') * (200 << 20)\ndel b\ntime.sleep(.3)"
    done = assay("run", "--interval", "5", "--", PYTHON, "-c", script)
    highest = max(assay.summary().get(name, 0) for name in ("pss_bytes_max", "rss_bytes_max"))
    assert b"one process reached" in done.stderr or highest > 200 << 20


@pytest.mark.slow
def test_the_average_load_covers_the_time_that_was_watched(assay: Assay) -> None:
    deaf = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nopen('up', 'w')\nwhile True: pass"
    script = f"import subprocess, sys, os, time\nsubprocess.Popen([sys.executable, '-c', {deaf!r}])\n"
    script += "while not os.path.exists('up'): time.sleep(0.01)"
    assay("run", "-q", "--", PYTHON, "-c", script)
    assert assay.summary()["cpu_pct_mean"] < 130


def test_the_python_that_runs_is_the_one_that_is_named(assay: Assay) -> None:
    assay("run", "-q", "--", "sh", "-c", "true")
    assert "python" not in assay.asked()["versions"]


def test_a_repository_that_git_refuses_is_not_said_to_be_empty(assay: Assay) -> None:
    subprocess.run(["git", "init", "-q"], cwd=assay.folder, check=True)
    (assay.folder / ".git" / "HEAD").write_text("garbage")
    assay("run", "-q", "--", "true")
    assert "no commit yet" not in assay.asked()["git"]["problem"]


def test_a_simulated_run_is_marked_everywhere(assay: Assay) -> None:
    done = assay("run", "--", PYTHON, "-c", "import assay; assay.how('simulated')")
    assert b"simulated" in done.stderr
    assert b"simulated" in assay("ls").stdout
    assert b"simulated" in assay("show").stdout


def test_a_run_inside_a_run_is_no_neighbour_of_the_outer_one(assay: Assay) -> None:
    inner = subprocess.list2cmdline(map(str, assay.words("run", "-q", "--name", "inner", "--", "sleep", "0.5")))
    assay("run", "-q", "--interval", "0.05", "--name", "outer", "--", "sh", "-c", inner)
    outer = next(summary for summary in assay.ls() if summary["name"] == "outer")
    assert not any("inner" in other for other in outer.get("beside", []))


def test_beats_come_every_five_seconds_whatever_the_interval() -> None:
    from assay.probes.accelerators import State
    from assay.recording import watch

    class Tree:
        name, rss_bytes = "process", 0

        def sample(self) -> list[dict[str, object]]:
            return []

        def pids(self) -> list[int]:
            return []

    class Quiet:
        name = "beat"

        def sample(self) -> list[dict[str, object]]:
            return []

    made = watch.Watch(Tree(), None, Quiet(), 60.0, begin_s=0.0, environment={}, gpus=State(status="none"), warn=print)  # type: ignore[arg-type]
    beat = next(sampler for sampler in made._samplers if sampler.name == "assay-beat")
    assert beat._interval_s <= 5
