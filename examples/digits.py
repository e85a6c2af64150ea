"""Train a small network on real handwritten digits with numpy alone: the program that `make demo` measures.

1,797 scans of 8 × 8 (scikit-learn's copy of the UCI optical digits), three quarters to train on, one quarter to test.
Shows how a program reports to Assay: its settings, phases, figures of a step, and the result.
"""

import argparse

import assay

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--epochs", type=int, default=60)
parser.add_argument("--seed", type=int, default=0)
options = parser.parse_args()
assay.params(**vars(options))
print("in effect:", ", ".join(f"{name}={value}" for name, value in vars(options).items()), flush=True)

with assay.phase("load"):
    import numpy as np
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    rng = np.random.default_rng(options.seed)
    order = rng.permutation(len(images))
    images, labels = images[order] / 16, labels[order]
    cut = len(images) * 3 // 4

w1, b1 = rng.normal(0, 0.2, (64, 128)), np.zeros(128)
w2, b2 = rng.normal(0, 0.1, (128, 10)), np.zeros(10)


def forward(x):
    hidden = np.maximum(0, x @ w1 + b1)
    logits = hidden @ w2 + b2
    scores = np.exp(logits - logits.max(1, keepdims=True))
    return hidden, scores / scores.sum(1, keepdims=True)


with assay.phase("train"):
    step = samples = 0
    for epoch in range(options.epochs):
        for start in range(0, cut - options.batch_size + 1, options.batch_size):
            x, y = images[start : start + options.batch_size], labels[start : start + options.batch_size]
            hidden, chances = forward(x)
            loss = -np.log(chances[np.arange(len(y)), y]).mean()
            gradient = chances.copy()
            gradient[np.arange(len(y)), y] -= 1
            gradient /= len(y)
            back = (gradient @ w2.T) * (hidden > 0)
            w2 -= options.lr * hidden.T @ gradient
            b2 -= options.lr * gradient.sum(0)
            w1 -= options.lr * x.T @ back
            b1 -= options.lr * back.sum(0)
            step, samples = step + 1, samples + len(y)
            if step % 20 == 0:
                assay.log(step=step, epoch=epoch, loss=loss, samples=samples)
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: loss {loss:.4f}", flush=True)

with assay.phase("eval"):
    accuracy = (forward(images[cut:])[1].argmax(1) == labels[cut:]).mean()
assay.result(accuracy=accuracy, epochs=options.epochs, samples=samples)
print(f"accuracy on {len(images) - cut} digits not trained on: {100 * accuracy:.2f} %")
