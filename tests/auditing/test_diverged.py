"""Training that fell apart, and training that did not."""

from __future__ import annotations

from pathlib import Path

from judged import Pages, codes, examples, judged, left_alone
from logs import cerebras, mnist, page, sambanova

from assay.auditing.audit import judge, load

RAISED: dict[str, Pages] = {
    "chance": page("# Graphcore", mnist(20, accuracy=9.80), "The learning rate of 0.3 gives a lower accuracy."),
    "called overfitting": page(
        "# Graphcore",
        "10 epochs: accuracy on test set: 97.67%",
        "30 epochs: accuracy on test set: 9.58%",
        "The model overfits with more epochs.",
    ),
    "a log alone": {"mnist_lr0.3.log": mnist(20, accuracy=10.10)},
    "a loss that rose to stay": {
        "bert.log": cerebras(1024, losses=[9.4, 8.1, 7.4, 7.2, 9.9, 11.2, 11.3, 11.2, 11.4, 11.3])
    },
    "not a number": {"bert.log": cerebras(1024, losses=[9.4, 8.1, 7.4] + [float("nan")] * 7)},
    "a table": "# Graphcore MNIST\n\n| learning rate | accuracy |\n|---|---|\n| 0.05 | 98.10% |\n| 0.5 | 9.80% |\n\nThe large rate overfits.\n",
}

#: at chance, and its author does not call that overfitting
NOT_CALLED: dict[str, Pages] = {
    "denied": page("# Graphcore", mnist(20, accuracy=9.8), "This is not overfitting, it is divergence."),
    "rather than": page("# Graphcore", mnist(20, accuracy=9.8), "It is like guessing rather than overfitting."),
    "asked": page("# Graphcore", mnist(20, accuracy=9.8), "Could this be overfitting?"),
    "supposed": page("# Graphcore", mnist(20, accuracy=9.8), "I would expect overfitting with more epochs."),
    "of another run": page(
        "# Graphcore",
        "10 epochs:",
        mnist(10, accuracy=98.2),
        "20 epochs:",
        mnist(20, accuracy=9.8, job=2),
        "The run of 10 epochs shows a little overfitting.",
    ),
}

NOT_RAISED: dict[str, Pages] = {
    "a poor accuracy": page("# Graphcore", mnist(20, accuracy=80.49)),
    "the first step of a good run": {"mnist.log": mnist(10, accuracy=98.2)},
    "a bump": {"esm.log": cerebras(1024, losses=[9.4, 8.1, 7.4, 8.9, 9.6, 8.0, 7.3, 7.1, 7.0, 6.9])},
    "noise at the end": {"bert.log": cerebras(1024, losses=[9.4, 8.1, 7.4, 7.3, 7.2, 7.15, 7.1, 7.05, 7.04, 7.11])},
    "tokens are harder than digits": {
        "eval.log": "2025-10-02 10:00:00,000 INFO:   | Eval Device=CSX, GlobalStep=400, Batch=100, Loss=5.92817, Rate=60.1 samples/sec, GlobalRate=60.1 samples/sec\n2025-10-02 10:00:01,000 INFO:   - eval/accuracy = 0.10977\n2025-10-02 10:00:01,100 INFO:   - eval/lm_perplexity = 375.47\n"
    },
    "a gain of ten per cent": page(
        "# Graphcore", mnist(10, accuracy=98.2), "The accuracy is 10% higher than I expected."
    ),
    "a loss that recovers": {
        "bert.log": cerebras(1024, losses=[9.4, 8.1, float("nan"), 7.9, 7.6, 7.4, 7.3, 7.2, 7.1, 7.0])
    },
    "a flat loss": {"samba.log": sambanova(16, 452, 8.25)},
}


@examples(RAISED)
def test_training_that_diverged_is_named(tmp_path: Path, pages: Pages) -> None:
    assert "diverged" in codes(tmp_path, pages)


@examples(NOT_RAISED)
def test_training_that_did_not_is_left_alone(tmp_path: Path, pages: Pages) -> None:
    left_alone(tmp_path, pages, "diverged")


def test_a_run_that_has_only_begun_to_learn_is_not_said_to_have_diverged(tmp_path: Path) -> None:
    lines = [f"step={step} loss={2.303 - step / 10000}" for step in (10, 20, 30)]
    (finding,) = judged(tmp_path, {"mnist.log": "\n".join([*lines, "accuracy=0.1135"]) + "\n"})
    assert finding.message.endswith("is chance: nothing was learned yet, though the loss falls")


def test_a_loss_that_became_nan_is_not_replaced_by_the_last_valid_one(tmp_path: Path) -> None:
    nan = float("nan")
    (tmp_path / "bs512.log").write_text(cerebras(512, losses=[9.4, 8.6, 7.9, nan, nan, nan, nan, nan, nan, nan]))
    (case,), _ = load([str(tmp_path / "bs512.log")], tmp_path / "runs")
    assert case.runs[0].value("loss") is None
    assert [(one.code, one.severity) for one in judge([case])] == [("diverged", "wrong")]


@examples(NOT_CALLED)
def test_a_page_that_does_not_call_it_overfitting_is_not_accused_of_it(pages: Pages, tmp_path: Path) -> None:
    found = [one for one in judged(tmp_path, pages) if one.code == "diverged"]
    assert [one.severity for one in found] == ["doubtful"]
    assert "overfitting" not in found[0].message
