"""A loop under tqdm with the loss behind the bar, and a closing word on how long it took."""

import json
import math
import time

from tqdm import tqdm

epochs, batches = 3, 25
start, step = time.time(), 0
for epoch in range(epochs):
    progress = tqdm(range(batches), desc=f"Epoch {epoch + 1}/{epochs}")
    for _ in progress:
        step += 1
        time.sleep(0.003)
        loss = 2.3 * math.exp(-step / 30)
        progress.set_postfix(loss=f"{loss:.4f}")
    acc = 1 - loss / 3
    tqdm.write(f"epoch {epoch + 1}: val acc = {acc:.4f}")
seconds = time.time() - start
print(f"Done! Training took {int(seconds // 60)}m {seconds % 60:.1f}s")

truth = {
    "epochs": epochs,
    "steps": step,
    "loss": float(f"{loss:.4f}"),
    "accuracy": float(f"{acc:.4f}"),
    "accuracy_of": "val",
    "metrics": {"val_accuracy": float(f"{acc:.4f}")},
    "train_s": float(f"{seconds % 60:.1f}") + 60 * int(seconds // 60),
}
with open("truth.json", "w") as file:
    json.dump(truth, file)
