"""A plain PyTorch loop, as in a first course: argparse, a print per epoch, the test accuracy at the end."""

import argparse
import json
import time

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=64)
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--lr", type=float, default=0.05)
args = parser.parse_args()

torch.manual_seed(0)
x = torch.randn(2560, 20)
y = (x[:, :5].sum(dim=1) + torch.randn(2560) > 0).long()
x_train, y_train, x_test, y_test = x[:2048], y[:2048], x[2048:], y[2048:]

model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
criterion = nn.CrossEntropyLoss()

print(f"Training on {len(x_train)} samples, testing on {len(x_test)} samples")
start = time.perf_counter()
for epoch in range(args.epochs):
    running, correct, seen = 0.0, 0, 0
    for i in range(0, len(x_train), args.batch_size):
        xb, yb = x_train[i : i + args.batch_size], y_train[i : i + args.batch_size]
        optimizer.zero_grad()
        out = model(xb)
        loss = criterion(out, yb)
        loss.backward()
        optimizer.step()
        running += loss.item() * len(xb)
        correct += (out.argmax(dim=1) == yb).sum().item()
        seen += len(xb)
    print(f"Epoch {epoch + 1}/{args.epochs}, Loss: {running / seen:.4f}, Accuracy: {100 * correct / seen:.2f}%")
seconds = time.perf_counter() - start
with torch.no_grad():
    test = (model(x_test).argmax(dim=1) == y_test).float().mean().item()

rate = args.epochs * len(x_train) / seconds
print(f"Training time: {seconds:.2f} s")
print(f"Throughput: {rate:.1f} samples/s")
print(f"Test Accuracy: {100 * test:.2f}%")

truth = {
    "epochs": args.epochs,
    "loss": float(f"{running / seen:.4f}"),
    "accuracy": float(f"{100 * test:.2f}") / 100,
    "accuracy_of": "test",
    "metrics": {
        "train_accuracy": round(float(f"{100 * correct / seen:.2f}") / 100, 6),
        "test_accuracy": round(float(f"{100 * test:.2f}") / 100, 6),
    },
    "train_s": float(f"{seconds:.2f}"),
    "samples_per_s": float(f"{rate:.1f}"),
    "samples_per_s_avg": float(f"{rate:.1f}"),
}
with open("truth.json", "w") as file:
    json.dump(truth, file)
