"""Stands in for Graphcore's MNIST tutorial where there is no IPU: same flags, same output, a CPU underneath.

It trains the tutorial's convolutional network for real, in PyTorch on the CPU, but on drawn digits instead of MNIST and
with one weight update a host step (an IPU does 50). So what it prints is no figure of an IPU, and it says so first: all
results are marked `simulated`. As on the real machine, a graph that was compiled before comes from the cache folder.
"""

import argparse
import os
import sys
import time

import numpy as np

try:
    import assay
except ImportError:  # it also runs with no one watching
    assay = None

IMAGES, DEVICE_ITERATIONS = 60000, 50


def bar(done, total, begin, text="", unit=""):
    spent = time.time() - begin
    filled = "█" * (10 * done // total) + " " * (10 - 10 * done // total)
    left = spent / done * (total - done) if done else 0
    rate = f", {spent / done:5.2f}s/it" if done and unit else ""
    clock = lambda s: f"{int(s) // 60:02d}:{int(s) % 60:02d}"  # noqa: E731
    sys.stdout.write(f"\r{text}{100 * done // total:4d}%|{filled}| {done}/{total} [{clock(spent)}<{clock(left)}{rate}]")
    sys.stdout.flush()


def digits(count, rng):
    """Ten drawn shapes, shifted and noisy: easy, but not trivial."""
    shapes = (np.random.default_rng(7).random((10, 7, 7)) > 0.5).astype(np.float32)
    labels = rng.integers(0, 10, count)
    images = np.kron(shapes[labels], np.ones((1, 3, 3), np.float32))  # 21 x 21
    canvas = np.zeros((count, 28, 28), np.float32)
    for index, (dy, dx) in enumerate(rng.integers(0, 8, (count, 2))):
        canvas[index, dy : dy + 21, dx : dx + 21] = images[index]
    return (canvas + rng.normal(0, 0.5, canvas.shape)).astype(np.float32)[:, None], labels


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--test-batch-size", type=int, default=80)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--lr", type=float, default=0.05)
    options = parser.parse_args()
    if assay:
        assay.how("simulated")
    import torch
    from torch import nn

    torch.set_num_threads(1)
    model = nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.MaxPool2d(2), nn.ReLU(),
        nn.Flatten(), nn.Linear(1600, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10), nn.Softmax(1),
    )  # fmt: skip
    optimizer = torch.optim.SGD(model.parameters(), lr=options.lr)
    rng = np.random.default_rng()
    images, labels = digits(4000, rng)
    steps = IMAGES // (DEVICE_ITERATIONS * options.batch_size)
    begin = time.time()
    bar(0, options.epochs, begin, "Epochs: ")
    compile_graph(options.batch_size)
    for epoch in range(options.epochs):
        epoch_begin = time.time()
        for step in range(steps):
            chosen = rng.integers(0, len(images), options.batch_size)
            output = model(torch.from_numpy(images[chosen]))
            wanted = torch.from_numpy(labels[chosen])
            loss = nn.functional.cross_entropy(output, wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            right = 100 * (output.argmax(1) == wanted).float().mean().item()
            if step % max(1, steps // 10) == 0 or step == steps - 1:
                bar(step + 1, steps, epoch_begin, f"Loss: {loss.item():.4f} | Accuracy: {right:.2f}% : ")
        print()
        bar(epoch + 1, options.epochs, begin, "Epochs: ", unit="s/it")
        print()
    model.eval()
    images, labels = digits(1000, rng)
    with torch.no_grad():
        right = (model(torch.from_numpy(images)).argmax(1).numpy() == labels).mean()
    print(f"Accuracy on test set: {100 * right:.2f}%")


def compile_graph(batch_size):
    folder = os.environ.get("POPTORCH_CACHE_DIR")
    cached = os.path.join(folder, f"graph-{batch_size}") if folder else None
    begin = time.time()
    if not (cached and os.path.exists(cached)):
        time.sleep(1.2)  # what an IPU's compiler would do for twenty seconds
        if cached:
            os.makedirs(folder, exist_ok=True)
            open(cached, "w").close()
    print()
    bar(100, 100, begin, "Graph compilation: ")
    print()


if __name__ == "__main__":
    main()
