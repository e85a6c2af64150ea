"""Logistic regression in numpy, printed the way of a popular text-classification tutorial."""

import json
import time

import numpy as np

rng = np.random.default_rng(3)
x = rng.normal(size=(3000, 12))
y = (x @ rng.normal(size=12) + 0.5 * rng.normal(size=3000) > 0).astype(float)
splits = {"train": slice(0, 2000), "val": slice(2000, 2500), "test": slice(2500, 3000)}
w, N_EPOCHS, BATCH_SIZE = np.zeros(12), 4, 50


def evaluate(split):
    p = 1 / (1 + np.exp(-x[splits[split]] @ w))
    t = y[splits[split]]
    return -np.mean(t * np.log(p) + (1 - t) * np.log(1 - p)), np.mean((p > 0.5) == t)


for epoch in range(N_EPOCHS):
    start_time = time.monotonic()
    for i in range(0, 2000, BATCH_SIZE):
        xb, yb = x[i : i + BATCH_SIZE], y[i : i + BATCH_SIZE]
        w += 0.1 * xb.T @ (yb - 1 / (1 + np.exp(-xb @ w))) / BATCH_SIZE
        time.sleep(0.001)
    train_loss, train_acc = evaluate("train")
    valid_loss, valid_acc = evaluate("val")
    took = time.monotonic() - start_time
    print(f"Epoch: {epoch + 1:02} | Epoch Time: {int(took // 60)}m {took % 60:.0f}s")
    print(f"\tTrain Loss: {train_loss:.3f} | Train Acc: {train_acc * 100:.2f}%")
    print(f"\t Val. Loss: {valid_loss:.3f} |  Val. Acc: {valid_acc * 100:.2f}%")
test_loss, test_acc = evaluate("test")
print(f"Test Loss: {test_loss:.3f} | Test Acc: {test_acc * 100:.2f}%")

truth = {
    "epochs": N_EPOCHS,
    "loss": float(f"{train_loss:.3f}"),
    "val_loss": float(f"{valid_loss:.3f}"),
    "test_loss": float(f"{test_loss:.3f}"),
    "accuracy": float(f"{test_acc * 100:.2f}") / 100,
    "accuracy_of": "test",
    "metrics": {
        "train_loss": float(f"{train_loss:.3f}"),
        "train_accuracy": round(float(f"{train_acc * 100:.2f}") / 100, 6),
        "val_accuracy": round(float(f"{valid_acc * 100:.2f}") / 100, 6),
        "test_accuracy": round(float(f"{test_acc * 100:.2f}") / 100, 6),
        "epoch_s": float(f"{took % 60:.0f}"),
    },
}
with open("truth.json", "w") as file:
    json.dump(truth, file)
