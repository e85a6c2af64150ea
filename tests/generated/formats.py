"""Every kind of job with the program that prints it: which settings its log shows, which figures, to which digit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from . import lines_scripts, lines_vendors
from .experiments import Job, Run

Writer = Callable[[Run, Random, Random], str]


@dataclass(frozen=True, kw_only=True)
class Format:
    """A job, how its log is written, what people call the thing, and the command that they type."""

    job: Job
    write: Writer
    titles: tuple[str, ...]
    command: str  # {flags} and the settings by name
    flags: tuple[str, ...] = ()
    can_fail: bool = False
    accuracy: str = "test"  # the split of the accuracy that the log ends with


_SCRIPT = ("batch_size", "epochs", "lr")
_PLAIN = Job(
    name="plain", work="training", varies=("batch_size", "lr", "epochs"), shows=_SCRIPT,
    digits={"accuracy": 4, "loss": 4, "seconds": 1, "samples_per_s": 1, "memory_mib": 1},
)  # fmt: skip
_MNIST = Job(
    name="mnist-example", work="training", varies=("batch_size", "lr", "epochs"), shows=("epochs",),
    digits={"accuracy": 4, "test_loss": 4, "loss": 6, "seconds": 1}, samples=(60_000,),
)  # fmt: skip
_KERAS = Job(
    name="keras", work="training", varies=("batch_size", "epochs"), shows=("epochs",),
    digits={"accuracy": 4, "loss": 4, "seconds": 1}, common=("batch_size", "epochs"), samples=(50_000, 60_000),
)  # fmt: skip
_TRAINER = Job(
    name="hugging-face", work="training", varies=("batch_size", "epochs", "lr"), shows=("epochs", "batch_size"),
    digits={"accuracy": 4, "loss": 4, "seconds": 4, "samples_per_s": 3}, top_rate=(60, 900), samples=(3_668, 8_551),
    batches=((8, 16, 32), (4, 16), (16, 32)),
)  # fmt: skip
_IPU = Job(
    name="graphcore", work="training", varies=("batch_size", "epochs", "lr"), shows=("epochs", "batch_size"),
    digits={"accuracy": 4, "loss": 4, "seconds": 0}, top_rate=(3000, 9000), samples=(60_000,),
    batches=((4, 8, 16), (8, 16), (4, 8)),
)  # fmt: skip
_WAFER = Job(
    name="cerebras", work="training", varies=("batch_size",), shows=("batch_size", "steps"),
    digits={"loss": 5, "samples_per_s": 2, "seconds": 9}, top_rate=(6000, 9000), common=("batch_size", "steps"),
    batches=((512, 1024, 2048), (512, 1024), (256, 1024)),
)  # fmt: skip
_RDU = Job(
    name="sambanova", work="training", varies=("num_tasks",), shows=("num_tasks", "steps"),
    digits={"loss": 5, "samples_per_s": 6, "seconds": 6}, top_rate=(600, 700),
    common=("batch_size", "steps"), batches=((256,),),
)  # fmt: skip
_CHIP = Job(
    name="groq", work="inference", varies=("seq_len",), shows=(),
    digits={"latency_ms": 2, "inferences_per_s": 2}, common=(),
)  # fmt: skip
_SERVER = Job(
    name="vllm", work="serving", varies=("concurrency",), shows=("concurrency",),
    digits={
        "output_tokens_per_s": 2, "requests_per_s": 2, "ttft_mean_ms": 2, "tpot_mean_ms": 2, "serve_s": 2
    }, common=(),
)  # fmt: skip
_PROFILE = Job(
    name="psrecord", work="profile", varies=("batch_size",), shows=(),
    digits={"seconds": 3, "cpu_pct": 3, "memory_mib": 3}, common=("batch_size", "epochs"), top_rate=(300, 900),
)  # fmt: skip
_TITAN = Job(
    name="language-model", work="training", varies=("batch_size", "seq_len"), shows=("batch_size", "seq_len"),
    digits={"loss": 4, "tokens_per_s": 0, "memory_mib": 0}, common=("batch_size", "seq_len", "steps"),
    top_rate=(20, 60), batches=((1, 2, 4), (4, 8)),
)  # fmt: skip

FORMATS: dict[str, Format] = {
    one.job.name: one
    for one in (
        Format(
            job=_PLAIN, write=lines_scripts.plain, can_fail=True, flags=_SCRIPT,
            titles=("CIFAR-10 with a small CNN", "Image classification", "ResNet-18 on CIFAR-10", "My training runs"),
            command="python train.py {flags}",
        ),
        Format(
            job=_MNIST, write=lines_scripts.mnist_example, can_fail=True, flags=_SCRIPT,
            titles=("MNIST", "MNIST with PyTorch", "Assignment 2: MNIST"), command="python main.py {flags}",
        ),
        Format(
            job=_KERAS, write=lines_scripts.keras, can_fail=True, flags=("batch_size", "epochs"),
            titles=("Fashion-MNIST in Keras", "Keras baseline"), command="python fit.py {flags}",
        ),
        Format(
            job=_TRAINER, write=lines_scripts.hugging_face, can_fail=True, flags=_SCRIPT, accuracy="validation",
            titles=("Fine-tuning BERT on MRPC", "DistilBERT fine-tuning"), command="python run_glue.py {flags}",
        ),
        Format(
            job=_IPU, write=lines_vendors.graphcore, flags=_SCRIPT, titles=("Graphcore", "MNIST on the IPU", "Graphcore homework"),
            command="/opt/slurm/bin/srun --ipus=1 python mnist_poptorch.py {flags}",
        ),
        Format(
            job=_WAFER, write=lines_vendors.cerebras, titles=("Cerebras", "BERT on the CS-2", "Cerebras homework"),
            command="python run.py CSX --params configs/params_bert.yaml --mode train --model_dir model_dir",
        ),
        Format(
            job=_RDU, write=lines_vendors.sambanova, titles=("SambaNova", "BERT-large on SambaNova"),
            command="/usr/local/bin/srun python transformers_hook.py run --max_seq_length 128",
        ),
        Format(
            job=_CHIP, write=lines_vendors.groq, titles=("Groq", "BERT-tiny with GroqFlow"),
            command="python bert_tiny.py --seq_len {seq_len}",
        ),
        Format(
            job=_SERVER, write=lines_vendors.vllm, titles=("Serving Llama with vLLM", "vLLM benchmark"),
            command="vllm bench serve --model meta-llama/Llama-3.1-8B-Instruct --num-prompts 200 --max-concurrency {concurrency}",
        ),
        Format(
            job=_PROFILE, write=lines_vendors.psrecord, titles=("Profiling the training", "CPU and memory of p0.py"),
            command='psrecord "python p0.py --batch_size={batch_size}" --log run.log --interval 0.5 --include-children',
        ),
        Format(
            job=_TITAN, write=lines_scripts.tokens, titles=("Llama pre-training", "torchtitan on one node"),
            command="torchrun --nproc_per_node=1 train.py",
        ),
    )
}  # fmt: skip


def command_of(form: Format, run: Run, style: Random) -> str:
    """The line that someone typed for this run."""
    told = {name: f"{value:g}" for name, value in run.settings.items()}
    return form.command.format(flags=lines_scripts.flags(run, form.flags, style), **told)


def under_slurm(text: str, rng: Random) -> str:
    """The same output as srun or a batch job leaves it."""
    job, node = rng.randrange(20_000, 900_000), rng.choice(("gpu-a-07", "node042", "c1-14"))
    if rng.random() < 0.5:
        waited = (f"srun: job {job} queued and waiting for resources", f"srun: job {job} has been allocated resources")
        return "\n".join((*waited, text))
    return f"Starting job {job} on {node}\nSLURM_JOB_ID={job}\n{text}"
