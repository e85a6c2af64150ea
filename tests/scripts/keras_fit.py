"""What `model.fit(..., validation_split=0.2)` and `model.evaluate` of Keras 3 print, with Keras's own bars."""

import json
import math
import random
import sys
import time

EPOCHS, STEPS, BATCH, TEST_STEPS = 3, 40, 32, 8
random.seed(1)
BAR = 20


def bar(now, total, seconds, logs):
    done = BAR * now // total
    digits = len(str(total))
    line = f"\x1b[1m{now:>{digits}}/{total}\x1b[0m \x1b[32m{'━' * done}\x1b[0m\x1b[37m{'━' * (BAR - done)}\x1b[0m "
    line += f"\x1b[1m0s\x1b[0m {1000 * seconds / now:.0f}ms/step"
    return line + "".join(f" - {name}: {value:.4f}" for name, value in logs.items())


def out(text):
    sys.stdout.write(text)
    sys.stdout.flush()


weight, samples = 0.0, 0
for epoch in range(EPOCHS):
    out(f"Epoch {epoch + 1}/{EPOCHS}\n")
    start, losses, hits = time.perf_counter(), [], []
    for step in range(1, STEPS + 1):
        weight += 0.02
        time.sleep(0.001)
        losses.append(math.exp(-weight) + random.uniform(0, 0.05))
        hits.append(1 - losses[-1] / 2)
        logs = {"accuracy": sum(hits) / step, "loss": sum(losses) / step}
        samples += BATCH
        if step % 10 == 0 and step < STEPS:
            out("\r" + bar(step, STEPS, time.perf_counter() - start, logs))
    logs |= {"val_accuracy": 1 - math.exp(-weight) / 2 - 0.03, "val_loss": math.exp(-weight) + 0.06}
    out("\r" + bar(STEPS, STEPS, time.perf_counter() - start, logs) + "\n")
start = time.perf_counter()
test = {"accuracy": 1 - math.exp(-weight) / 2 - 0.05, "loss": math.exp(-weight) + 0.09}
out("\r" + bar(TEST_STEPS, TEST_STEPS, time.perf_counter() - start, test) + "\n")
print("Test loss:", test["loss"])
print("Test accuracy:", test["accuracy"])

truth = {
    "epochs": EPOCHS,
    "steps": EPOCHS * STEPS,
    "loss": float(f"{logs['loss']:.4f}"),
    "val_loss": float(f"{logs['val_loss']:.4f}"),
    "test_loss": test["loss"],
    "accuracy": test["accuracy"],
    "accuracy_of": "test",
    "metrics": {
        "train_accuracy": float(f"{logs['accuracy']:.4f}"),
        "val_accuracy": float(f"{logs['val_accuracy']:.4f}"),
        "test_accuracy": test["accuracy"],
    },
}
with open("truth.json", "w") as file:
    json.dump(truth, file)
