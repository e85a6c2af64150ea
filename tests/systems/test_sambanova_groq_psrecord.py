"""SambaNova, Groq and psrecord."""

import pytest
from reading import holds, one, summaries


def trainer(line: str, pid: int = 1, minute: int = 0) -> str:
    return f"2024-04-08 08:{minute:02d}:05,176 - apps.nlp.transformers_on_rdu.tasks.bert_trainer - Process ID {pid} - info     - {line}\n"


def training(tasks: int = 8, steps: int = 10, seconds: float = 100.0, samples: bool = True, env: bool = True) -> str:
    rate = steps * 256 * tasks / seconds
    text = "Model:  BertLarge\nDate:  04/08/24\n/NODE/XRDU_0/RDU_0 | 205 | Present | Online\n"
    if env:
        text += f"SLURM_NTASKS={tasks}\nSLURM_NNODES=1\n"
    text += "RUN COMMAND: /usr/local/bin/srun python transformers_hook.py run --max_seq_length 128 -b 256 --learning_rate 0.000175\n"
    for step in range(1, steps + 1):
        text += trainer(
            f"epoch:0|local_step:{step}|global_step:{step}|average_loss:{11 - step / 10}|step_loss:{11 - step / 10}|learning_rate:1e-6"
        )
    more = f", 'training_samples_per_second': {rate}" if samples else ""
    text += trainer(
        f"{{'e2e_train_time': {seconds}, 'training_sequences_per_second': {rate * 128}, 'final_loss': 8.25{more}}}"
    )
    return text + "".join(trainer("NLP app finished", pid) for pid in range(2, tasks + 1))


ASSERTION = (
    "Traceback (most recent call last):\n"
    '  File "bert_mlperf_trainer.py", line 576, in do_training\n'
    "    assert training_perf >= args.min_throughput, \\\n"
    "AssertionError: Expected throughput to be at least 560000.0, instead found 293536.6\n"
    "srun: error: sn30-r1-h1: task 0: Exited with exit code 1\n"
    "slurmstepd: error: *** STEP 30811.0 ON sn30-r1-h1 CANCELLED AT 2024-04-08T08:53:19 ***\n"
    "srun: error: sn30-r1-h1: tasks 2-3,5-7: Killed\n"
)


def test_a_training_log() -> None:
    summary = one(training() + "Duration:  488\n")
    holds(
        summary,
        {
            "system": "sambanova", "status": "completed", "steps": 10, "samples": 20480, "train_s": 100.0, "loss": 8.25,
            "samples_per_s": 204.8, "tokens_per_s": 26214.4, "wall_s": 488, "params": {"num_tasks": 8, "num_nodes": 1},
        },
    )  # fmt: skip


def test_a_missed_threshold_leaves_the_run_completed() -> None:
    summary = one(training() + ASSERTION)
    holds(summary, {"status": "completed", "error": "threshold", "samples": 20480})
    assert "training is complete" in summary["error"]["hint"]


@pytest.mark.parametrize("samples", [True, False])
def test_tasks_are_worked_out_where_nothing_prints_them(samples: bool) -> None:
    assert one(training(14, env=False, samples=samples))["params"]["num_tasks"] == 14


def test_a_launchers_duration_is_its_compile() -> None:
    text = "Model:  BertLarge\nCOMPILE START AT 0\nCOMPILE END AT 780\nRUN\nSubmitted batch job 30451\nDuration:  781\n"
    summary = one(text)
    holds(summary, {"status": "completed", "phases": {"compile": 780}, "wall_s": 781, "compile_cached": False})
    assert "train_s" not in summary
    again = one(text.replace("780", "1").replace("781", "1"))
    assert again["compile_cached"] is True


def test_runs_appended_to_one_file_are_apart_and_a_failure_belongs_to_the_one_it_follows() -> None:
    first, second = summaries(training(16) + "Duration:  487\n" + training(8) + ASSERTION)
    assert (first["params"]["num_tasks"], second["params"]["num_tasks"]) == (16, 8)
    assert "error" not in first
    assert second["error"]["code"] == "threshold"


def test_a_pointer_to_another_log_is_no_run() -> None:
    assert summaries("Using /home/u1/BertLarge/040424.04/BertLarge.out for output\n" * 2, "slurm-30451.out") == []


def test_model_zoo_and_starter_lines() -> None:
    text = (
        "Number of epochs: 1\nBatch size: 8\nNumber of batches (steps): 1,143\n"
        "Epoch [1/1], Step [1142/1143], Loss: 0.2131\nEpoch [1/1], Step [1143/1143], Loss: 0.1626\nFinished training.\n"
    )
    holds(one(text), {"status": "completed", "steps": 1143, "loss": 0.1626, "params": {"epochs": 1, "batch_size": 8}})
    starter = "[Info][SAMBA]# Placing log files\nEpoch [1/1], Step [60000/60000], Loss: 0.3553\nTest Accuracy: 91.40  Loss: 0.3014\n"
    holds(one(starter), {"accuracy": 0.914, "steps": 60000})


HEADER = "| Source | Accuracy | end-to-end latency (ms) | end-to-end IPS | on-chip latency (ms) | on-chip IPS |"
TABLE = f"""
+--------+----------+
{HEADER}
+--------+----------+
|  cpu   |  77.47%  |           2.21          |     453.45     |          --          |      --     |
|  groq  |  77.47%  |           0.05          |    19253.91    |         0.03         |   37576.72  |
+--------+----------+
"""


def test_a_table_is_two_runs() -> None:
    cpu, groq = summaries('Building "bert_tiny"\n    ✓ Compiling model\n' + TABLE)
    holds(cpu, {"device": "cpu", "accuracy": 0.7747, "latency_ms": 2.21, "inferences_per_s": 453.45})
    assert "on_chip_latency_ms" not in cpu and "compile_cached" not in cpu
    holds(
        groq,
        {"device": "groq", "on_chip_inferences_per_s": 37576.72, "params": {"seq_len": 128}, "compile_cached": False},
    )


def test_a_cached_build_and_a_rebuilt_one() -> None:
    cached = 'Woohoo! Build "bert_tiny" (build_name auto-selected) found in cache. Loading it!\n' + TABLE
    assert summaries(cached)[1]["compile_cached"] is True
    rebuilt = (
        "Warning: build_model() discovered a cached build of bert_tiny, but decided to rebuild\n"
        "  - Input shape of model \"bert_tiny\" changed from {'input_ids': (2, 256)} to {'input_ids': (1, 256)} since\n"
        'Building "bert_tiny"\n'
    )
    assert summaries(rebuilt + TABLE)[1]["params"] == {"batch_size": 1, "seq_len": 256}


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_table_cut_at_the_width_of_a_terminal(width: int) -> None:
    cut = "\n".join(line[i : i + width] for line in TABLE.splitlines() for i in range(0, max(1, len(line)), width))
    cpu, groq = summaries(cut)
    assert (cpu["inferences_per_s"], groq["on_chip_inferences_per_s"]) == (453.45, 37576.72)


def test_minilm_has_a_correlation_in_place_of_an_accuracy() -> None:
    text = TABLE.replace("| Accuracy |", "| Spearman Rank Correlation Coefficient |").replace("77.47%", "0.8203")
    assert summaries(text)[1]["metrics"] == {"spearman": 0.8203}


PSRECORD = """# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)
       0.000        0.000       10.000       20.000
       0.500      100.000       20.000       20.000
       1.000       50.000       30.000       20.000
"""


def test_a_psrecord_log_and_what_it_prints() -> None:
    summary = one(
        "Starting up command 'python p0.py' and attaching to process\n" + PSRECORD + "Process finished (1.50 seconds)\n"
    )
    holds(
        summary,
        {"system": "psrecord", "status": "completed", "wall_s": 1.5, "cpu_pct_mean": 50.0, "cpu_pct_max": 100.0},
    )
    assert summary["rss_bytes_mean"] == 20 << 20  # its MB are MiB
    assert one(PSRECORD)["status"] == "unfinished"


def test_psrecord_with_io_and_as_csv() -> None:
    wide = PSRECORD.replace("(MB)\n", "(MB)  Read count\n", 1).replace("20.000\n", "20.000  59  2  0  0\n")
    assert one(wide)["rss_bytes_max"] == 30 << 20
    csv = "elapsed_time,nproc,cpu,mem_real,mem_virtual\n0.0,1,0.0,10.0,20.0\n0.5,3,80.0,20.0,20.0\n"
    holds(one(csv, "p.csv"), {"cpu_pct_max": 80.0})


def test_two_psrecord_logs_in_one_file() -> None:
    assert len(summaries(PSRECORD + PSRECORD)) == 2


@pytest.mark.parametrize(
    "text",
    [
        '{"training_samples_per_second": 4605.1, "e2e_train_time": 449.1, "final_loss": 8.2554}',
        "{'final_loss': 8.2554, 'e2e_train_time': 449.1, 'training_samples_per_second': 4605.1}",
        "{'e2e_train_time': 449.1,\n'final_loss': 8.2554,\n 'training_samples_per_second': 4605.1}",
    ],
    ids=["as JSON", "another order", "in pieces"],
)
def test_a_result_is_read_in_any_order_and_in_any_quotes(text: str) -> None:
    summary = one(f"bert-large, the result: {text}\n")
    holds(summary, {"system": "sambanova", "train_s": 449.1, "samples_per_s": 4605.1, "loss": 8.2554})


def test_lines_of_the_program_between_the_rows_of_psrecord_take_no_row() -> None:
    text = (
        "# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n"
        "       0.000        0.000        8.000       16.000\n"
        "epoch 1 of the program\n"
        "       0.500       40.000       16.000       32.000\n"
        "UserWarning: a slow path is taken\n  warnings.warn(text)\n"
        "1 2 3 4 5 6\n"  # figures of its own
        "       1.000       80.000       32.000       64.000\n"
        "Process finished (1.20 seconds)\n"
    )
    (run,) = summaries(text, "out.txt")
    assert (run["cpu_pct_max"], run["rss_bytes_max"], run["wall_s"]) == (80.0, 32 * 2**20, 1.2)
