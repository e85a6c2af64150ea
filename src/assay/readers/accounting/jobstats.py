"""Princeton's `jobstats`: one Slurm job with its CPUs, memory and GPUs, in total and by node.

             Job ID: 39798795
          CPU Cores: 48
         CPU Memory: 256GB (5.3GB per CPU-core)
           Run Time: 18:41:56
      CPU utilization  [|||||                                          10%]
      Total used/runtime: 3-16:30:16/37-09:32:48, efficiency=9.9%
      Total used/allocated: 15.7GB/256.0GB (335.1MB/5.3GB per core of 48)
          node01 (GPU 0): 65.7%
          node01 (GPU 0): 26.5GB/40.0GB (66.2%)

The trap: the bars are rounded, the totals stand below; one node has separate lines and no total.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.accounting.account import Account, Format
from assay.readers.accounting.amounts import seconds, size_bytes
from assay.readers.accounting.states import slurm_state
from assay.reading.reader import NEW, Answer, fraction

_TITLE = re.compile(r"\s*Slurm Job Statistics\s*$")
_PAIR = re.compile(
    r"\s*(?P<label>Job ID|NetID/Account|User/Account|Job Name|State|Nodes|CPU Cores|CPU Memory|GPUs|QOS/Partition|"
    r"Cluster|"
    r"Start Time|Run Time|Time Limit|End Time)\s*:\s*(?P<value>\S.*)$"
)
_BAR = re.compile(
    r"\s*(?P<what>CPU utilization|CPU memory usage|GPU utilization|GPU memory usage)\s+\[[| ]*(?P<percent>\d+)%\]"
)
_CPU = re.compile(
    r"\s*(?P<who>Total used/runtime|"
    r"[\w.-]+): (?P<used>[\d:.-]+)/(?P<of>[\d:.-]+),? \(?efficiency=(?P<percent>[\d.]+)%\)?"
)
_MEMORY = re.compile(
    r"\s*(?P<who>Total used/allocated|[\w.-]+): (?P<used>[\d.]+[KMGT]?B)/(?P<of>[\d.]+[KMGT]?B) \([^()]{0,60}per core"
)
_GPU = re.compile(
    r"\s*[\w.-]+ \(GPU \d+\): (?:(?P<percent>[\d.]+)%|(?P<used>[\d.]+[KMGT]?B)/(?P<of>[\d.]+[KMGT]?B) \([\d.]+%\))"
)
_BARS = {"CPU utilization": "cpu_eff", "CPU memory usage": "mem_eff"}


class Jobstats(Format):
    """From its title to its notes."""

    anchors = (
        "slurm job statistics", "job id:", "netid/account", "state:", "nodes:", "cpu cores:", "cpu memory", "gpus:",
        "run time:", "time limit:", "utilization", "memory usage", "efficiency=", "per core", "(gpu ",
    )  # fmt: skip

    def __init__(self) -> None:
        self._inside = False
        self._gpu_pct: list[float] = []
        self._gpu_bytes: list[float] = []

    def read(self, account: Account, line: Line, text: str) -> Answer:
        text = line.text
        if _TITLE.match(text):
            if account.facts:
                return NEW
            self._inside, self._gpu_pct, self._gpu_bytes = True, [], []
            return []
        if not self._inside:
            return None
        found = _PAIR.match(text)
        if found:
            return self._pair(account, line, found["label"], found["value"].strip())
        found = _BAR.match(text)
        if found:
            return self._bar(account, line, found["what"], float(found["percent"]))
        return self._detail(account, line, text)

    def _pair(self, account: Account, line: Line, label: str, value: str) -> Answer:
        if label == "Job ID":
            return account.tell(line, job=value.split()[0])
        if label == "State":
            return account.end(line, slurm_state(value), None)
        facts: dict[str, float | None] = {}
        if label in ("Nodes", "CPU Cores", "GPUs") and value.isdigit():
            facts[{"Nodes": "requested_nodes", "CPU Cores": "requested_cpus", "GPUs": "requested_gpus"}[label]] = int(
                value
            )
        elif label == "CPU Memory":
            facts["requested_mem_bytes"] = size_bytes(value.split(" (")[0])
        elif label in ("Run Time", "Time Limit"):
            facts["wall_s" if label == "Run Time" else "requested_time_s"] = seconds(value.split(" (")[0])
        return account.tell(line, facts)

    def _bar(self, account: Account, line: Line, what: str, percent: float) -> Answer:
        """Rounded: it counts only where no total follows."""
        if what == "GPU utilization":
            return [account.fact("metric", line, None, {"gpu_util_pct_mean": percent})]
        name = _BARS.get(what)
        return [account.fact("metric", line, None, {name: fraction(percent)})] if name else []

    def _detail(self, account: Account, line: Line, text: str) -> Answer:
        found = _CPU.match(text)
        if found:
            return self._total(
                account, line, found, {"cpu_s": seconds(found["used"]), "cpu_eff": fraction(float(found["percent"]))}
            )
        found = _MEMORY.match(text)
        if found:
            used, of = size_bytes(found["used"]), size_bytes(found["of"])
            share = round(used / of, 6) if used is not None and of else None
            return self._total(account, line, found, {"rss_bytes_max": used, "mem_eff": share})
        found = _GPU.match(text)
        return self._gpu(account, line, found) if found else None

    def _total(self, account: Account, line: Line, found: re.Match[str], facts: dict[str, float | None]) -> Answer:
        if not found["who"].startswith("Total") and account.facts.get("requested_nodes", 1) > 1:
            return []
        return account.tell(line, facts)

    def _gpu(self, account: Account, line: Line, found: re.Match[str]) -> Answer:
        account.strong = True
        if found["percent"]:
            self._gpu_pct.append(float(found["percent"]))
            mean = round(sum(self._gpu_pct) / len(self._gpu_pct), 3)
            return [account.fact("result", line, None, {"gpu_util_pct_mean": mean})]
        self._gpu_bytes.append(size_bytes(found["used"]) or 0)
        return [account.fact("result", line, None, {"gpu_mem_bytes_max": max(self._gpu_bytes)})]
