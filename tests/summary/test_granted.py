"""What the scheduler's variables say that a job was given."""

from assay.model.request import PlaceFacts, Request
from assay.model.summary import Summary
from assay.summary.granted import granted, of_granted

GIB = 1 << 30
JOB = {
    "SLURM_JOB_ID": "12", "SLURM_JOB_CPUS_PER_NODE": "16(x2),8", "SLURM_JOB_NUM_NODES": "3",
    "SLURM_MEM_PER_NODE": "2048", "SLURM_GPUS_ON_NODE": "4", "SLURM_JOB_START_TIME": "1000",
    "SLURM_JOB_END_TIME": "4600", "SLURM_NTASKS": "6",
}  # fmt: skip


def test_the_variables_of_slurm_give_the_whole_job() -> None:
    asked = {"cpus": 40, "nodes": 3, "gpus": 12, "mem_bytes": 6 * GIB, "time_s": 3600, "tasks": 6}
    assert granted(JOB) == asked
    of_cpu = {"SLURM_JOB_CPUS_PER_NODE": "4", "SLURM_MEM_PER_CPU": "1024"}
    assert granted(of_cpu) == {"cpus": 4, "mem_bytes": 4 * GIB}
    assert granted({"SLURM_JOB_CPUS_PER_NODE": "many", "SLURM_MEM_PER_NODE": "-1"}) == {}


def test_the_highest_node_is_held_against_the_memory_of_one_node() -> None:
    machine = Summary(cpu_s=2000.0, memory_bytes_max=GIB)
    found = of_granted(Request(scheduler=JOB), machine, 100.0)
    assert (found["cpu_eff"], found["mem_eff"], found["time_eff"]) == (0.5, 0.5, round(100 / 3600, 6))
    assert of_granted(Request(scheduler={"PBS_JOBID": "1.pbs"}), machine, 100.0) == {}


def test_a_job_that_is_not_told_its_time_limit_has_the_one_of_its_place() -> None:
    told = {name: value for name, value in JOB.items() if "TIME" not in name}
    place = PlaceFacts.of({"name": "main", "launcher": "slurm", "time": "10m"})
    found = of_granted(Request(scheduler=told, place=place), Summary(), 60.0)
    assert found["time_eff"] == 0.1
    known = of_granted(Request(scheduler=JOB, place=place), Summary(), 60.0)
    assert known["time_eff"] == round(60 / 3600, 6), "what the scheduler says goes first"
