"""Stands in for SambaFlow's `transformers_hook.py` where there is no RDU: same commands, same output, a CPU underneath.

`compile` leaves a .pef; `run` trains for real (NumPy: a two-layer model of a made-up language), one process a task,
each with its own part of the data. What it prints is no figure of an RDU, and it says so first: every result is marked
`simulated`. As on the real machine `training_sequences_per_second` counts tokens.
"""

import argparse
import os
import time

import numpy as np

try:
    import assay
except ImportError:
    assay = None

WORDS, WIDE, TOKENS = 100, 32, 128


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("action", choices=["compile", "run"])
    parser.add_argument("-b", "--batch-size", type=int, default=256)
    parser.add_argument("-p", "--pef")
    parser.add_argument("--pef-name", default="bertlrg")
    parser.add_argument("--output-folder", default="out")
    parser.add_argument("--max_steps", type=int, default=100)
    parser.add_argument("--learning_rate", type=float, default=0.5)
    parser.add_argument("--max_seq_length", type=int, default=TOKENS)
    parser.add_argument("--module_name")
    parser.add_argument("--task_name")
    options = parser.parse_args()
    rank, tasks = int(os.environ.get("SLURM_PROCID", 0)), int(os.environ.get("SLURM_NTASKS", 1))
    if assay and (options.action == "compile" or rank == 0):
        assay.how("simulated")
    if options.action == "compile":
        compile_model(options)
    else:
        run(options, rank, tasks)


def compile_model(options):
    begin = time.time()
    print("COMPILE START AT 0", flush=True)
    folder = os.path.join(options.output_folder, options.pef_name)
    os.makedirs(folder, exist_ok=True)
    time.sleep(0.5)
    with open(os.path.join(folder, f"{options.pef_name}.pef"), "w") as file:
        file.write(f"batch size {options.batch_size}\n")
    print(f"COMPILE END AT {time.time() - begin:.0f}", flush=True)


def run(options, rank, tasks):
    if not (options.pef and os.path.exists(options.pef)):
        raise FileNotFoundError(options.pef)
    rng = np.random.default_rng(rank)
    embed, head = rng.normal(0, 0.1, (WORDS, WIDE)), rng.normal(0, 0.1, (WIDE, WORDS))
    begin, total = time.time(), 0.0
    for step in range(1, options.max_steps + 1):
        loss = update(embed, head, options, rng)
        total += loss
        if rank == 0 and (step % 5 == 0 or step == options.max_steps):
            print(f"epoch:0|local_step:{step}|global_step:{step}|average_loss:{total / step:.4f}|step_loss:{loss:.4f}"
                  f"|learning_rate:{options.learning_rate:.2e}", flush=True)  # fmt: skip
    if rank == 0:
        spent = time.time() - begin
        samples = options.max_steps * options.batch_size * tasks / spent
        print({"e2e_train_time": spent, "training_sequences_per_second": samples * TOKENS, "final_loss": loss,
               "training_samples_per_second": samples}, flush=True)  # fmt: skip


def update(embed, head, options, rng):
    """One step of gradient descent on the next word, which follows from this one by a fixed rule."""
    words = rng.integers(0, WORDS, options.batch_size)
    wanted = (words * 3 + 1) % WORDS
    hidden = embed[words]
    scores = hidden @ head
    scores -= scores.max(1, keepdims=True)
    share = np.exp(scores)
    share /= share.sum(1, keepdims=True)
    rows = np.arange(len(words))
    loss = -np.log(share[rows, wanted] + 1e-12).mean()
    share[rows, wanted] -= 1
    share /= len(words)
    back = share @ head.T
    head -= options.learning_rate * 20 * hidden.T @ share
    np.add.at(embed, words, -options.learning_rate * 20 * back)
    return float(loss)


if __name__ == "__main__":
    main()
