"""A small language model in the manner of nanoGPT: a line per iteration, train and val loss every so often."""

import json
import math
import time

batch_size, block_size, gradient_accumulation_steps = 12, 64, 2
max_iters, eval_interval, log_interval = 60, 20, 5
tokens_per_iter = gradient_accumulation_steps * batch_size * block_size

print(f"tokens per iteration will be: {tokens_per_iter:,}")
print("found vocab_size = 65 (inside data/shakespeare_char/meta.pkl)")
print("Initializing a new model from scratch")
print("number of parameters: 0.80M")
print("num decayed parameter tensors: 18, with 802,944 parameters")
t0 = time.time()
for iter_num in range(max_iters + 1):
    loss = 1.5 + 2.7 * math.exp(-iter_num / 30)
    if iter_num % eval_interval == 0:
        train_loss, val_loss = loss + 0.013, loss + 0.0821
        print(f"step {iter_num}: train loss {train_loss:.4f}, val loss {val_loss:.4f}")
        if iter_num:
            print("saving checkpoint to out-shakespeare-char")
    time.sleep(0.005)
    t1 = time.time()
    dt, t0 = t1 - t0, t1
    if iter_num % log_interval == 0:
        mfu = 0.0123 if iter_num >= 25 else -1.0
        print(f"iter {iter_num}: loss {loss:.4f}, time {dt * 1000:.2f}ms, mfu {mfu * 100:.2f}%", flush=True)

truth = {
    "steps": max_iters,
    "loss": float(f"{loss:.4f}"),
    "val_loss": float(f"{val_loss:.4f}"),
    "mfu": 0.0123,
    "tokens": max_iters * tokens_per_iter,
    "metrics": {"train_loss": float(f"{train_loss:.4f}"), "step_ms": float(f"{dt * 1000:.2f}")},
}
with open("truth.json", "w") as file:
    json.dump(truth, file)
