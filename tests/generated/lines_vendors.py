"""What accelerators, servers and profilers print, written from their formats."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

from .experiments import Run

_BAR = "██████████"


def graphcore(run: Run, style: Random, noise: Random) -> str:
    """PopTorch's MNIST tutorial under srun: 1,200 over the batch size are the steps of an epoch."""
    epochs, steps = int(run.settings["epochs"]), int(1200 // run.settings["batch_size"])
    seconds = int(run.figures["seconds"])
    job = 20_000 + noise.randrange(9_000)
    each = max(1, seconds // epochs)
    clock = f"{seconds // 60:02d}:{seconds % 60:02d}"
    return "\n".join((
        f"srun: job {job} queued and waiting for resources",
        f"srun: job {job} has been allocated resources",
        f"Epochs:   0%|          | 0/{epochs} [00:00<?,[09:03:32.515] [poptorch:cpp] [warning] [DISPATCHER] "
        "Type coerced from Long to Int for tensor id 10",
        f"Graph compilation: 100%|{_BAR}| 100/100 [00:{noise.randrange(14, 25)}<00:00]",
        f"Loss: {run.losses[0] + 0.9:.4f} | Accuracy: 14.50% :   1%|          | 1/{steps} [00:23<58:21, 23.4s/it]",
        f"Loss: {run.figures['loss']:.4f} | Accuracy: {noise.uniform(95, 99):.2f}% : 100%|{_BAR}| {steps}/{steps} "
        f"[{each // 60:02d}:{each % 60:02d}<00:00, {steps / each:.2f}it/s]",
        f"Epochs: 100%|{_BAR}| {epochs}/{epochs} [{clock}<00:00, {seconds / epochs:.2f}s/it]",
        f"Graph compilation: 100%|{_BAR}| 100/100 [00:14<00:00]",
        "TrainingModelWithLoss(",
        "  (loss): CrossEntropyLoss()",
        ")",
        f"Accuracy on test set: {100 * run.figures['accuracy']:.2f}%",
    ))  # fmt: skip


def cerebras(run: Run, style: Random, noise: Random) -> str:
    """cerebras_pytorch training BERT: dated lines, a rate at each, samples and seconds at the end."""
    at = datetime(2024, 4, 2, 9, 0) + timedelta(hours=3 * run.number)
    batch, steps = int(run.settings["batch_size"]), int(run.settings["steps"])
    lines: list[str] = []

    def say(text: str, after_s: float = 0.4) -> None:
        nonlocal at
        at += timedelta(seconds=after_s)
        lines.append(f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d} INFO:   {text}")

    say(f"Effective batch size is {batch}.")
    say("Compiling the model. This may take a few minutes.")
    say("Compile was successful!", 140)
    say("Beginning appliance run", 60)
    each_s = run.figures["seconds"] / 10
    for place, loss in enumerate(run.losses, 1):
        rate = run.figures["samples_per_s"]
        told = f"Step={place * steps // 10}, Loss={loss:.5f}, Rate={rate * noise.gauss(1, 0.002):.2f} samples/sec"
        so_far = rate if place == 10 else rate * noise.gauss(1, 0.001)
        say(f"| Train Device=CSX, {told}, GlobalRate={so_far:.2f} samples/sec", each_s)
    say("Training completed successfully!")
    say(f"Processed {batch * steps} sample(s) in {run.figures['seconds']:.9f} seconds.", 0)
    return "\n".join(lines)


def sambanova(run: Run, style: Random, noise: Random) -> str:
    """The end of BERT-large on SambaFlow, which gives the tasks away by samples over steps."""
    steps, seconds, loss = int(run.settings["steps"]), run.figures["seconds"], run.figures["loss"]
    tasks, rate = int(run.settings["num_tasks"]), run.figures["samples_per_s"]
    start = datetime(2024, 4, 8, 8, 0, 5) + timedelta(hours=run.number)

    def head(part: int) -> str:
        at = start + timedelta(seconds=seconds * part / len(run.losses))
        return (
            f"{at:%Y-%m-%d %H:%M:%S},176 - apps.nlp.transformers_on_rdu.tasks.bert_trainer - Process ID 1 - info     - "
        )

    lines = [f"SLURM_NTASKS={tasks}", "SLURM_NNODES=1"]
    for place, value in enumerate(run.losses, 1):
        step = place * steps // len(run.losses)
        lines.append(
            head(place) + f"epoch:0|local_step:{step}|global_step:{step}|average_loss:{value:.5f}|"
            f"step_loss:{value:.5f}|learning_rate:7.05e-06"
        )
    lines.append(
        head(len(run.losses))
        + f"{{'e2e_train_time': {seconds:.6f}, 'training_sequences_per_second': {rate * 128:.6f}, "
        f"'final_loss': {loss:.5f}, 'training_samples_per_second': {rate:.6f}}}"
    )
    return "\n".join(lines)


def groq(run: Run, style: Random, noise: Random) -> str:
    """A GroqFlow proof point: the host's PyTorch and the chip in one table."""
    figures = run.figures
    length = int(run.settings["seq_len"])
    chip = f"{figures['latency_ms'] / 40:.2f}  |  {figures['inferences_per_s'] * 40:.2f}"
    return "\n".join((
        f'Building "bert_tiny_seq{length}"',
        "    ✓ Exporting PyTorch to ONNX",
        "    ✓ Compiling model",
        "    ✓ Assembling model",
        f"Woohoo! Saved to ~/.cache/groqflow/bert_tiny_seq{length}",
        "Running inference on GroqChip.",
        "Running inference using PyTorch model (CPU).",
        "+--------+----------+-------------------------+----------------+----------------------+-------------+",
        "| Source | Accuracy | end-to-end latency (ms) | end-to-end IPS | on-chip latency (ms) | on-chip IPS |",
        "+--------+----------+-------------------------+----------------+----------------------+-------------+",
        f"|  cpu   |  77.47%  |  {figures['latency_ms']:.2f}  |  {figures['inferences_per_s']:.2f}  |  --  |  --  |",
        f"|  groq  |  77.47%  |  {figures['latency_ms'] / 30:.2f}  |  {figures['inferences_per_s'] * 30:.2f}  |  {chip}"
        "  |",
        "+--------+----------+-------------------------+----------------+----------------------+-------------+",
    ))  # fmt: skip


def vllm(run: Run, style: Random, noise: Random) -> str:
    """`vllm bench serve`."""
    figures = run.figures
    rows = (
        ("Successful requests:", "200"),
        ("Maximum request concurrency:", f"{int(run.settings['concurrency'])}"),
        ("Benchmark duration (s):", f"{figures['serve_s']:.2f}"),
        ("Total input tokens:", f"{200 * 512}"),
        ("Total generated tokens:", f"{200 * 128}"),
        ("Request throughput (req/s):", f"{figures['requests_per_s']:.2f}"),
        ("Output token throughput (tok/s):", f"{figures['output_tokens_per_s']:.2f}"),
        ("Total Token throughput (tok/s):", f"{figures['output_tokens_per_s'] * 5:.2f}"),
    )
    ttft, tpot = figures["ttft_mean_ms"], figures["tpot_mean_ms"]
    return "\n".join((
        "============ Serving Benchmark Result ============",
        *(f"{name:<41}{value:<10}".rstrip() for name, value in rows),
        "---------------Time to First Token----------------",
        *_three("TTFT", ttft),
        "-----Time per Output Token (excl. 1st token)------",
        *_three("TPOT", tpot),
        "==================================================",
    ))  # fmt: skip


def _three(name: str, mean: float) -> list[str]:
    told = ((f"Mean {name} (ms):", mean), (f"Median {name} (ms):", mean * 0.94), (f"P99 {name} (ms):", mean * 1.83))
    return [f"{words:<41}{value:<10.2f}".rstrip() for words, value in told]


def psrecord(run: Run, style: Random, noise: Random) -> str:
    """The table of psrecord's log, whose mean is the load and whose highest is the memory."""
    lines = ["# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)"]
    rows = 12
    wobble = [noise.uniform(0.9, 1.1) for _ in range(rows)]
    mean = sum(wobble) / rows
    for place, part in enumerate(wobble):
        memory = run.figures["memory_mib"] * (1 if place == rows - 1 else 0.5 + 0.48 * place / rows)
        at_s = run.figures["seconds"] * place / (rows - 1)
        cpu = run.figures["cpu_pct"] * part / mean
        lines.append(f"{at_s:12.3f} {cpu:12.3f} {memory:12.3f} {memory * 4:12.3f}")
    return "\n".join(lines)
