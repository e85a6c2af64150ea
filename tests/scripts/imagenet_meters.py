"""What the ImageNet example of PyTorch prints: meters with the value and, in brackets, the average."""

import json
import math
import time

EPOCHS, BATCHES, BATCH, VAL = 2, 20, 256, 5


def line(prefix, n, of, took, loss, losses, top1, top5):
    meters = [
        f"{prefix}[{n:2}/{of}]",
        f"Time {took:6.3f} ({took:6.3f})",
        f"Loss {loss:.4e} ({losses:.4e})",
        f"Acc@1 {top1:6.2f} ({top1 - 0.5:6.2f})",
        f"Acc@5 {top5:6.2f} ({top5 - 0.5:6.2f})",
    ]
    print("\t".join(meters), flush=True)


step = 0
for epoch in range(EPOCHS):
    total = 0.0
    for batch in range(1, BATCHES + 1):
        start = time.time()
        time.sleep(0.004)
        step += 1
        loss = 6.9 * math.exp(-step / 50)
        total += loss
        if batch % 5 == 0:
            line(
                f"Epoch: [{epoch}]", batch, BATCHES, time.time() - start, loss, total / batch, 10.0 + step, 30.0 + step
            )
    for batch in range(1, VAL + 1):
        if batch % 5 == 0:
            line("Test: ", batch, VAL, 0.011, loss + 0.3, loss + 0.4, 9.0 + step, 29.0 + step)
    acc1, acc5 = 8.125 + step, 28.25 + step
    print(f" *   Acc@1 {acc1:.3f} Acc@5 {acc5:.3f}", flush=True)

truth = {
    "epochs": EPOCHS,
    "steps": step,
    "loss": float(f"{loss:.4e}"),
    "test_loss": float(f"{loss + 0.4:.4e}"),
    "accuracy": acc1 / 100,
    "accuracy_of": "test",
    "metrics": {"test_accuracy": acc1 / 100, "train_accuracy": 0.5, "train_top5": 0.7, "test_top5": acc5 / 100},
}
with open("truth.json", "w") as file:
    json.dump(truth, file)
