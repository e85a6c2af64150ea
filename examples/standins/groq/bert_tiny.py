"""Stands in for GroqFlow's BERT-tiny proof point where there is no GroqChip: same table, a CPU underneath.

It trains a small sentiment model for real (NumPy: averaged word vectors, on made-up sentences whose words lean one way)
and times its inference, sentence by sentence, on this CPU. What it prints is no figure of a GroqChip, and it says so
first: every result is marked `simulated`. It prints no on-chip columns: they are cycles of a chip that is not here.
"""

import time

import numpy as np

try:
    import assay
except ImportError:
    assay = None

WORDS, WIDE, LENGTH, SENTENCES = 400, 16, 20, 2210


def sentences(count, rng):
    labels = rng.integers(0, 2, count)
    lean = rng.integers(0, WORDS // 2, (count, LENGTH)) + (labels * WORDS // 2)[:, None]
    noise = rng.integers(0, WORDS, (count, LENGTH))
    return np.where(rng.random((count, LENGTH)) < 0.12, lean, noise), labels


def main():
    if assay:
        assay.how("simulated")
    print('Building model "bert_tiny"', flush=True)
    rng = np.random.default_rng()
    embed, head = rng.normal(0, 0.1, (WORDS, WIDE)), rng.normal(0, 0.1, WIDE)
    for _ in range(300):
        words, labels = sentences(64, rng)
        hidden = embed[words].mean(1)
        error = (1 / (1 + np.exp(-hidden @ head)) - labels) / len(labels)
        back = np.outer(error, head) / LENGTH
        head -= 20 * hidden.T @ error
        np.add.at(embed, words, -20 * back[:, None, :])
    words, labels = sentences(SENTENCES, rng)
    begin = time.perf_counter()
    right = sum(int((embed[one].mean(0) @ head > 0) == label) for one, label in zip(words, labels, strict=True))
    each_ms = 1e3 * (time.perf_counter() - begin) / SENTENCES
    line = "+--------+----------+-------------------------+----------------+"
    print(line)
    print("| Source | Accuracy | end-to-end latency (ms) | end-to-end IPS |")
    print(line)
    print(f"|  groq  |  {100 * right / SENTENCES:5.2f}%  |{each_ms:^25.4f}|{1e3 / each_ms:^16.2f}|")
    print(line, flush=True)


if __name__ == "__main__":
    main()
