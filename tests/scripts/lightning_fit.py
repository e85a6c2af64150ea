"""What a Lightning `trainer.fit` and `trainer.test` print: a table of layers, a bar per epoch, a table of the test."""

import json
import math
import sys
import time

EPOCHS, BATCHES = 3, 32
val_loss = val_acc = 0.0


def bar(text):
    sys.stderr.write("\r" + text)
    sys.stderr.flush()


print("GPU available: False, used: False")
print("TPU available: False, using: 0 TPU cores")
print("""
  | Name  | Type             | Params | Mode
---------------------------------------------------
0 | model | Sequential       | 50.4 K | train
1 | loss  | CrossEntropyLoss | 0      | train
---------------------------------------------------
50.4 K    Trainable params
0         Non-trainable params
50.4 K    Total params
0.202     Total estimated model params size (MB)""")
step = 0
for epoch in range(EPOCHS):
    start = time.perf_counter()
    for batch in range(1, BATCHES + 1):
        step += 1
        time.sleep(0.002)
        loss = 2 * math.exp(-step / 40)
        rate = batch / (time.perf_counter() - start)
        if batch % 8 == 0:
            done = 10 * batch // BATCHES
            blocks = "█" * done + " " * (10 - done)
            share, known = 100 * batch // BATCHES, f", val_loss={val_loss:.3f}, val_acc={val_acc:.3f}" if epoch else ""
            head = f"Epoch {epoch}: {share:3}%|{blocks}| {batch}/{BATCHES} [00:00<00:00, {rate:.2f}it/s, v_num=0"
            bar(f"{head}, train_loss={loss:.3f}{known}]")
    val_loss, val_acc = loss + 0.04, 1 - loss / 4
    bar(f"{head}, train_loss={loss:.3f}, val_loss={val_loss:.3f}, val_acc={val_acc:.3f}]")
sys.stderr.write("\n`Trainer.fit` stopped: `max_epochs=3` reached.\n")
test_loss, test_acc = loss + 0.07, 0.8765432
print("─" * 80)
print(f"{'Test metric':^40}{'DataLoader 0':^40}")
print("─" * 80)
print(f"{'test_acc':^40}{test_acc:^40}")
print(f"{'test_loss':^40}{test_loss:^40}")
print("─" * 80)

truth = {
    "epochs": EPOCHS,
    "steps": step,
    "loss": float(f"{loss:.3f}"),
    "val_loss": float(f"{val_loss:.3f}"),
    "test_loss": test_loss,
    "accuracy": test_acc,
    "accuracy_of": "test",
    "metrics": {
        "train_loss": float(f"{loss:.3f}"),
        "val_accuracy": float(f"{val_acc:.3f}"),
        "test_accuracy": test_acc,
    },
}
with open("truth.json", "w") as file:
    json.dump(truth, file)
