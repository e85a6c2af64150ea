"""A script that logs one JSON object a line, as structured loggers do."""

import json
import math
import time

EPOCHS, STEPS, BATCH = 2, 30, 16
began = time.time()


def log(**values):
    now = round(time.time() - began, 4)
    print(json.dumps({"time": now, **values}), flush=True)
    return now


log(event="config", batch_size=BATCH, lr=0.001, epochs=EPOCHS, seed=7)
step = 0
for epoch in range(1, EPOCHS + 1):
    for _ in range(STEPS):
        step += 1
        time.sleep(0.003)
        loss = math.exp(-step / 20)
        if step % 10 == 0:
            rate = step * BATCH / (time.time() - began)
            log(event="train", step=step, epoch=epoch, loss=round(loss, 5), samples_per_sec=round(rate, 2))
    val_loss, val_acc = loss + 0.1, 1 - loss / 2
    last = log(event="eval", step=step, epoch=epoch, val_loss=round(val_loss, 5), val_acc=round(val_acc, 5))

truth = {
    "epochs": EPOCHS,
    "steps": step,
    "loss": round(loss, 5),
    "val_loss": round(val_loss, 5),
    "accuracy": round(val_acc, 5),
    "accuracy_of": "val",
    "samples_per_s": round(rate, 2),
    "params": {"batch_size": BATCH, "lr": 0.001, "epochs": EPOCHS, "seed": 7},
    "metrics": {"val_accuracy": round(val_acc, 5), "time": last},
}
with open("truth.json", "w") as file:
    json.dump(truth, file)
