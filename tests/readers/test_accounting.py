"""What schedulers, `time` and the GPU's own tools report of a job."""

import json
from pathlib import Path

import pytest
from reading import holds, json_summaries, one, summaries

GIB = 1 << 30
SEFF = """Job ID: 4711
Cluster: somewhere
User/Group: me/us
State: {state} (exit code {code})
Nodes: 2
Cores per node: 16
CPU Utilized: 1-02:03:04
CPU Efficiency: 50.10% of 2-04:00:00 core-walltime
Job Wall-clock time: 01:37:30
Memory Utilized: 12.50 GB (estimated maximum)
Memory Efficiency: 19.53% of 64.00 GB (32.00 GB/node)
"""


def test_seff() -> None:
    holds(one(SEFF.format(state="COMPLETED", code=0)),
          {"job_id": "4711", "status": "completed", "exit_code": 0, "wall_s": 5850.0, "cpu_s": 93784.0, "cpu_eff": 0.501,
           "mem_eff": 0.1953, "rss_bytes_max": round(12.5 * GIB), "requested": {"cpus": 32, "nodes": 2, "mem_bytes": 64 * GIB}})  # fmt: skip


@pytest.mark.parametrize(
    ("state", "status", "code"),
    [("TIMEOUT", "failed", "time-limit"), ("OUT_OF_MEMORY", "failed", "out-of-memory"), ("FAILED", "failed", "unknown"),
     ("CANCELLED", "interrupted", "cancelled"), ("RUNNING", "running", None), ("NODE_FAIL", "failed", "crashed")],
)  # fmt: skip
def test_states_of_slurm(state: str, status: str, code: str | None) -> None:
    holds(one(SEFF.format(state=state, code=1)), {"status": status, "error": code})


@pytest.mark.parametrize("dress", ["{}", "    {}", "> {}", "\x1b[1m{}\x1b[0m", "{}\r"])
def test_two_blocks_of_seff_in_any_dress(dress: str) -> None:
    both = (
        SEFF.format(state="COMPLETED", code=0) + "\n" + SEFF.format(state="COMPLETED", code=0).replace("4711", "4712")
    )
    found = summaries("\n".join(dress.format(line) for line in both.splitlines()) + "\n")
    assert [run["job_id"] for run in found] == ["4711", "4712"]
    assert {run["mem_eff"] for run in found} == {0.1953}


def test_one_core() -> None:
    text = SEFF.format(state="COMPLETED", code=0).replace("Nodes: 2\nCores per node: 16\n", "Cores: 1\n")
    assert one(text)["requested"]["cpus"] == 1


ROWS = [
    ["JobID", "JobName", "State", "Elapsed", "TotalCPU", "ReqMem", "MaxRSS", "AllocCPUS", "NNodes", "Timelimit", "ExitCode"],
    ["77_1", "fit", "COMPLETED", "00:10:00", "00:38:00", "8G", "", "4", "1", "01:00:00", "0:0"],
    ["77_1.batch", "batch", "COMPLETED", "00:10:00", "00:37:59", "", "2097152K", "4", "1", "", "0:0"],
    ["77_1.extern", "extern", "COMPLETED", "00:10:00", "00:00.001", "", "0", "4", "1", "", "0:0"],
    ["77_2", "fit", "OUT_OF_MEMORY", "00:01:00", "00:02:00", "8G", "", "4", "1", "01:00:00", "0:125"],
    ["77_2.batch", "batch", "OUT_OF_MEMORY", "00:01:00", "00:02:00", "", "8300M", "4", "1", "", "0:125"],
    ["78", "fit", "CANCELLED by 1000", "1-00:00:00", "00:00:00", "2Gc", "", "4", "1", "2-00:00:00", "0:15"],
]  # fmt: skip


def _columns(widths: list[int]) -> str:
    def cut(cell: str, width: int) -> str:
        return (cell if len(cell) <= width else cell[: width - 1] + "+").rjust(width)

    lines = [" ".join(cut(cell, width) for cell, width in zip(row, widths, strict=True)) for row in ROWS]
    return "\n".join([lines[0], " ".join("-" * width for width in widths), *lines[1:]]) + "\n"


@pytest.mark.parametrize("form", ["parsable", "parsable2", "columns", "narrow", "indented"])
def test_sacct(form: str) -> None:
    text = {
        "parsable": "".join("|".join(row) + "|\n" for row in ROWS),
        "parsable2": "".join("|".join(row) + "\n" for row in ROWS),
        "columns": _columns([14, 10, 17, 10, 10, 6, 10, 9, 6, 11, 8]),
        "narrow": _columns([12, 10, 10, 10, 10, 6, 10, 9, 6, 11, 8]),
        "indented": "".join(
            "    " + line + "\n" for line in _columns([12, 10, 10, 10, 10, 6, 10, 9, 6, 11, 8]).splitlines()
        ),
    }[form]
    first, second, third = summaries(text)
    holds(first, {"job_id": "77_1", "status": "completed", "wall_s": 600.0, "cpu_s": 2280.0, "cpu_eff": 0.95, "mem_eff": 0.25,
                  "rss_bytes_max": 2 * GIB, "exit_code": 0,
                  "requested": {"cpus": 4, "nodes": 1, "mem_bytes": 8 * GIB, "time_s": 3600}})  # fmt: skip
    holds(second, {"job_id": "77_2", "status": "failed", "error": "out-of-memory", "rss_bytes_max": 8300 << 20})
    holds(third, {"job_id": "78", "status": "interrupted", "error": "cancelled", "wall_s": 86400.0})
    assert third["requested"]["mem_bytes"] == 8 * GIB


def test_sacct_with_resources_and_dates() -> None:
    text = (
        "JobID|State|Submit|Start|End|ElapsedRaw|AllocTRES\n"
        "90|COMPLETED|2025-01-01T10:00:00|2025-01-01T10:05:00|2025-01-01T11:05:00|3600|billing=8,cpu=8,gres/gpu=2,mem=64G,node=1\n"
    )
    holds(
        one(text),
        {"queue_s": 300.0, "wall_s": 3600.0, "requested": {"cpus": 8, "nodes": 1, "gpus": 2, "mem_bytes": 64 * GIB}},
    )


def test_qstat() -> None:
    text = """Job Id: 123.pbs
    Job_Name = fit
    Job_Owner = me@login
    resources_used.cpupercent = 380
    resources_used.cput = 00:38:00
    resources_used.mem = 2097152kb
    resources_used.vmem = 4194304kb
    resources_used.walltime = 00:10:00
    job_state = F
    qtime = Tue Mar 12 10:00:00 2024
    Resource_List.mem = 8gb
    Resource_List.ncpus = 4
    Resource_List.nodect = 1
    Resource_List.walltime = 01:00:00
    stime = Tue Mar 12 10:02:30 2024
    Exit_status = {code}
"""
    summary = one(text.format(code=0))
    holds(summary, {"job_id": "123.pbs", "status": "completed", "exit_code": 0, "wall_s": 600.0, "cpu_s": 2280.0, "queue_s": 150.0,
                    "rss_bytes_max": 2 * GIB, "used": {"vmem_bytes": 4 * GIB}, "cpu_pct_mean": 380.0,
                    "requested": {"cpus": 4, "nodes": 1, "mem_bytes": 8 * GIB, "time_s": 3600}})  # fmt: skip
    holds(one(text.format(code=-29)), {"status": "failed", "error": "time-limit"})
    assert len(summaries(text.format(code=0) + "\n" + text.format(code=1).replace("123", "124"))) == 2


def test_qstat_as_json(tmp_path: Path) -> None:
    job = {"Job_Name": "fit", "job_state": "F", "Exit_status": 1, "resources_used": {"cput": "00:38:00", "mem": "2097152kb", "walltime": "00:10:00"},
           "Resource_List": {"ncpus": 4, "walltime": "01:00:00", "ngpus": 2}}  # fmt: skip
    file = tmp_path / "jobs.json"
    file.write_text(
        json.dumps(
            {"timestamp": 1, "pbs_version": "2022.1", "Jobs": {"1.pbs": job, "2.pbs": {**job, "Exit_status": 0}}}
        )
    )
    found = json_summaries(file, tmp_path / "runs")
    assert [run["status"] for run in found] == ["failed", "completed"]
    holds(
        found[0],
        {"job_id": "1.pbs", "exit_code": 1, "wall_s": 600.0, "requested": {"cpus": 4, "gpus": 2, "time_s": 3600}},
    )


TIME_V = """	Command being timed: "python fit.py --lr 0.1"
	User time (seconds): 54.44
	System time (seconds): 1.06
	Percent of CPU this job got: 185%
	Elapsed (wall clock) time (h:mm:ss or m:ss): {elapsed}
	Average shared text size (kbytes): 0
	Maximum resident set size (kbytes): 2097152
	Exit status: {code}
"""


def test_time_v() -> None:
    expected = {
        "wall_s": 30.0,
        "cpu_s": 55.5,
        "rss_bytes_max": 2 * GIB,
        "cpu_pct_mean": 185.0,
        "exit_code": 0,
        "status": "completed",
    }
    holds(one(TIME_V.format(elapsed="0:30.00", code=0)), expected)
    assert one(TIME_V.format(elapsed="1:02:03", code=0))["wall_s"] == 3723.0
    failed = one("Command exited with non-zero status 3\n" + TIME_V.format(elapsed="0:30.00", code=3))
    holds(failed, {"status": "failed", "exit_code": 3})
    killed = one("Command terminated by signal 9\n" + TIME_V.format(elapsed="0:30.00", code=0))
    holds(killed, {"status": "failed", "exit_code": 137})


def test_a_report_below_a_log_belongs_to_that_run() -> None:
    log = "".join(f"epoch {i} loss {2 - i / 10} acc {i / 10}\n" for i in range(1, 6))
    both = summaries(log + TIME_V.format(elapsed="0:30.00", code=0))
    assert len(both) == 1
    holds(both[0], {"loss": 1.5, "wall_s": 30.0, "rss_bytes_max": 2 * GIB, "status": "completed"})
    twice = summaries((log + TIME_V.format(elapsed="0:30.00", code=0)) * 2)
    assert [run["loss"] for run in twice] == [1.5, 1.5]


def test_the_epilogue_of_pbs() -> None:
    text = """======================================================================================
                  Resource Usage on 2025-01-01 12:00:00:
   Job Id:             123.gadi-pbs
   Project:            ab12
   Exit Status:        271 (Linux Signal 15 SIGTERM Terminated)
   Service Units:      1.23
   NCPUs Requested:    48                     NCPUs Used: 48
                                           CPU Time Used: 08:00:00
   Memory Requested:   192.0GB               Memory Used: 96.0GB
   NGPUs Requested:    4                 GPU Utilisation: 85%
                                         GPU Memory Used: 64.0GB
   Walltime requested: 01:00:00            Walltime Used: 00:30:00
======================================================================================
"""
    holds(one(text), {"job_id": "123.gadi-pbs", "exit_code": 271, "wall_s": 1800.0, "cpu_s": 28800.0, "mem_eff": 0.5,
                      "rss_bytes_max": 96 * GIB, "gpu_util_pct_mean": 85.0, "gpu_mem_bytes_max": 64 * GIB, "error": "cancelled",
                      "requested": {"cpus": 48, "gpus": 4, "mem_bytes": 192 * GIB, "time_s": 3600}})  # fmt: skip


def test_logs_of_nvidia_smi() -> None:
    head = "timestamp, index, name, power.draw [W], memory.used [MiB], utilization.gpu [%]"
    rows = [
        f"2025/01/01 10:00:0{i}.000, {gpu}, NVIDIA H100, 100.0 W, {1000 * (gpu + 1)} MiB, {80 - 20 * gpu} %"
        for i in range(6)
        for gpu in (0, 1)
    ]
    expected = {
        "device": "NVIDIA H100",
        "wall_s": 5.0,
        "gpu_util_pct_mean": 70.0,
        "gpu_mem_bytes_max": 2000 << 20,
        "energy_j": 1000.0,
    }
    holds(one("\n".join([head, *rows]) + "\n", "gpu.csv"), expected)
    bare = [row.replace(" W", "").replace(" MiB", "").replace(" %", "") for row in rows]
    holds(
        one(
            "\r\n".join([head.split(" [")[0] + " [W], memory.used [MiB], utilization.gpu [%]", *bare]) + "\r\n",
            "gpu.csv",
        ),
        expected,
    )


def test_what_is_not_supported_is_absent() -> None:
    text = "utilization.gpu [%], memory.used [MiB]\n[N/A], 512 MiB\n[N/A], 768 MiB\n"
    summary = one(text)
    assert summary["gpu_mem_bytes_max"] == 768 << 20 and "gpu_util_pct_mean" not in summary


def test_dmon() -> None:
    text = (
        "#Time        gpu    pwr  gtemp  mtemp     sm    mem     fb\n#HH:MM:SS    Idx      W      C      C      %      %     MB\n"
        " 10:00:00      0    200     50      -     90     40   1024\n 10:00:01      0    300     50      -     70     40   2048\n"
    )
    holds(one(text), {"gpu_util_pct_mean": 80.0, "gpu_mem_bytes_max": 2048 << 20, "energy_j": 250.0, "wall_s": 1.0})
    plain = "# gpu   pwr gtemp mtemp    sm   mem   enc   dec  mclk  pclk\n# Idx     W     C     C     %     %     %     %   MHz   MHz\n"
    holds(one(plain + "    0    43    35     -    50     0     0     0  2619   345\n"), {"gpu_util_pct_mean": 50.0})


TABLE = """+---------------------------------------------------------------------------------------+
| NVIDIA-SMI 535.104.05             Driver Version: 535.104.05   CUDA Version: 12.2     |
|-----------------------------------------+----------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |         Memory-Usage | GPU-Util  Compute M. |
|=========================================+======================+======================|
|   0  NVIDIA A100-SXM4-40GB          On  | 00000000:07:00.0 Off |                    0 |
| N/A   35C    P0              61W / 400W |  38315MiB / 40960MiB |     94%      Default |
|                                         |                      |             Disabled |
+-----------------------------------------+----------------------+----------------------+
"""


def test_a_look_at_the_gpus() -> None:
    holds(one(TABLE), {"device": "NVIDIA A100-SXM4-40GB", "gpu_util_pct_mean": 94.0, "gpu_mem_bytes_max": 38315 << 20})


def test_a_look_at_the_head_of_a_log_is_not_a_run() -> None:
    log = "".join(f"epoch {i} loss {2 - i / 10}\n" for i in range(1, 6))
    summary = one(TABLE + log)
    assert summary["loss"] == 1.5 and "gpu_util_pct_mean" not in summary
    assert summary["device"] == "NVIDIA A100-SXM4-40GB"


def test_rocm_smi() -> None:
    text = (
        "======================= ROCm System Management Interface =======================\n"
        "================================= Concise Info =================================\n"
        "GPU  Temp (DieEdge)  AvgPwr  SCLK     MCLK     Fan  Perf  PwrCap  VRAM%  GPU%  \n"
        "0    45.0c           250.0W  1700Mhz  1600Mhz  0%   auto  560.0W   50%   98%   \n"
        "1    31.0c           43.0W   800Mhz   1600Mhz  0%   auto  560.0W    0%   0%    \n"
        "================================================================================\n"
    )
    holds(one(text), {"gpu_util_pct_mean": 49.0})


def test_jobstats_of_one_node() -> None:
    text = """================================================================================
                              Slurm Job Statistics
================================================================================
         Job ID: 123
          State: TIMEOUT
          Nodes: 1
      CPU Cores: 8
     CPU Memory: 64GB (8GB per CPU-core)
           GPUs: 1
       Run Time: 01:00:00
     Time Limit: 01:00:00

                              Overall Utilization
================================================================================
  CPU utilization  [|||||||||||||||||||||||                        50%]
  CPU memory usage [||||||||||||                                   25%]
  GPU utilization  [||||||||||||||||||||||||||||||||||             68%]

  CPU utilization per node (CPU time used/run time)
      n1: 04:00:00/08:00:00 (efficiency=50.0%)

  CPU memory usage per node - used/allocated
      n1: 16.0GB/64.0GB (2.0GB/8.0GB per core of 8)

  GPU utilization per node
      n1 (GPU 0): 68.5%

  GPU memory usage per node - maximum used/total
      n1 (GPU 0): 30.0GB/40.0GB (75.0%)
"""
    holds(one(text), {"job_id": "123", "status": "failed", "error": "time-limit", "wall_s": 3600.0, "cpu_s": 14400.0, "cpu_eff": 0.5,
                      "mem_eff": 0.25, "rss_bytes_max": 16 * GIB, "gpu_util_pct_mean": 68.5, "gpu_mem_bytes_max": 30 * GIB,
                      "requested": {"cpus": 8, "nodes": 1, "gpus": 1, "mem_bytes": 64 * GIB, "time_s": 3600}})  # fmt: skip


def test_time_without_v() -> None:
    text = "12.50user 0.50system 0:10.00elapsed 130%CPU (0avgtext+0avgdata 2048maxresident)k\n0inputs+0outputs (0major+9minor)pagefaults 0swaps\n"
    holds(one(text), {"wall_s": 10.0, "cpu_s": 13.0, "cpu_pct_mean": 130.0, "rss_bytes_max": 2 << 20})


def test_what_is_asked_of_every_node() -> None:
    text = "Job Id: 5.torque\n    Job_Name = fit\n    resources_used.cput = 01:00:00\n    Resource_List.{asked}\n    job_state = C\n    exit_status = 0\n"
    holds(one(text.format(asked="nodes = 2:ppn=8")), {"requested": {"cpus": 16, "nodes": 2}, "status": "completed"})
    assert one(text.format(asked="select = 4:ncpus=32:ngpus=4:mem=100gb"))["requested"] == {"cpus": 128, "gpus": 16}


def test_reportseff() -> None:
    text = "     JobID    State       Elapsed  TimeEff   CPUEff   MemEff \n  12345  COMPLETED    00:10:00   16.7%    95.0%    25.0% \n"
    holds(one(text), {"job_id": "12345", "wall_s": 600.0, "cpu_eff": 0.95, "mem_eff": 0.25, "status": "completed"})
