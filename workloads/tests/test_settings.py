"""Settings are read from words and flags alike, and nothing impossible gets through."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, fields

import pytest

from assay_workloads.failure import BadSetting
from assay_workloads.mnist import Settings as Mnist
from assay_workloads.settings import Common, as_dict, fixed, help_text, parse, setting
from assay_workloads.svhn_mlp import Settings as Svhn


@pytest.mark.parametrize(
    "words",
    [
        ["batch_size=16", "lr=0.1"],
        ["--batch-size", "16", "--lr=0.1"],
        ["--batch_size=16", "--lr", "1e-1"],
        ["-b", "16", "batch-size=16", "LR=0.1"],
    ],
)
def test_words_and_flags_say_the_same(words: list[str]) -> None:
    settings = parse(Mnist, words)
    assert (settings.batch_size, settings.lr, settings.epochs) == (16, 0.1, 10)


def test_a_size_is_where_settings_start_from() -> None:
    demo = parse(Mnist, ["demo", "epochs=3"])
    assert (demo.size, demo.epochs, demo.train_samples) == ("demo", 3, 20000)
    assert parse(Mnist, []).train_samples == 0


def test_the_flags_of_the_assignment_are_understood() -> None:
    settings = parse(Svhn, ["-n", "2", "-np", "2", "-nr", "1", "--do_chkpt", "--batch_size", "32", "--out", "here"])
    assert (settings.num_nodes, settings.num_procs, settings.node_rank) == (2, 2, 1)
    assert (settings.do_chkpt, settings.batch_size) == (True, 32)


def test_a_flag_may_mean_something_alone() -> None:
    assert parse(Mnist, ["--out", "x", "--resume"]).resume == "out"
    assert parse(Mnist, ["--resume", "--out", "x"]).resume == "out"
    assert parse(Mnist, ["--resume", "some/folder"]).resume == "some/folder"
    assert parse(Mnist, ["--double-softmax", "false", "demo"]).double_softmax is False


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (["batchsize=8"], "no setting called `batchsize`", "did you mean `batch_size`?"),
        (["--epoch", "3"], "no setting called `epoch`", "did you mean `epochs`?"),
        (["demmo"], "`demmo` is not a setting", "did you mean `demo`?"),
        (["batch_size=0"], "`batch_size=0` is impossible", "batch_size is at least 1"),
        (["batch_size=-4"], "`batch_size=-4` is impossible", "batch_size is at least 1"),
        (["batch_size=many"], "`batch_size=many` is not a whole number", None),
        (["batch_size=1.5"], "`batch_size=1.5` is not a whole number", None),
        (["lr=nan"], "`lr=nan` is not a number", None),
        (["--lr", "-.5"], "`lr=-.5` is impossible", "lr is at least 0"),
        (["seed=3e9"], "`seed=3e9` is impossible", "seed is at most 2147483647"),
        (["threads=100000"], "`threads=100000` is impossible", "threads is at most 1024"),
        (["device=tpu"], "`device=tpu` is not possible", "did you mean `cpu`?"),
        (["double_softmax=maybe"], "`double_softmax=maybe` is not true or false", None),
        (["--lr"], "`lr` needs a value", None),
        (["checkpoint_every=5"], "checkpoints need a folder", "give one: --out FOLDER"),
        (["precision=tf32"], "`precision=tf32` exists on a GPU alone", "choose fp32, or device=cuda"),
    ],
)
def test_what_cannot_work_is_refused_with_a_hint(
    words: list[str], message: str, hint: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSAY_RUN", raising=False)
    with pytest.raises(BadSetting) as refused:
        parse(Mnist, words)
    assert (refused.value.message, refused.value.hint, refused.value.exit_code) == (message, hint, 2)


@pytest.mark.parametrize("module", ["mnist", "bert_pretrain"])
def test_the_help_names_the_line_that_was_typed(module: str) -> None:
    words = [sys.executable, "-m", f"assay_workloads.{module}", "--help"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"usage: python -m assay_workloads.{module} ")


def test_the_help_names_every_setting() -> None:
    text = help_text(Svhn)
    assert all("--" + item.name.replace("_", "-") in text for item in fields(Svhn))


def test_what_may_change_on_resuming_is_marked() -> None:
    kept = fixed(parse(Mnist, ["--out", "x"]))
    assert "batch_size" in kept and "seed" in kept
    assert not {"out", "resume", "log_every", "checkpoint_every"} & set(kept)


def test_a_workload_may_add_settings_of_any_kind() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Own(Common):
        flavour: str = setting("plain", "a word")
        ratio: float = setting(0.5, "a number")

    assert as_dict(parse(Own, ["flavour=a=b", "ratio=1"]))["flavour"] == "a=b"


@pytest.mark.parametrize("module", ["mnist", "svhn_mlp", "bert_pretrain", "bert_classify"])
def test_a_workload_declares_its_settings_without_loading_torch(module: str) -> None:
    code = f"import sys, assay_workloads.{module} as m; m.Settings; m.main; assert 'torch' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
