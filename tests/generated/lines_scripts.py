"""What training scripts print: plain PyTorch loops, the MNIST example, Keras, the Hugging Face Trainer, LM trainers."""

from __future__ import annotations

from random import Random

from .experiments import Run

_OOM = (
    "Traceback (most recent call last):\n"
    '  File "train.py", line 118, in <module>\n'
    "    main()\n"
    '  File "train.py", line 74, in main\n'
    "    loss.backward()\n"
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.25 GiB (GPU 0; 39.59 GiB total capacity; "
    "36.90 GiB already allocated; 1.03 GiB free; 37.11 GiB reserved in total by PyTorch)"
)


def number(value: float) -> str:
    """As Python prints a setting: 0.001, 2e-05, 64."""
    return str(int(value)) if float(value).is_integer() else f"{value:g}" if value < 1e-4 else str(value)


def flags(run: Run, names: tuple[str, ...], style: Random) -> str:
    """`--batch-size 64 --lr 0.01`, spelled one way throughout a page."""
    spelled = {
        "batch_size": style.choice(("--batch-size", "--batch_size", "--bs")),
        "epochs": "--epochs",
        "lr": style.choice(("--lr", "--learning-rate", "--learning_rate")),
    }
    between = style.choice((" ", "="))
    return " ".join(f"{spelled[name]}{between}{number(run.settings[name])}" for name in names if name in run.settings)


def _settings(run: Run, style: Random) -> list[str]:
    told = {name: number(run.settings[name]) for name in ("batch_size", "epochs", "lr")}
    form = style.randrange(4)
    if form == 0:
        return ["Namespace(" + ", ".join(f"{name}={value}" for name, value in told.items()) + ", seed=1)"]
    if form == 1:
        return [f"{name}: {value}" for name, value in told.items()]
    if form == 2:
        return [f"batch size = {told['batch_size']}, learning rate = {told['lr']}, epochs = {told['epochs']}"]
    return ["args: {" + ", ".join(f"'{name}': {value}" for name, value in told.items()) + "}"]


def plain(run: Run, style: Random, noise: Random) -> str:
    """A loop that someone wrote: settings, a line an epoch, a few totals."""
    lines = _settings(run, style)
    device = style.choice(("Using device: cuda", "Device: cuda:0 (NVIDIA A100-SXM4-40GB)", "running on cpu"))
    if style.random() < 0.6:
        lines.append(device)
    epoch = style.choice((
        "Epoch {n}/{all} | train loss {loss:.4f} | val acc {acc:.4f}",
        "Epoch [{n}/{all}], Loss: {loss:.4f}, Val Acc: {percent:.2f}%",
        "epoch {n:3d}: train_loss={loss:.4f} val_acc={acc:.4f}",
        "[{n}/{all}] loss: {loss:.4f} - val accuracy: {acc:.4f}",
    ))  # fmt: skip
    if run.failed:
        return "\n".join([*lines, _OOM])
    for place, (loss, accuracy) in enumerate(zip(run.losses, run.accuracies, strict=True), 1):
        val = accuracy * (1 - 0.003 - noise.uniform(0, 0.001))
        lines.append(epoch.format(n=place, all=len(run.losses), loss=loss, acc=val, percent=100 * val))
    return "\n".join([*lines, *_totals(run, style)])


def _totals(run: Run, style: Random) -> list[str]:
    figures = run.figures
    end = [
        style.choice((
            f"Test accuracy: {figures['accuracy']:.4f}",
            f"test_acc = {figures['accuracy']:.4f}",
            f"Accuracy on test set: {100 * figures['accuracy']:.2f}%",
        )),
        style.choice((
            f"Training took {figures['seconds']:.1f} s",
            f"Total training time: {figures['seconds']:.1f} seconds",
            f"train time: {figures['seconds']:.1f}s",
        )),
        style.choice((
            f"Throughput: {figures['samples_per_s']:.1f} samples/s",
            f"throughput: {figures['samples_per_s']:.1f} images/sec",
            f"samples/sec: {figures['samples_per_s']:.1f}",
        )),
        style.choice((
            f"Peak memory: {figures['memory_mib']:.1f} MiB",
            f"max memory allocated: {figures['memory_mib']:.1f} MiB",
        )),
    ]  # fmt: skip
    style.shuffle(end)
    return end


def mnist_example(run: Run, style: Random, noise: Random) -> str:
    """The MNIST example of PyTorch, with a timer around it."""
    lines = []
    if run.failed:
        return _OOM
    hundred = round(run.figures["accuracy"] * 10_000)
    for epoch, loss in enumerate(run.losses, 1):
        for share in (0, 50, 100):
            seen = 60_000 * share // 100
            shown = loss * (1.6 - share / 200 * 1.2) if epoch < len(run.losses) or share < 100 else loss
            lines.append(f"Train Epoch: {epoch} [{seen}/60000 ({share}%)]\tLoss: {shown:.6f}")
        right = hundred if epoch == len(run.losses) else round(10_000 * run.accuracies[epoch - 1])
        test = run.figures["test_loss"] * (1 if epoch == len(run.losses) else loss / run.losses[-1])
        lines += ["", f"Test set: Average loss: {test:.4f}, Accuracy: {right}/10000 ({right / 100:.2f}%)", ""]
    lines.append(f"Total time: {run.figures['seconds']:.1f} s")
    return "\n".join(lines)


def keras(run: Run, style: Random, noise: Random) -> str:
    """`model.fit` and `model.evaluate`."""
    if run.failed:
        return (
            f"Epoch 1/{int(run.settings['epochs'])}\n"
            "tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n"
            "OOM when allocating tensor with shape[512,64,112,112] and type float on "
            "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:__inference_train_function_1201]"
        )
    steps = max(1, run.samples // len(run.losses) // int(run.settings["batch_size"]))
    new = style.random() < 0.5
    bar = "━" * 20 if new else "[==============================]"
    each_s = run.figures["seconds"] / len(run.losses)
    lines = []
    for epoch, (loss, accuracy) in enumerate(zip(run.losses, run.accuracies, strict=True), 1):
        lines.append(f"Epoch {epoch}/{len(run.losses)}")
        told = f"{steps}/{steps} {bar} {'' if new else '- '}{each_s:.0f}s {1000 * each_s / steps:.0f}ms/step"
        fit = accuracy * 1.004 if accuracy * 1.004 < 1 else accuracy
        lines.append(f"{told} - accuracy: {fit:.4f} - loss: {loss:.4f}")
    lines.append(f"Test accuracy: {run.figures['accuracy']:.4f}")
    lines.append(f"Training time: {run.figures['seconds']:.1f} seconds")
    return "\n".join(lines)


def hugging_face(run: Run, style: Random, noise: Random) -> str:
    """The Trainer's head and its dictionaries."""
    figures, epochs = run.figures, int(run.settings["epochs"])
    batch = int(run.settings["batch_size"])
    steps = max(epochs, run.samples // batch)
    lines = [
        "***** Running training *****",
        f"  Num examples = {run.samples // epochs:,}",
        f"  Num Epochs = {epochs}",
        f"  Instantaneous batch size per device = {batch}",
        f"  Total train batch size (w. parallel, distributed & accumulation) = {batch}",
        "  Gradient Accumulation steps = 1",
        f"  Total optimization steps = {steps:,}",
    ]
    if run.failed:
        return "\n".join([*lines, _OOM])
    lr = run.settings["lr"]
    for epoch, (loss, accuracy) in enumerate(zip(run.losses, run.accuracies, strict=True), 1):
        now = lr * (1 - epoch / (epochs + 1))
        lines.append(f"{{'loss': {loss:.4f}, 'learning_rate': {now:.4g}, 'epoch': {epoch}.0}}")
        right = figures["accuracy"] if epoch == epochs else accuracy
        ran = 3.1 + noise.uniform(0, 0.4)
        lines.append(f"{{'eval_accuracy': {right:.4f}, 'eval_runtime': {ran:.4f}, 'epoch': {epoch}.0}}")
    lines.append(
        f"{{'train_runtime': {figures['seconds']:.4f}, 'train_samples_per_second': {figures['samples_per_s']:.3f}, "
        f"'train_steps_per_second': {figures['samples_per_s'] / batch:.3f}, 'epoch': {epochs}.0}}"
    )
    return "\n".join(lines)


def tokens(run: Run, style: Random, noise: Random) -> str:
    """A trainer of language models: a line every few steps, with tokens a second and memory."""
    figures = run.figures
    steps = int(run.settings["steps"])
    gib = figures["memory_mib"] / 1024
    lines = [
        f"[rank0]:2025-03-11 10:02:0{n} - root - INFO - {text}"
        for n, text in enumerate((
            "Starting job: Llama 3 debug training",
            f"Training starts at step 1, with local batch size {int(run.settings['batch_size'])}, "
            f"sequence length {int(run.settings['seq_len'])}, total steps {steps}",
        ))
    ]  # fmt: skip
    for place, loss in enumerate(run.losses, 1):
        pace = figures["tokens_per_s"] if place == len(run.losses) else figures["tokens_per_s"] * noise.gauss(1, 0.004)
        lines.append(
            f"[rank0]:2025-03-11 10:0{2 + place // 4}:{12 + 3 * place:02d} - root - INFO - step: "
            f"{place * steps // 10:3d}  loss: {loss:7.4f}  memory: {gib:5.2f}GiB(31.20%)  tps: {pace:,.0f}  mfu: 38.41%"
        )
    lines.append("[rank0]:2025-03-11 10:05:51 - root - INFO - Training completed")
    return "\n".join(lines)
