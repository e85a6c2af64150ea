"""What measuring costs and what it sees, beside psrecord 1.4, tee and script. Run by `make bench`."""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from itertools import pairwise
from pathlib import Path

from table import ASSAY, PYTHON, interleaved, ratio_interval, row, seconds

PSRECORD = [str(Path(PYTHON).with_name("psrecord"))]

#: nine processes, each a little busy, as a training with data workers is
NINE = """
import os, sys, time
for _ in range(8):
    if os.fork() == 0: break
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    sum(range(20000)); time.sleep(0.02)
"""
SHORT = """
import subprocess, sys
burn = 'import time\\nwhile time.process_time() < 0.04: pass'
for _ in range(100): subprocess.run([sys.executable, '-S', '-E', '-c', burn])
import resource
print(sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)))
"""
SHARED = """
import os, time, numpy
block = numpy.ones(500 << 20, dtype=numpy.uint8)
children = []
for _ in range(4):
    pid = os.fork()
    if pid == 0: time.sleep(6); os._exit(0)
    children.append(pid)
time.sleep(6)
for pid in children: os.waitpid(pid, 0)
"""
#: holds 60 MB for a third of a second, and prints the kernel's own word on its peak
HOLDS = """
import sys, time
block = bytearray(b'x') * (int(sys.argv[1]) << 20)
time.sleep(0.3)
print(next(int(line.split()[1]) << 10 for line in open('/proc/self/status') if line.startswith('VmHWM')))
"""
NEIGHBOUR = "import numpy, sys\nprint(1, flush=True)\nsys.stdin.read()"
#: keeps every core busy, so that whatever measuring takes is taken from it; times its own work
BOUND = """
import os, sys, time
def work():
    total = 0
    for i in range(40_000_000): total += i * i
begin = time.perf_counter()
children = []
for _ in range(os.cpu_count() - 1):
    pid = os.fork()
    if pid == 0: work(); os._exit(0)
    children.append(pid)
work()
for pid in children: os.waitpid(pid, 0)
open(sys.argv[1], 'w').write(str(time.perf_counter() - begin))
"""
PRINTS = "import os\nblock = (b'x' * 99 + b'\\n') * 655\nfor _ in range({}): os.write(1, block)"
#: lines that all differ: each has to be looked at for something worth keeping
DIFFERS = """
import os
block = b''.join(b'%5d ' % i + b'x' * 93 + b'\\n' for i in range(655))
for _ in range({}): os.write(1, block)
"""
GIGABYTE, BLOCK = 1 << 30, 65500


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as place:
        os.chdir(place)
        os.environ["ASSAY_RUNS"] = str(Path(place, "runs"))
        benches = (
            help_time,
            starting,
            own_cpu,
            short_children,
            one_peak,
            shared_memory,
            wall_time,
            pipe,
            differing,
            terminal,
        )
        for bench in [one for one in benches if one.__name__ in sys.argv[1:] or not sys.argv[1:]]:
            if not sys.argv[1:] or bench.__name__ in sys.argv[1:]:
                bench()


def help_time() -> None:
    ours, bare = interleaved(
        20,
        lambda: seconds([*ASSAY, "--help"], stdout=subprocess.DEVNULL),
        lambda: seconds([PYTHON, "-c", "pass"]),
    )
    ratio = statistics.median(ours) / statistics.median(bare)
    figures = (
        f"{1e3 * statistics.median(ours):.0f} ms, python -c pass {1e3 * statistics.median(bare):.0f} ms, {ratio:.2f} x"
    )
    row("assay --help (at most 5 x)", figures, ratio <= 5)


def starting() -> None:
    """CPU time of a run that does nothing: what is paid once, whatever is measured; more where figures are read."""
    for name, words in (("nothing", ["true"]), ("one line of figures", ["echo", "step 1 loss 0.5"])):
        used = [_used_s([*ASSAY, "run", "-q", "--", *words]) for _ in range(10)]
        row(f"own CPU of starting, {name}", f"{statistics.median(used):.2f} s, least {min(used):.2f} s", None)


def _used_s(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def own_cpu() -> None:
    Path("nine.py").write_text(NINE)
    for interval in ("0.5", "0.1"):
        ours_line = [*ASSAY, "run", "-q", "--interval", interval, "--", PYTHON, "nine.py", "14"]
        theirs_line = _psrecord(f"{PYTHON} nine.py 14", interval)
        shares = interleaved(3, partial(_steady, ours_line), partial(_steady, theirs_line))
        (ours, theirs), pss = map(statistics.median, shares), _pss_share()
        ratio = (ours - pss) / theirs
        figures = f"{ours - pss:.3f} % of a core (+ {pss:.3f} % for PSS), psrecord {theirs:.3f} %, {ratio:.2f} x"
        row(f"own CPU, 9 processes, {interval} s (at most 0.25 x)", figures, ratio <= 0.25 and pss <= 0.5)


def _psrecord(command: str, interval: str) -> list[str]:
    return [*PSRECORD, command, "--log", "p.log", "--interval", interval, "--include-children"]


def _steady(command: list[str]) -> float:
    """Per cent of a core that the tool itself uses between its third and its thirteenth second."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(3)
    before, before_s = _cpu_ns(process.pid), time.monotonic()
    time.sleep(10)
    after, after_s = _cpu_ns(process.pid), time.monotonic()
    process.wait()
    return 100 * (after - before) / 1e9 / (after_s - before_s)


def _cpu_ns(pid: int) -> int:
    return sum(int(path.read_text().split()[0]) for path in Path(f"/proc/{pid}/task").glob("*/schedstat"))


def _end_of_last_run() -> dict[str, float]:
    run = max(Path(os.environ["ASSAY_RUNS"]).glob("[!.]*/summary.json"), key=lambda path: path.stat().st_mtime).parent
    for path in run.glob("events/*.jsonl"):
        for line in path.read_text().splitlines():
            event = json.loads(line)
            if event["kind"] == "end":
                return {**json.loads((run / "summary.json").read_text()), **event}
    raise AssertionError("no end")


def _pss_share() -> float:
    end = _end_of_last_run()
    return 100 * end["own_pss_cpu_s"] / end["wall_s"]


def short_children() -> None:
    Path("short.py").write_text(SHORT)
    ours_line = [*ASSAY, "run", "-q", "--interval", "0.5", "--", PYTHON, "short.py"]
    true_s = float(subprocess.run(ours_line, check=True, capture_output=True).stdout)
    seen = _end_of_last_run()["cpu_s"] / true_s
    out = subprocess.run(_psrecord(f"{PYTHON} short.py", "0.5"), check=True, capture_output=True).stdout.split()
    their_true_s = next(float(word) for word in out if word.replace(b".", b"").isdigit())
    rows = [list(map(float, line.split())) for line in Path("p.log").read_text().splitlines()[1:]]
    theirs_s = sum(later[1] / 100 * (later[0] - earlier[0]) for earlier, later in pairwise(rows))
    figures = f"{100 * seen:.1f} % of {true_s:.2f} CPU s seen, psrecord {100 * theirs_s / their_true_s:.1f} %"
    row("100 children of 40 ms, 0.5 s (98 % or more)", figures, seen >= 0.98)


def one_peak() -> None:
    """A short program, again and again: how far its peak is from the kernel's word, at worst."""
    Path("holds.py").write_text(HOLDS)
    for size in ("1", "60", "500"):
        off = []
        for _ in range(20):
            out = subprocess.run([*ASSAY, "run", "-q", "--", PYTHON, "holds.py", size], check=True, capture_output=True)
            off.append(abs(_end_of_last_run()["memory_bytes_max"] / int(out.stdout) - 1))
        right = sum(one <= 0.02 for one in off)
        figures = f"{right} of 20, worst {100 * max(off):.1f} %"
        row(f"peak of a process that holds {size} MB (2 %)", figures, right == 20)


def _shared_mib() -> float:
    subprocess.run([*ASSAY, "run", "-q", "--interval", "0.5", "--", PYTHON, "shared.py"], check=True)
    return _end_of_last_run()["memory_bytes_max"] / 2**20


def shared_memory() -> None:
    Path("shared.py").write_text(SHARED)
    ours = _shared_mib()
    words = [PYTHON, "-c", NEIGHBOUR]
    others = [subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(8)]
    for one in others:
        assert one.stdout and one.stdout.readline()
    beside = _shared_mib()
    for one in others:
        one.communicate()
    figures = f"{beside:.0f} MiB, alone {ours:.0f} MiB"
    row("the same beside eight strangers (2 %)", figures, abs(beside / ours - 1) <= 0.02)
    subprocess.run(_psrecord(f"{PYTHON} shared.py", "0.5"), check=True, stdout=subprocess.DEVNULL)
    theirs = max(float(line.split()[2]) for line in Path("p.log").read_text().splitlines()[1:])
    figures = f"{ours:.0f} MiB, psrecord {theirs:.0f} MiB"
    row("500 MB shared by four forks (531 MB, 5 %)", figures, abs(ours - 531) <= 0.05 * 531)


def wall_time() -> None:
    Path("bound.py").write_text(BOUND)

    def timed(*before: str) -> float:
        subprocess.run([*before, PYTHON, "bound.py", "took"], check=True)
        return float(Path("took").read_text())

    ours, bare = interleaved(20, lambda: timed(*ASSAY, "run", "-q", "--interval", "0.1", "--"), timed)
    ratio, low, high = ratio_interval(ours, bare)
    pairs = f"20 pairs of {statistics.median(bare):.2f} s"
    figures = f"{ratio:.4f} x bare, 95 % interval {low:.4f} to {high:.4f}, {pairs}"
    row("wall time, all cores busy, 0.1 s (not above 1)", figures, low <= 1)


def pipe() -> None:
    Path("prints.py").write_text(PRINTS.format(GIGABYTE // BLOCK))
    ours, theirs = interleaved(
        10,
        partial(_clean, f"{' '.join(ASSAY)} run -q -- {PYTHON} prints.py > out"),
        partial(_clean, f"{PYTHON} prints.py | tee copy | cat > out"),
    )
    _compare("1 GB through a pipe (at most 1.25 x)", ours, "tee | cat", theirs, most=1.25)


def differing() -> None:
    Path("prints.py").write_text(DIFFERS.format(GIGABYTE // BLOCK))
    ours, theirs = interleaved(
        5,
        partial(_clean, f"{' '.join(ASSAY)} run -q -- {PYTHON} prints.py > out"),
        partial(_clean, f"{PYTHON} prints.py | tee copy | cat > out"),
    )
    _compare("the same, of lines that all differ", ours, "tee | cat", theirs, most=None)


def terminal() -> None:
    if not shutil.which("script"):
        return row("1 GB through a terminal", "script(1) is not here", None)
    Path("prints.py").write_text(PRINTS.format(GIGABYTE // BLOCK))
    Path("seat.py").write_text("import os, pty, sys\npty.spawn(sys.argv[1:], lambda fd: os.read(fd, 65536))")
    ours, theirs = interleaved(
        3,
        partial(_clean, f"{PYTHON} seat.py {' '.join(ASSAY)} run -q -- {PYTHON} prints.py > out < /dev/null"),
        partial(_clean, f"{PYTHON} seat.py script -qc '{PYTHON} prints.py' copy > out < /dev/null"),
    )
    return _compare("1 GB through a terminal", ours, "script -qc", theirs, most=None)


def _compare(name: str, ours: list[float], peer: str, theirs: list[float], most: float | None) -> None:
    ratio = statistics.median(ours) / statistics.median(theirs)
    figures = f"{statistics.median(ours):.2f} s, {peer} {statistics.median(theirs):.2f} s, {ratio:.2f} x"
    row(name, f"{figures} (median of {len(ours)})", None if most is None else ratio <= most)


def _clean(line: str) -> float:
    """Seconds of a shell line, which leaves no gigabytes behind for the next."""
    took = seconds(["sh", "-c", line])
    for path in (Path("copy"), Path("out")):
        path.unlink(missing_ok=True)
    shutil.rmtree(os.environ["ASSAY_RUNS"], ignore_errors=True)
    return took


if __name__ == "__main__":
    sys.exit(main())
