"""Pretraining as a user starts it: real processes, small rows."""

import os
import re
import shutil
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from assay_workloads import bert_engine, bert_pretrain, bert_step  # noqa: E402
from assay_workloads.bert import BertConfig, BertForPretraining  # noqa: E402
from assay_workloads.failure import BadSetting, Failure  # noqa: E402
from assay_workloads.parallel import World  # noqa: E402
from assay_workloads.pretraining_data import Random  # noqa: E402
from assay_workloads.settings import parse  # noqa: E402

SMALL = ["data=synthetic", "seq_len=16", "predictions=3", "batch_size=4", "threads=1", "log_every=1"]
TEXT = Path(__file__).parents[2].parent / "shared" / "data"


def run(*words, **environment):
    command = [sys.executable, "-m", "assay_workloads.bert_pretrain", *words]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)


def losses_of(output):
    """(step, loss) of every line, as printed."""
    return dict(re.findall(r"^step (\d+)/\d+  loss ([\d.]+)", output, re.MULTILINE))


def an_engine(*words):
    """The workload's own, over a vocabulary of 200 words and a narrow model: milliseconds a step."""
    settings = parse(bert_pretrain.Settings, [*SMALL, "max_steps=50", *words])
    settings = replace(settings, precision="fp32" if settings.precision == "auto" else settings.precision)
    data = Random(vocab=200, length=settings.seq_len, predictions=settings.predictions, seed=settings.seed)
    plan = bert_pretrain.make_plan(settings, data, World())
    config = BertConfig(layers=2, hidden=32, heads=2, filter=64, vocab=200, dropout=settings.dropout)
    return bert_engine.Engine(settings, config, plan, data, None, World())


def test_a_killed_run_goes_on_with_the_same_losses_bit_for_bit(tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    steps = ["max_steps=4", "checkpoint_every=2", *SMALL]
    full = run(*steps, f"out={whole}")
    assert full.returncode == 0, full.stderr
    shutil.copytree(whole, cut)
    sorted((cut / "checkpoints").iterdir())[-1].unlink()  # as though killed after step 2
    again = run(*steps, f"out={cut}", "--resume")
    assert again.returncode == 0, again.stderr
    assert "resumed_at=2" in again.stdout
    ends = [sorted((folder / "checkpoints").iterdir())[-1] for folder in (whole, cut)]
    assert [end.name for end in ends] == ["checkpoint-00000004.safetensors"] * 2
    parts = [content[8 + int.from_bytes(content[:8], "little") :] for content in (end.read_bytes() for end in ends)]
    assert parts[0] == parts[1]  # every weight and both moments
    expected, found = losses_of(full.stdout), losses_of(again.stdout)
    assert found == {step: expected[step] for step in ("3", "4")}


def test_parts_of_a_batch_add_up_to_the_whole():
    whole, parts = an_engine("dropout=0"), an_engine("dropout=0", "accumulate=4")
    for engine in (whole, parts):
        engine.train(0, 3)
    assert whole.losses(0, 3) == pytest.approx(parts.losses(0, 3), rel=1e-5)


def test_two_processes_learn_what_one_learns(tmp_path):
    words = [*SMALL, "dropout=0", "max_steps=3"]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    environment = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    command = [sys.executable, "-m", "assay_workloads.bert_pretrain", *words]
    started = [
        subprocess.Popen(
            command, env={**os.environ, **environment, "RANK": rank, "LOCAL_RANK": rank}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for rank in "01"
    ]  # fmt: skip
    outputs = [process.communicate(timeout=300) for process in started]
    assert [process.returncode for process in started] == [0, 0], outputs[0][1]
    alone, together = losses_of(run(*words).stdout), losses_of(outputs[0][0])
    assert list(together) == ["1", "2", "3"] and not outputs[1][0]
    for step, loss in alone.items():
        assert float(together[step]) == pytest.approx(float(loss), abs=2e-4)


def test_the_learning_rate_rises_in_a_line_and_falls_to_zero():
    rates = [bert_engine.learning_rate(1.0, number, 20, 0.2) for number in range(20)]
    assert rates[:5] == pytest.approx([0.25, 0.5, 0.75, 1.0, 1.0])
    assert rates[-1] == pytest.approx(1 / 16) and rates[4:] == sorted(rates[4:], reverse=True)


def test_biases_and_norms_do_not_decay():
    with torch.device("meta"):
        model = BertForPretraining(BertConfig.tiny())
    matrices, others = bert_engine.optimiser(model, lr=1e-3, weight_decay=0.01).param_groups
    assert matrices["weight_decay"] == 0.01 and others["weight_decay"] == 0.0
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    assert all(re.search(r"bias|norm", names[id(parameter)]) for parameter in others["params"])
    assert not any(re.search(r"bias|norm", names[id(parameter)]) for parameter in matrices["params"])


def test_masks_from_a_hash_train_as_well_as_torchs_own():
    """Another way to drop: with the same share, so the losses of a few steps lie close."""
    usual, hashed = an_engine("kernels=torch"), an_engine("kernels=hash")
    for engine in (usual, hashed):
        engine.train(0, 4)
    assert hashed.losses(0, 4) == pytest.approx(usual.losses(0, 4), rel=0.02)
    keys = [part.key for part in hashed.model.modules() if isinstance(part, bert_step.HashDropout)]
    assert len(keys) == 5 and len({tuple(key.tolist()) for key in keys}) == 5


def test_bf16_on_a_cpu_is_near_fp32():
    fast, slow = an_engine("precision=bf16", "dropout=0"), an_engine("precision=fp32", "dropout=0")
    for engine in (fast, slow):
        engine.train(0, 3)
    assert fast.losses(0, 3) == pytest.approx(slow.losses(0, 3), rel=0.01)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["accumulate=3", "batch_size=4"], "not 3 equal parts"),
        (["predictions=14", "seq_len=16"], "more than the words"),
        (["kernels=triton"], "needs device=cuda"),
        (["precision=fp8"], "`precision=fp8` needs device=cuda"),
        (["precision=fp8", "device=cuda", "kernels=triton", "seq_len=128"], "needs precision=bf16"),
        (["precision=fp8", "device=cuda", "kernels=torch", "seq_len=128"], "`precision=fp8` needs kernels=auto"),
        (["precision=fp8", "device=cuda", "seq_len=256"], "`precision=fp8` needs seq_len=33 to 128"),
        (["precision=tf32"], "on a GPU alone"),
        (["sequence_len=128"], "did you mean `seq_len`"),
        (["dropout=1"], "impossible"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_starts(words, said):
    with pytest.raises(BadSetting) as caught:
        parse(bert_pretrain.Settings, words)
    assert said in f"{caught.value.message} {caught.value.hint}"


def test_fp8_is_refused_for_tokens_that_do_not_align():
    settings = parse(bert_pretrain.Settings, ["precision=fp8", "device=cuda", "seq_len=33", "batch_size=8"])
    data = Random(vocab=30522, length=33, predictions=3, seed=0)
    with pytest.raises(BadSetting, match="a multiple of 16 tokens"):
        bert_pretrain.make_plan(settings, data, World())
    assert bert_pretrain.make_plan(replace(settings, batch_size=16), data, World()).batch == 16


def test_fp8_says_which_gpu_it_needs(monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (8, 0))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "NVIDIA A100")
    with pytest.raises(Failure, match="needs a Hopper GPU, and this is `NVIDIA A100`"):
        bert_step.refuse_without_fp8(torch.device("cuda"))


def test_a_text_smaller_than_a_batch_is_refused(tmp_path):
    if not (TEXT / "bert-vocab").is_dir():
        pytest.skip("no vocabulary here")
    (tmp_path / "small.txt").write_text("One sentence. Another one.\n\nA second document. It ends.\n")
    (tmp_path / "vocab.txt").write_bytes((TEXT / "bert-vocab" / "vocab.txt").read_bytes())
    done = run(f"data={tmp_path}", "batch_size=64")
    assert done.returncode == 2 and "fewer than a batch" in done.stderr


def test_tiny_learns_real_text(tmp_path):
    """A small part of the bar (loss under 7.2 within 150 steps, docs/pretraining.md): 20 steps of a few articles."""
    text = TEXT / "wiki-text" / "wikitext-2-valid.txt"
    if not text.exists() or not (TEXT / "bert-vocab" / "vocab.txt").exists():
        pytest.skip("no text here")
    (tmp_path / "vocab.txt").symlink_to(TEXT / "bert-vocab" / "vocab.txt")
    (tmp_path / "text.txt").write_text("".join(text.open().readlines()[:900]))
    done = run(
        "tiny", f"data={tmp_path}", "max_steps=20", "batch_size=8", "seq_len=64", "lr=3e-3", "threads=1", "log_every=5"
    )
    assert done.returncode == 0, done.stderr
    losses = [float(loss) for loss in losses_of(done.stdout).values()]
    assert losses[0] > 9.5 and losses[-1] < 8.5
    assert re.search(r"^  accuracy=0\.\d+", done.stdout, re.MULTILINE)


def test_what_is_held_back_is_whole_documents_and_two_at_least():
    assert bert_pretrain.trained_on([0] * 50 + [1] * 50 + [2] * 50) == 150  # too few to hold some back
    assert bert_pretrain.trained_on([0] * 50 + [1] * 50 + [2] * 50 + [3] * 50) == 100
    many = [number // 2 for number in range(1280)]
    assert bert_pretrain.trained_on(many) == 1260


def test_there_is_no_accuracy_where_nothing_is_held_back(tmp_path):
    if not (TEXT / "bert-vocab").is_dir():
        pytest.skip("no vocabulary here")
    document = "The film was long. It was not good.\n" * 30
    place = tmp_path / "reviews"
    place.mkdir()
    (place / "few.txt").write_text(f"{document}\n{document}\n{document}")
    (place / "vocab.txt").write_bytes((TEXT / "bert-vocab" / "vocab.txt").read_bytes())
    command = [sys.executable, "-m", "assay_workloads.bert_pretrain", "data=.", "batch_size=4", "max_steps=1"]
    done = subprocess.run([*command, "threads=1"], cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "accuracy" not in done.stdout
    assert "  data=reviews\n" in done.stdout.partition("result:")[2]  # by its name, however it was pointed to
