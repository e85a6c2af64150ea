"""The workloads' figures on a GPU, each in a process of its own and in little time.

    python bench/gpu_workloads.py --out OUT [--text FOLDER] [--mnist FOLDER] [SECTION…]

| section | measures | about |
|---|---|---|
| check | losses and gradients of each kernel table against float32 | 1 min |
| large | `bert-pretrain large`, batch 512, dropout 0.1, full rows: samples/s of each way | 2 to 5 min |
| curve | the same in bf16 and fp8 at batch 512, 1,024 and 2,048 | 3 min |
| profile | where the time of the fastest goes, kernel by kernel | 1 min |
| equivalence | `base`, batch 64, 200 steps of real text, three seeds in fp32 and three on the fast path | 2 min |
| eight | `large`, 300 steps of real text, three seeds in bf16 and three in fp8: losses at the end | 4 min |
| mnist | `mnist` at batch 8, ten epochs with each of three seeds: seconds an epoch, accuracy | 1 min |
| mnist-graph | the same with the engine `graph` | 2 min |
| tiny | BERT-tiny, batch 1, 128 tokens: milliseconds from ids on the host to logits on the host | 1 min |

`--text` is a folder with text files and `vocab.txt` (a lent GPU machine reaches no network). A section that fails says
so and the others go on. Every figure is one JSON line in OUT/gpu.jsonl and a readable line here.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))
SECTIONS = ("check", "large", "curve", "profile", "equivalence", "eight", "mnist", "mnist-graph", "tiny")
#: the fastest first: a run that is cut short has measured what matters
WAYS = ("fp8", "products", "triton", "hash", "torch")
BATCH, TOKENS, PREDICTIONS = 512, 128, 20
EIGHT_BATCH, EIGHT_STEPS = 128, 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", default=SECTIONS)
    parser.add_argument("--out", default=os.environ.get("OUT", "."))
    parser.add_argument("--text", default="")
    parser.add_argument("--mnist", default="synthetic")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--alone", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.alone:
        section, detail = arguments.alone
        every = (check, large, profile, equivalence, eight, tiny)
        {one.__name__: one for one in every}[section](arguments, detail)
        return
    for section in arguments.sections:
        if section in ("mnist", "mnist-graph"):
            mnist(arguments, "auto" if section == "mnist" else "tf32")
            continue
        for detail in details(arguments, section):
            alone(arguments, "large" if section == "curve" else section, detail)
        if section == "equivalence":
            compare(arguments)


def details(arguments: argparse.Namespace, section: str) -> list[str]:
    """What a section measures one after the other."""
    given = arguments.ways.split(",")
    if section in ("check", "large"):
        return [way for way in given if section == "large" or way not in ("hash", "torch")]
    if section == "curve":
        return [f"{way}@{batch}" for batch in (512, 1024, 2048) for way in ("products", "fp8")]
    if section == "equivalence":
        return [f"{way}-{seed}" for seed in range(3) for way in ("fp32", "fast")]
    if section == "eight":
        return ["0,1,2"]
    return [best(arguments), "fp8"] if section == "profile" else [best(arguments)]


def alone(arguments: argparse.Namespace, section: str, detail: str) -> None:
    """In a process of its own: what one breaks or leaves in memory is not the next one's."""
    began = time.time()
    options = ["--out", arguments.out, "--text", arguments.text, "--mnist", arguments.mnist]
    command = [sys.executable, __file__, *options, "--alone", section, detail]
    try:
        code = subprocess.run(command, timeout=240, check=False).returncode
    except subprocess.TimeoutExpired:
        code = 124
    print(
        f"# {section} {detail}: {'done' if code == 0 else f'FAILED ({code})'} in {time.time() - began:.0f} s",
        flush=True,
    )


def keep(arguments: argparse.Namespace, section: str, line: str, **figures: object) -> None:
    print(line, flush=True)
    Path(arguments.out).mkdir(parents=True, exist_ok=True)
    with open(Path(arguments.out, "gpu.jsonl"), "a") as file:
        file.write(json.dumps({"section": section, **machine(), **figures}) + "\n")


def kept(arguments: argparse.Namespace, section: str) -> list[dict]:
    path = Path(arguments.out, "gpu.jsonl")
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [row for row in rows if row["section"] == section]


def machine() -> dict[str, object]:
    import torch

    name = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
    return {"gpu": name, "torch": torch.__version__, "cuda": torch.version.cuda}


def best(arguments: argparse.Namespace) -> str:
    """Of the ways in bf16."""
    rows = [row for row in kept(arguments, "large") if row["way"] != "fp8"]
    return max(rows, key=lambda row: row["samples_per_s"])["way"] if rows else "products"


def words_of(way: str) -> list[str]:
    """The settings that ask for it."""
    return ["precision=fp8"] if way == "fp8" else [f"kernels={way}"]


def an_engine(*words: str, source=None):
    """What the workload itself would train with; a text that was read already is not read again."""
    from dataclasses import replace

    from assay_workloads import bert_engine, bert_pretrain
    from assay_workloads.parallel import World
    from assay_workloads.settings import parse

    settings = parse(bert_pretrain.Settings, words)
    if settings.precision == "auto":
        settings = replace(settings, precision="bf16" if settings.device == "cuda" else "fp32")
    source = source or bert_pretrain.load(settings)
    source.train.seed = settings.seed
    world = World()
    plan = bert_pretrain.make_plan(settings, source.train, world)
    config = bert_pretrain.config(settings)
    engine = bert_engine.Engine(settings, config, plan, source.train, source.held_back, world)
    return engine, plan, source


def check(arguments: argparse.Namespace, way: str) -> None:
    """Both losses and every gradient of a small model in bf16 against the plain column in float32, same masks."""
    import torch

    from assay_workloads import bert_step
    from assay_workloads.bert import BertConfig, BertForPretraining
    from assay_workloads.kernels import step, table, table8

    torch.manual_seed(0)
    model = BertForPretraining(BertConfig(layers=2, hidden=1024, heads=16, filter=4096)).cuda()
    rows = 16
    batch = (
        torch.randint(0, 30522, (rows, TOKENS)).cuda(), torch.randint(0, 2, (rows, TOKENS)).cuda(),
        torch.randint(30, TOKENS + 1, (rows,)).cuda(), torch.randint(1, 30, (rows, PREDICTIONS)).cuda(),
        torch.randint(0, 30522, (rows, PREDICTIONS)).cuda(), torch.randint(0, 2, (rows,)).cuda(),
    )  # fmt: skip
    keys = bert_step.keys_for(model.bert.config, seed=1, step=2, stream=0).cuda()
    found = []
    eight = step.in_eight(model, table8.hopper()) if way == "fp8" else None
    sides = [(table.PLAIN, torch.float32, None), (bert_step.TABLES[way](), torch.bfloat16, eight)]
    # in 8 bits a step's scales are those of the step before: the second is the one to look at
    for kernels, kind, narrow in sides + sides[1:] * (way == "fp8"):
        model.zero_grad()
        words, sentences = step.fused_losses(model, batch, keys, kernels, kind, eight=narrow)
        (words + sentences).backward()
        found.append((words.item(), sentences.item(), {n: p.grad.clone() for n, p in model.named_parameters()}))
    (words, sentences, expected), (fast_words, fast_sentences, grads) = found[0], found[-1]
    apart = {n: ((grads[n] - g).norm() / g.norm()).item() for n, g in expected.items() if "qkv.bias" not in n}
    worst = max(apart, key=apart.__getitem__)
    good = (
        apart[worst] < (0.2 if way == "fp8" else 0.05)
        and abs(fast_words - words) < 0.02
        and abs(fast_sentences - sentences) < 0.02
    )
    keep(
        arguments, "check",
        f"check {way}: {'good' if good else 'WRONG'}; losses {words:.5f} {sentences:.5f} in fp32, {fast_words:.5f} "
        f"{fast_sentences:.5f} here; worst gradient {apart[worst]:.2%} apart ({worst})",
        way=way, good=good, words=words, fast_words=fast_words, worst=worst, worst_apart=apart[worst],
    )  # fmt: skip
    if not good:
        for name, value in sorted(apart.items(), key=lambda item: -item[1])[:12]:
            print(f"    {name}: {value:.2%}")
        sys.exit(1)


def large(arguments: argparse.Namespace, way: str) -> None:
    """Whole weight updates of the workload: data, dropout, both losses, clipping, AdamW."""
    import torch

    from assay_workloads.bert import train_flops

    torch.cuda.reset_peak_memory_stats()
    way, _, size = way.partition("@")
    batch = int(size or BATCH)
    # what 2,048 sequences keep for the backward is more than the memory of one chip
    engine, _, _ = an_engine(
        "large", "device=cuda", "data=synthetic", f"batch_size={batch}", f"accumulate={max(1, batch // 1024)}",
        *words_of(way), "max_steps=10000",
    )  # fmt: skip
    began = time.time()
    engine.train(0, 3)
    torch.cuda.synchronize()
    first_s = time.time() - began
    engine.train(3, 6)
    torch.cuda.synchronize()
    rates, step, each = [], 6, max(2, 6 * BATCH // batch)
    for _ in range(6):
        torch.cuda.synchronize()
        began = time.perf_counter()
        engine.train(step, step + each)
        torch.cuda.synchronize()
        rates.append(each * batch / (time.perf_counter() - began))
        step += each
    losses = engine.losses(0, step)
    rate = statistics.median(rates)
    tflops = rate * train_flops(engine.config, TOKENS, PREDICTIONS) / 1e12
    memory = torch.cuda.max_memory_allocated()
    keep(
        arguments, "large",
        f"large {way}, batch {batch}, {engine.settings.precision}: {rate:,.0f} samples/s (of {min(rates):,.0f} to "
        f"{max(rates):,.0f}), {1000 * batch / rate:.1f} ms a step, {tflops:.0f} TFLOP/s = {tflops / 989:.1%} of 989, "
        f"{memory / 2**30:.1f} GiB, start {first_s:.0f} s, loss {losses[0]:.3f} → {losses[-1]:.3f}",
        way=way, precision=engine.settings.precision, samples_per_s=rate, rates=rates, batch=batch, tokens=TOKENS,
        dropout=engine.settings.dropout,
        tflops=tflops, utilisation=tflops / 989, peak_memory_bytes=memory, first_s=first_s, losses=losses,
    )  # fmt: skip


def profile(arguments: argparse.Namespace, way: str) -> None:
    """Milliseconds a step by kernel, and how long the GPU waited for the next one."""
    import torch
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as watch

    engine, _, _ = an_engine(
        "large", "device=cuda", "data=synthetic", f"batch_size={BATCH}", *words_of(way), "max_steps=10000"
    )
    engine.train(0, 4)
    torch.cuda.synchronize()
    steps = 3
    with watch(activities=[ProfilerActivity.CUDA]) as seen:
        engine.train(4, 4 + steps)
        torch.cuda.synchronize()
    spent = {e.key: (e.self_device_time_total / 1000 / steps, e.count / steps) for e in seen.key_averages()}
    rows = sorted(spent.items(), key=lambda item: -item[1][0])
    busy = sum(ms for ms, _ in spent.values())
    lines = [f"    {ms:8.2f} ms {count:6.0f} ×  {name[:110]}" for name, (ms, count) in rows[:32]]
    keep(arguments, "profile", f"profile {way}: {busy:.1f} ms of kernels a step\n" + "\n".join(lines),
         way=way, busy_ms=busy, kernels=[[name, ms, count] for name, (ms, count) in rows[:60]])  # fmt: skip


def equivalence(arguments: argparse.Namespace, detail: str) -> None:
    """Losses of 200 steps: the plain model in true float32, or the fast path in bf16; same text and first weights."""
    import torch

    side, seed = detail.split("-")
    way = best(arguments)
    words = ["base", "device=cuda", "batch_size=64", "max_steps=200", "lr=1e-4", f"seed={seed}"]
    words += [f"data={arguments.text}"] if arguments.text else ["data=synthetic"]
    words += ["precision=fp32", "kernels=torch", "compile=off"] if side == "fp32" else words_of(way)
    engine, _, source = an_engine(*words)
    engine.train(0, 200)
    losses = engine.losses(0, 200)
    torch.cuda.synchronize()
    marks = " ".join(f"{statistics.mean(losses[i : i + 20]):.4f}" for i in (0, 60, 120, 180))
    keep(arguments, "equivalence", f"equivalence {side} seed {seed} ({engine.name}, {source.name}): {marks}",
         side=side, seed=int(seed), engine=engine.name, data=source.name, losses=losses)  # fmt: skip


def eight(arguments: argparse.Namespace, seeds: str) -> None:
    """Losses of 300 steps of `large` in bf16 and in fp8: same text, same first weights, same dropout."""
    import torch

    text, source = [f"data={arguments.text}"] if arguments.text else ["data=synthetic"], None
    for seed in seeds.split(","):
        for side in ("bf16", "fp8"):
            began = time.time()
            engine, _, source = an_engine(
                "large", "device=cuda", f"batch_size={EIGHT_BATCH}", f"max_steps={EIGHT_STEPS}", "lr=1e-4",
                f"seed={seed}", f"precision={side}", *text, source=source,
            )  # fmt: skip
            engine.train(0, EIGHT_STEPS)
            losses = list(engine.losses(0, EIGHT_STEPS))
            spent_s = time.time() - began
            marks = " ".join(f"{statistics.mean(losses[i : i + 20]):.4f}" for i in range(0, EIGHT_STEPS, 70))
            keep(arguments, "eight", f"eight {side} seed {seed} (batch {EIGHT_BATCH}, {source.name}): {marks}; "
                 f"{spent_s:.0f} s", side=side, seed=int(seed), data=source.name, losses=losses)  # fmt: skip
            del engine
            torch.cuda.empty_cache()
    compare(arguments, "eight", "bf16", "fp8")


def compare(
    arguments: argparse.Namespace, section: str = "equivalence", slow_side: str = "fp32", fast_side: str = "fast"
) -> None:
    """Means of the last 20 steps: is the difference between the sides larger than that between seeds?"""
    rows = kept(arguments, section)
    sides = {
        s: {r["seed"]: statistics.mean(r["losses"][-20:]) for r in rows if r["side"] == s}
        for s in (slow_side, fast_side)
    }
    if any(len(side) < 2 for side in sides.values()):
        print(f"{section}: too few runs to compare")
        return
    slow, fast = list(sides[slow_side].values()), list(sides[fast_side].values())
    between = statistics.mean(fast) - statistics.mean(slow)
    noise = (statistics.variance(slow) / len(slow) + statistics.variance(fast) / len(fast)) ** 0.5
    paired = [sides[fast_side][seed] - sides[slow_side][seed] for seed in sides[fast_side] if seed in sides[slow_side]]
    t = between / noise if noise else float("inf")
    verdict = "within noise" if abs(t) < 2.776 else "OUTSIDE noise"  # Student's t, 4 degrees of freedom, 5 %
    keep(
        arguments, "compare",
        f"{section}: {slow_side} {statistics.mean(slow):.4f} ± {statistics.stdev(slow):.4f}, "
        f"{fast_side} {statistics.mean(fast):.4f} ± {statistics.stdev(fast):.4f}; difference {between:+.4f}, "
        f"t = {t:.2f}: {verdict}; seed by seed {', '.join(f'{d:+.4f}' for d in paired)}",
        of=section, slow=slow, fast=fast, difference=between, t=t, verdict=verdict, paired=paired,
    )  # fmt: skip


def mnist(arguments: argparse.Namespace, precision: str) -> None:
    """Three trainings as a user starts them; `precision=tf32` is what only the engine `graph` has."""
    rows = [row for row in (train_mnist(arguments, precision, seed) for seed in range(3)) if row]
    if not rows:
        return
    epochs, right = ([float(row[name]) for row in rows if name in row] for name in ("epoch_s", "accuracy"))
    accuracies = f", accuracy after ten {', '.join(f'{100 * value:.2f}' for value in right)} %" if right else ""
    keep(
        arguments, "mnist",
        f"mnist batch 8 ({rows[0].get('engine')}, {rows[0].get('precision')}, {rows[0].get('data')}): "
        f"{statistics.median(epochs):.3f} s an epoch (of {min(epochs):.3f} to {max(epochs):.3f}){accuracies}",
        runs=rows,
    )  # fmt: skip


def train_mnist(arguments: argparse.Namespace, precision: str, seed: int) -> dict[str, str]:
    """What one run says of itself; nothing where it fails, which is said."""
    words = ["device=cuda", "epochs=10", f"seed={seed}", f"precision={precision}", f"data={arguments.mnist}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "assay_workloads.mnist", *words]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240, check=False)
    except subprocess.TimeoutExpired:
        print("# mnist: FAILED (too long)")
        return {}
    found = [line.split("=", 1) for line in done.stdout.splitlines() if line.startswith("  ") and "=" in line]
    figures = {name.strip(): value for name, value in found}
    if done.returncode or "epoch_s" not in figures:
        print(f"# mnist: FAILED ({done.returncode})\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
        return {}
    return figures


def tiny(arguments: argparse.Namespace, _: str) -> None:
    """The workload's own engines beside each other, three turns each; every call has other words."""
    import numpy
    import torch

    from assay_workloads.bert import BertConfig
    from assay_workloads.engines.base import Shape, build
    from assay_workloads.engines.classifier import Classifier

    torch.manual_seed(0)
    model = Classifier(BertConfig.tiny()).eval()
    with torch.no_grad():  # as far from its start as a trained one, so that a wrong weight shows
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
    shape, full = Shape(batch=1, length=TOKENS, padded=True), numpy.array([TOKENS])
    calls = [torch.randint(0, 30522, (1, TOKENS)).numpy() for _ in range(500)]
    with torch.inference_mode():
        expected = model(torch.as_tensor(numpy.concatenate(calls[:20]))).numpy()
    model = model.cuda()
    engines = {name: build(name, model, shape, device="cuda", threads=0) for name in ("cuda-kernel", "cuda-graph")}
    times: dict[str, list[list[float]]] = {name: [] for name in engines}
    for _ in range(3):
        for name, engine in engines.items():
            for ids in calls[:200]:
                engine(ids, full)
            times[name].append([])
            for ids in calls + calls:
                began = time.perf_counter()
                engine(ids, full)
                times[name][-1].append(1000 * (time.perf_counter() - began))
    for name, engine in engines.items():
        apart = max(float(numpy.abs(engine(ids, full) - row).max()) for ids, row in zip(calls, expected, strict=False))
        cut = statistics.quantiles([ms for turn in times[name] for ms in turn], n=100)
        turns = ", ".join(f"{statistics.median(turn):.4f}" for turn in times[name])
        keep(
            arguments, "tiny",
            f"tiny {name}: p50 {cut[49]:.4f} ms (turns {turns}), p90 {cut[89]:.4f}, p99 {cut[98]:.4f}; logits at most "
            f"{apart:.5f} from fp32: {'right' if apart < 0.02 else 'WRONG'}; ids and logits in memory of the host",
            engine=name, p50_ms=cut[49], p90_ms=cut[89], p99_ms=cut[98], apart=apart, right=apart < 0.02,
        )  # fmt: skip


if __name__ == "__main__":
    main()
