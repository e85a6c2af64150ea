"""What the Trainer of Hugging Face prints: dictionaries as it goes, and its tables of metrics at the end."""

import json
import math
import time

EXAMPLES, EVAL, BATCH, EPOCHS, LOGGING = 640, 160, 16, 3, 20
steps_per_epoch = EXAMPLES // BATCH
total = steps_per_epoch * EPOCHS

print("***** Running training *****")
print(f"  Num examples = {EXAMPLES:,}")
print(f"  Num Epochs = {EPOCHS:,}")
print(f"  Instantaneous batch size per device = {BATCH:,}")
print(f"  Total train batch size (w. parallel, distributed & accumulation) = {BATCH:,}")
print("  Gradient Accumulation steps = 1")
print(f"  Total optimization steps = {total:,}")
print("  Number of trainable parameters = 66,955,010")
start = time.perf_counter()
losses, window = [], []
for step in range(1, total + 1):
    time.sleep(0.002)
    window.append(0.7 * math.exp(-step / 60))
    losses.append(window[-1])
    if step % LOGGING == 0:
        loss, window = sum(window) / len(window), []
        lr = 5e-5 * (1 - step / total)
        print({"loss": round(loss, 4), "grad_norm": 1.73205, "learning_rate": lr, "epoch": step / steps_per_epoch})
    if step % steps_per_epoch == 0:
        tested = time.perf_counter()
        time.sleep(0.02)
        took = time.perf_counter() - tested
        evaluated = {
            "eval_loss": losses[-1] + 0.0712,
            "eval_accuracy": 1 - losses[-1] / 2,
            "eval_runtime": round(took, 4),
            "eval_samples_per_second": round(EVAL / took, 3),
            "eval_steps_per_second": round(EVAL / BATCH / took, 3),
            "epoch": step / steps_per_epoch,
        }
        print(evaluated)
seconds = time.perf_counter() - start
final = {
    "train_runtime": round(seconds, 4),
    "train_samples_per_second": round(EPOCHS * EXAMPLES / seconds, 3),
    "train_steps_per_second": round(total / seconds, 3),
    "train_loss": sum(losses) / len(losses),
    "epoch": float(EPOCHS),
}
print(final)

truth = {
    "epochs": EPOCHS,
    "steps": total,
    "samples": EPOCHS * EXAMPLES,
    "train_s": final["train_runtime"],
    "loss": round(loss, 4),
    "val_loss": evaluated["eval_loss"],
    "accuracy": evaluated["eval_accuracy"],
    "accuracy_of": "val",
    "samples_per_s": final["train_samples_per_second"],
    "samples_per_s_avg": final["train_samples_per_second"],
    "params": {"batch_size": BATCH, "epochs": EPOCHS, "max_steps": total, "grad_accum": 1},
    "metrics": {
        **{name: value for name, value in evaluated.items() if name != "epoch"},
        "train_loss": final["train_loss"],
        "train_steps_per_second": final["train_steps_per_second"],
        "grad_norm": 1.73205,
        "learning_rate": lr,
    },
}
with open("truth.json", "w") as file:
    json.dump(truth, file)
