"""What fastai's `learn.fit_one_cycle(3)` prints in a terminal, then what `learn.validate()` is printed as."""

import json
import math
import time

EPOCHS, BATCHES = 3, 20

print(f"{'epoch':<10}{'train_loss':<12}{'valid_loss':<12}{'accuracy':<10}{'time':<10}")
step = 0
for epoch in range(EPOCHS):
    start = time.perf_counter()
    for _ in range(BATCHES):
        step += 1
        time.sleep(0.003)
    train_loss = 1.2 * math.exp(-step / 25)
    valid_loss, accuracy = train_loss + 0.051234, 1 - train_loss / 3
    took = time.perf_counter() - start
    clock = f"{int(took) // 60:02}:{int(took) % 60:02}"
    print(f"{epoch:<10}{train_loss:<12.6f}{valid_loss:<12.6f}{accuracy:<10.6f}{clock:<10}")

truth = {
    "epochs": EPOCHS,
    "loss": float(f"{train_loss:.6f}"),
    "val_loss": float(f"{valid_loss:.6f}"),
    "accuracy": float(f"{accuracy:.6f}"),
    "accuracy_of": "val",
    "metrics": {"train_loss": float(f"{train_loss:.6f}"), "val_accuracy": float(f"{accuracy:.6f}")},
}
with open("truth.json", "w") as file:
    json.dump(truth, file)
