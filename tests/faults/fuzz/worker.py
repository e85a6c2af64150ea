"""`worker.py`: reads a line `{"target": …, "path": …}` at a time, feeds the file to the target, answers with a line.

Each input may use 5 s of CPU time and 1 GB of memory. Beyond its CPU time this process dies, with a traceback of where
it was; whoever started it starts another.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[2])

CPU_S = 5
MEMORY_BYTES = 1 << 30


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a target prints is no answer
    faulthandler.register(signal.SIGXCPU, chain=True)
    warnings.simplefilter("ignore")
    from faults.fuzz.targets import CONTROLS, TARGETS

    template = Path(sys.argv[1])
    for name in ("condition", "run", "log"):  # loads what the first input should not pay for
        _fed(TARGETS[name], b"status=completed" if name == "condition" else b"{}", template)
    for line in sys.stdin:
        asked = json.loads(line)
        content = Path(asked["path"]).read_bytes()
        answers.write(
            json.dumps(_fed({**TARGETS, **CONTROLS}[asked["target"]], content, template, asked["cpu_s"])) + "\n"
        )
        answers.flush()


def _fed(target: Any, content: bytes, template: Path, most_cpu_s: int = CPU_S) -> dict[str, Any]:
    """What it cost, and the traceback of what went wrong."""
    folder = Path(tempfile.mkdtemp(prefix="assay-fuzz-"))
    shutil.copytree(template, folder / "runs", symlinks=True)
    before_bytes, before_s = _limit(most_cpu_s), time.process_time()
    wrong = ""
    os.chdir(folder)
    try:
        target(content, folder)
    except MemoryError:
        wrong = "more than 1 GB of memory"
    except BaseException:
        wrong = traceback.format_exc()[-6000:]
    cpu_s, peak_bytes = time.process_time() - before_s, _status("VmHWM") - before_bytes
    os.chdir("/")
    shutil.rmtree(folder, ignore_errors=True)
    if cpu_s > most_cpu_s:
        wrong = wrong or f"{cpu_s:.1f} s of CPU time"
    if peak_bytes > MEMORY_BYTES:
        wrong = wrong or f"{peak_bytes / 1e6:.0f} MB of memory"
    return {"wrong": wrong, "cpu_s": round(cpu_s, 3), "peak_bytes": peak_bytes}


def _limit(cpu_s: int) -> int:
    """For one more input; gives our size now."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used_s = usage.ru_utime + usage.ru_stime
    resource.setrlimit(resource.RLIMIT_CPU, (int(used_s) + cpu_s + 1, resource.RLIM_INFINITY))
    limit_bytes = _status("VmData") + MEMORY_BYTES + (256 << 20)  # stacks of threads count, too
    resource.setrlimit(resource.RLIMIT_DATA, (limit_bytes, resource.RLIM_INFINITY))
    Path("/proc/self/clear_refs").write_text("5")  # the peak from here on
    return _status("VmRSS")


def _status(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    main()
