"""Logs as the systems print them, made to measure: what the examples of each rule are built from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta


def cerebras(
    batch: int = 1024,
    rate: float = 4850.0,
    loss: float = 7.07812,
    steps: int = 1000,
    *,
    start: str = "2024-04-02 09:00:00",
    queue_s: float = 0,
    compile_s: float = 0,
    cached: bool = False,
    checkpoint_s: float = 34,
    processed_s: float | None = None,
    losses: Sequence[float] = (),
    rates: Sequence[float] = (),
    end: bool = True,
) -> str:
    """A cerebras_pytorch log; `processed_s` is what the last line says when it is not pure training."""
    at = datetime.fromisoformat(start)
    lines = []

    def say(text: str, after_s: float = 0.5) -> None:
        nonlocal at
        at += timedelta(seconds=after_s)
        lines.append(f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03} INFO:   {text}")

    say(f"Effective batch size is {batch}.")
    say("Compiling the model. This may take a few minutes.")
    say("Initiating a new compile wsjob against the cluster server.")
    if queue_s:
        polling = "Poll ingress status: Waiting for job running, current job status: "
        say(
            polling + "Queueing, msg: job is queueing. Job queue status: 1 compile job(s) queued before current job.",
            10,
        )
        say(polling + "Scheduled, msg: job is scheduled.", queue_s)
    say("Ingress is ready: Job ingress ready, poll ingress success.", 20)
    if cached:
        say("Found existing cached compile with hash: cs_8939750200954608837", 2)
    elif compile_s:
        say("Compiling kernels", 1)
        say("Compiling final image", compile_s / 2)
    say("Compile was successful!", compile_s / 2 if compile_s else 3)
    say("Programming Cerebras Wafer Scale Cluster for execution. This may take a few minutes.")
    say("Initiating a new execute wsjob against the cluster server.", 2)
    say("Ingress is ready: Job ingress ready, poll ingress success.", 30)
    say("About to send initial weights", 20)
    say("Finished sending initial weights", 33)
    say("Appliance staging is complete", 150)
    say("Beginning appliance run")
    every = steps // 10
    curve = list(losses) or [9.4, 8.6, 7.9, 7.6, 7.5, 7.4, 7.3, 7.25, 7.2, loss]
    paces = list(rates) or [rate] * 10
    spent = 0.0
    for place, (value, pace) in enumerate(zip(curve, paces, strict=True), 1):
        spent += every * batch / pace
        so_far = place * every * batch / spent
        say(
            f"| Train Device=CSX, Step={place * every}, Loss={value:.5f}, Rate={pace:.2f} samples/sec, "
            f"GlobalRate={so_far:.2f} samples/sec",
            every * batch / pace,
        )
    if end:
        say(f"Saving checkpoint at step {steps}", 0.01)
        say(f"Saved checkpoint model_dir/checkpoint_{steps}.mdl", checkpoint_s)
        say("Training completed successfully!", 40)
        say(f"Processed {steps * batch} sample(s) in {processed_s or spent:.9f} seconds.", 0)
    return "\n".join(lines) + "\n"


def mnist(
    epochs: int = 10,
    steps: int = 150,
    accuracy: float | None = 98.05,
    *,
    per_epoch_s: float = 10.9,
    graph_s: int = 21,
    reached: int | None = None,
    command: str = "srun --ipus=1 python mnist_poptorch.py",
    job: int = 27971,
) -> str:
    """PopTorch's MNIST tutorial on a terminal; `steps` a bar gives the batch away, `reached` where it broke off."""
    done = epochs if reached is None else reached
    total = int(done * per_epoch_s)
    lines = [
        f"$ {command}",
        f"srun: job {job} queued and waiting for resources",
        f"srun: job {job} has been allocated resources",
        f"Epochs:   0%|          | 0/{epochs} [00:00<?,[01:34:25.169] [poptorch:cpp] [warning] [DISPATCHER] Type",
        f"Graph compilation: 100%|██████████| 100/100 [00:{graph_s:02}<00:00]",
        f"Loss: 2.2976 | Accuracy: 14.50% :   1%|          | 1/{steps} [00:23<58:21, 2",
        f"Loss: 1.4905 | Accuracy: 97.25% : 100%|██████████| {steps}/{steps} [00:33<00:00, 14.9it/s]",
        f"Epochs: {100 * done // epochs:3}%|██████████| {done}/{epochs} [{total // 60:02}:{total % 60:02}<00:00, "
        f"{per_epoch_s:.2f}s/it]",
    ]
    if accuracy is not None:
        lines += [
            "TrainingModelWithLoss(",
            "  (loss): CrossEntropyLoss()",
            ")",
            f"Accuracy on test set: {accuracy:.2f}%",
        ]
    return "\n".join(lines) + "\n"


def sambanova(
    tasks: int = 16,
    seconds: float = 452.0,
    loss: float = 8.25298,
    *,
    steps: int = 505,
    samples_line: bool = True,
    duration: int | None = None,
    after: str = "",
) -> str:
    """The end of a BERT-large training on SambaFlow; `training_sequences_per_second` is in truth tokens."""
    rate = steps * 256 * tasks / seconds
    told = f", 'training_samples_per_second': {rate:.6f}" if samples_line else ""
    lines = [
        f"epoch:0|local_step:{steps - 1}|global_step:{steps - 1}|average_loss:{loss + 0.01:.5f}|step_loss:{loss:.5f}|"
        "learning_rate:7.05e-06",
        f"epoch:0|local_step:{steps}|global_step:{steps}|average_loss:{loss:.5f}|step_loss:{loss:.5f}|learning_rate:7.06e-06",
        f"{{'e2e_train_time': {seconds:.6f}, 'training_sequences_per_second': {rate * 128:.6f}, "
        f"'final_loss': {loss:.5f}{told}}}",
    ]
    if after:
        lines.append(after)
    if duration is not None:
        lines.append(f"Duration:  {duration}")
    return "\n".join(lines) + "\n"


def launcher(compile_s: int | None, job: int, duration: int | None = None) -> str:
    """What the SambaNova course script prints before training: with no `compile_s` the .pef was there."""
    lines = [f"COMPILE START AT 0\nCOMPILE END AT {compile_s or 0}"]
    total = duration if duration is not None else (compile_s or 0) + 1
    return "\n".join([*lines, f"Submitted batch job {job}", f"Duration:  {total}"]) + "\n"


def groq(
    cpu_ips: float = 450.0,
    ips: float = 18000.0,
    chip_ips: float | None = 37576.72,
    accuracy: float = 77.47,
    *,
    cached: bool = False,
    words: str = "",
) -> str:
    """A GroqFlow proof point, with its two-line table."""
    chip = f"{1000 / chip_ips:.2f}  |  {chip_ips:.2f}" if chip_ips else "--  |  --"
    return (
        f"$ python bert_tiny.py {words}\n"
        + (
            'Woohoo! Build "bert_tiny" (build_name auto-selected) found in cache. Loading it!\n'
            if cached
            else 'Building "bert_tiny"\n'
        )
        + "| Source | Accuracy | end-to-end latency (ms) | end-to-end IPS | on-chip latency (ms) | on-chip IPS |\n"
        + "+--------+----------+-------------------------+----------------+----------------------+-------------+\n"
        + f"|  cpu   |  {accuracy:.2f}%  |  {1000 / cpu_ips:.2f}  |  {cpu_ips:.2f}  |  --  |  --  |\n"
        + f"|  groq  |  {accuracy:.2f}%  |  {1000 / ips:.2f}  |  {ips:.2f}  |  {chip}  |\n"
    )


def psrecord(cpu: Sequence[float], mb: float = 180.0, *, every_s: float = 0.5) -> str:
    """psrecord's log file."""
    head = "# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n"
    return head + "".join(
        f"{place * every_s:12.3f} {load:12.3f} {mb + place * 0.1:12.3f} {mb * 4:12.3f}\n"
        for place, load in enumerate(cpu)
    )


def page(*parts: str) -> str:
    """A page: lines of prose and headings, and logs, which are more than a line, in fences."""
    return "\n\n".join(f"```\n{part.strip()}\n```" if "\n" in part else part for part in parts) + "\n"
