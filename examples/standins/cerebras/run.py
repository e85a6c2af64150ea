"""Stands in for `run.py` of Cerebras' Model Zoo where there is no wafer: same flags, same log, a CPU underneath.

It trains a masked language model for real (PyTorch on the CPU: one transformer layer, 32 wide, 16 tokens of a made-up
language), at the batch size and for the steps that the parameter file says. What it prints is no figure of a wafer, and
it says so first: every result is marked `simulated`. A model_dir with a finished checkpoint fails as the real one does.
"""

import argparse
import glob
import json
import logging
import os
import time

try:
    import assay
except ImportError:
    assay = None

TOKENS, WORDS, WIDE = 16, 200, 32
logging.basicConfig(format="%(asctime)s %(levelname)s:   %(message)s", level=logging.INFO)
say = logging.info


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--params", required=True)
    parser.add_argument("--mode", default="train")
    parser.add_argument("--model_dir", default="model_dir")
    parser.add_argument("--compile_dir")
    parser.add_argument("--job_labels", nargs="*")
    parser.add_argument("--num_csx", type=int, default=1)
    parser.add_argument("--validate_only", action="store_true")
    options = parser.parse_args()
    if assay:
        assay.how("simulated")
    params = read(options.params)
    batch, steps = params["train_input"]["batch_size"], params["runconfig"]["max_steps"]
    say(f"Effective batch size is {batch}.")
    done = [int(path.rsplit("_", 1)[1].split(".")[0]) for path in glob.glob(f"{options.model_dir}/checkpoint_*.mdl")]
    say(f'Checkpoint autoloading is enabled. Looking for latest checkpoint in "{options.model_dir}" directory')
    if done and max(done) >= steps:
        raise RuntimeError(f"Initial global step {max(done)} already exceeds max step {steps}")
    say(f'No checkpoints were found in "{options.model_dir}".')
    say("Compiling the model. This may take a few minutes.")
    say("Initiating a new compile wsjob against the cluster server.")
    train_step = build(batch)
    say("Compile was successful!")
    if options.validate_only:
        return
    say("Programming Cerebras Wafer Scale Cluster for execution. This may take a few minutes.")
    say("About to send initial weights")
    say("Finished sending initial weights")
    say("Waiting for device programming to complete")
    say("Device programming is complete")
    say("Appliance staging is complete")
    say("Beginning appliance run")
    train(train_step, batch, steps, params["runconfig"].get("log_steps", 10))
    os.makedirs(options.model_dir, exist_ok=True)
    say(f"Saving checkpoint at step {steps}")
    with open(f"{options.model_dir}/checkpoint_{steps}.mdl", "w") as file:
        json.dump({"step": steps}, file)
    say(f"Saved checkpoint {options.model_dir}/checkpoint_{steps}.mdl")
    say("Training completed successfully!")


def train(train_step, batch, steps, every):
    begin = last = time.time()
    rate = None
    for step in range(1, steps + 1):
        loss = train_step()
        if step % every == 0 or step == steps:
            now = time.time()
            local = every * batch / (now - last)
            rate = local if rate is None else 0.6 * local + 0.4 * rate  # as the appliance smooths it
            overall = step * batch / (now - begin)
            say(f"| Train Device=CSX, Step={step}, Loss={loss:.5f}, Rate={rate:.2f} samples/sec, "
                f"GlobalRate={overall:.2f} samples/sec")  # fmt: skip
            last = now
    say(f"Processed {steps * batch} sample(s) in {time.time() - begin:.9f} seconds.")


def build(batch):
    """One step of a masked language model; words follow each other by a fixed rule, so there is something to learn."""
    import torch
    from torch import nn

    torch.set_num_threads(1)
    embed, layer, head = (nn.Embedding(WORDS + 1, WIDE),
                          nn.TransformerEncoderLayer(WIDE, 2, 64, dropout=0.0, batch_first=True),
                          nn.Linear(WIDE, WORDS))  # fmt: skip
    parameters = [*embed.parameters(), *layer.parameters(), *head.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=3e-3)

    def step():
        words = (torch.randint(0, WORDS, (batch, 1)) + 7 * torch.arange(TOKENS)) % WORDS
        at = torch.randint(0, TOKENS, (batch,))
        rows = torch.arange(batch)
        wanted = words[rows, at]
        hidden = words.clone()
        hidden[rows, at] = WORDS
        loss = nn.functional.cross_entropy(head(layer(embed(hidden))[rows, at]), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def read(path):
    """Two levels of `key: value`, which is all that the parameter files here have: no package is needed for it."""
    found, inner = {}, None
    with open(path) as file:
        for line in file:
            key, _, value = line.split("#")[0].rstrip().partition(":")
            if not key.strip():
                continue
            if not value.strip():
                inner = found.setdefault(key.strip(), {})
            else:
                text = value.strip().strip("'\"")
                (inner if key.startswith(" ") else found)[key.strip()] = int(text) if text.isdigit() else text
    return found


if __name__ == "__main__":
    main()
