"""BERT-tiny on sentences: it learns, it goes on bit for bit, and its table is told to the recorder."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import torch
from conftest import Assay

from assay_workloads import checkpoint
from assay_workloads.bert import BertConfig
from assay_workloads.bert_classify import Settings, load_weights, main, some_of
from assay_workloads.classify_trainer import Trainer, rate
from assay_workloads.engines.classifier import Classifier
from assay_workloads.failure import BadSetting, Failure
from assay_workloads.parallel import World
from assay_workloads.sentences import order, padded
from assay_workloads.settings import parse

HERE = Path(__file__).parents[3] / "shared/data"
torch.set_num_threads(1)
MODULE = [sys.executable, "-m", "assay_workloads.bert_classify"]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*MODULE, "threads=1", *words], capture_output=True, text=True, check=False)


def test_the_order_of_an_epoch_is_the_seeds_and_no_sentence_comes_twice() -> None:
    lengths = [3 + n % 40 for n in range(1000)]
    batches = order(lengths, batch_size=7, seed=1, epoch=0)
    assert len(batches) == 1000 // 7
    assert max(Counter(index for batch in batches for index in batch).values()) == 1
    assert batches == order(lengths, batch_size=7, seed=1, epoch=0)
    assert batches != order(lengths, batch_size=7, seed=1, epoch=1)
    assert batches != order(lengths, batch_size=7, seed=2, epoch=0)
    spread = [max(lengths[i] for i in batch) - min(lengths[i] for i in batch) for batch in batches]
    assert sum(spread) / len(spread) < 5  # little is padded


def test_some_sentences_are_from_all_over_the_test_set() -> None:
    test = [([n], int(n < 50)) for n in range(100)]
    some = some_of(test, 10)
    assert (len(some), sum(label for _, label in some)) == (10, 5)
    assert some_of(test, 0) == some_of(test, 500) == test


def test_padding_is_recognised_by_lengths() -> None:
    ids, lengths = padded([[101, 7, 102], [101, 102]])
    assert ids.tolist() == [[101, 7, 102], [101, 102, 0]]
    assert lengths.tolist() == [3, 2]


def test_the_learning_rate_goes_up_then_down_to_nearly_nothing() -> None:
    rates = [rate(step, 100) for step in range(1, 101)]
    assert rates[0] == 0.1
    assert max(rates) == rates[9] == 1.0
    assert rates[9:] == sorted(rates[9:], reverse=True)
    assert 0 < rates[-1] < 0.02


def trainer(words: list[str]) -> Trainer:
    settings = parse(Settings, words)
    torch.manual_seed(settings.seed)
    model = Classifier(BertConfig.tiny(vocab=500))
    rows = [([101, *(100 + (n * k) % 300 for k in range(2 + n % 5)), 102], n % 2) for n in range(64)]
    return Trainer(model, rows, rows, settings, World(), total=8)


def test_a_training_that_was_stopped_goes_on_bit_for_bit() -> None:
    whole = trainer(["batch_size=8"])
    whole.begin_epoch(0)
    whole.train(0, 8)
    first = trainer(["batch_size=8"])
    first.begin_epoch(0)
    first.train(0, 3)
    kept = {name: value.clone() for name, value in first.state().items()}
    second = trainer(["batch_size=8"])
    torch.manual_seed(99)
    second.load(kept)
    second.warm_up(8)  # takes no random number of the training's
    second.begin_epoch(0)
    second.train(3, 8)
    assert second.losses(3, 8) == list(whole.losses(0, 8))[3:]
    assert all(torch.equal(a, b) for a, b in zip(whole.parameters(), second.parameters(), strict=True))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["engines=eager,onxruntime"], "no engine called `onxruntime`"),
        (["precision=tf32"], "exists on a GPU alone"),
        (["precision=fp16"], "`precision=fp16` is not possible"),
        (["seq_len=2"], "`seq_len=2` is impossible"),
        (["padding=some"], "`padding=some` is not possible"),
        (["inference_batch=0"], "is impossible"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_before_anything_starts(words: list[str], said: str) -> None:
    with pytest.raises(BadSetting, match=said) as caught:
        parse(Settings, words)
    assert caught.value.hint
    assert caught.value.exit_code == 2


def test_data_that_cannot_be_trained_on_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="a batch of 100000 is more than the 4000 sentences"):
        main(["data=synthetic", "batch_size=100000"])
    with pytest.raises(Failure, match="no sst data in") as caught:
        main([f"data={tmp_path}"])
    assert caught.value.hint
    with pytest.raises(Failure, match="no checkpoint in"):
        main(["data=synthetic", f"weights={tmp_path}"])
    if not torch.cuda.is_available():
        with pytest.raises(Failure, match="no CUDA GPU"):
            main(["data=synthetic", "device=cuda"])


def test_made_up_sentences_have_no_accuracy_and_every_engine_a_row(assay: Assay) -> None:
    words = ["data=synthetic", "max_steps=2", "sentences=20", "engines=onnxruntime", "seq_len=48", "threads=1"]
    done = assay("run", "-q", "--", *MODULE, *words)
    assert done.returncode == 0, done.stderr
    summary = assay.summary()
    assert summary["data"] == "synthetic"
    assert "accuracy" not in summary
    rows = [(row["engine"], row["padded"]) for row in summary["engines"]]
    assert rows == [("eager", True), ("onnxruntime", True), ("eager", False), ("onnxruntime", False)]
    assert all("accuracy" not in row for row in summary["engines"])
    fastest = min(summary["engines"][:2], key=lambda row: row["latency_ms"])
    assert (summary["engine"], summary["latency_ms"]) == (fastest["engine"], fastest["latency_ms"])
    assert summary["params"]["batch_size"] == 64
    assert {"load", "warmup", "train", "compile", "eval"} <= set(summary["phases"])
    calls = [one["e2e_ms"] for one in assay.events() if one["kind"] == "request"]  # of the fastest, one at a time
    assert len(calls) == 20 and sum(calls) / 20 == pytest.approx(summary["latency_ms"], rel=1e-3)
    assert b"token ids in host memory to logits in host memory" in assay("show", "--output").stdout
    assert b"onnxruntime  unpadded" in assay("show").stdout


@pytest.mark.skipif(not HERE.is_dir(), reason="no data at hand")
def test_it_learns_from_real_phrases_and_its_weights_can_be_measured_again(tmp_path: Path) -> None:
    """A seventh of an epoch: at least 70 % here, where the full training gets 80 %."""
    place = f"data={HERE}"
    done = run("demo", place, "engines=none", "checkpoint_every=1000", f"out={tmp_path}")
    assert done.returncode == 0, done.stderr
    accuracy = told(done.stdout, "  accuracy=")
    assert accuracy >= 0.70
    again = run(place, f"weights={tmp_path}", "engines=eager", "padding=unpadded")
    assert again.returncode == 0, again.stderr
    row = next(line for line in again.stdout.splitlines() if line.startswith("eager "))
    assert f"{100 * accuracy:.2f} %" in row
    finished = run("demo", place, "engines=none", "checkpoint_every=1000", f"out={tmp_path}", "--resume")
    assert (finished.returncode, "finished already at step 150" in finished.stdout) == (0, True)


def told(text: str, start: str) -> float:
    return float(next(line for line in text.splitlines() if line.startswith(start)).removeprefix(start))


@pytest.mark.parametrize(("trained_on", "refused"), [("rotten-tomatoes", True), ("sst", False), ("synthetic", False)])
def test_weights_are_not_tested_on_sentences_that_they_may_have_learnt(
    tmp_path: Path, trained_on: str, refused: bool
) -> None:
    trainer = Trainer(Classifier(BertConfig.tiny()), [([1, 2, 3], 0)] * 8, [], parse(Settings, []), World(), 1)
    trainer.begin_epoch(0)
    trainer.batches = [[0] * 8]
    trainer.train(0, 1)
    checkpoint.write(
        tmp_path / "checkpoint-00000001.safetensors",
        {name: tensor.detach() for name, tensor in trainer.state().items()},
        {"step": 1, "settings": {"data": trained_on}, "values": {}},
    )
    if not refused:
        load_weights(str(tmp_path), trainer, "sst")
        return
    with pytest.raises(BadSetting, match="was trained on rotten-tomatoes, and sst is at hand"):
        load_weights(str(tmp_path), trainer, "sst")
