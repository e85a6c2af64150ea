"""Engines: the same answers as plain PyTorch, whatever the shape, and a plain word where one cannot run."""

import copy
import importlib.util

import numpy
import pytest
import torch

from assay_workloads.bert import BertConfig
from assay_workloads.engines import ENGINES, base, table
from assay_workloads.engines.base import NotHere, Shape, build
from assay_workloads.engines.classifier import Classifier
from assay_workloads.engines.lean import Lean
from assay_workloads.engines.measure import Row, calls, measure

torch.set_num_threads(1)
#: how far the logits of a precision may lie from those of fp32, for logits of about 1
FAR = {"fp32": 1e-5, "bf16": 0.05, "int8": 0.05}
ON_CPU = [name for name, (_, needs, devices, _) in ENGINES.items() if "cpu" in devices and name != "compile"]
SENTENCES = [[101, *range(2000, 2000 + length), 102] for length in (1, 5, 11, 14, 3)]


@pytest.fixture(scope="module")
def model() -> Classifier:
    torch.manual_seed(0)
    made = Classifier(BertConfig.tiny(vocab=3000)).eval()
    with torch.no_grad():  # as far from its start as a trained one, so that a wrong weight shows
        for parameter in made.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
    return made


def plain(model: Classifier, sentence: list[int]) -> numpy.ndarray:
    with torch.inference_mode():
        return model(torch.tensor([sentence])).numpy()[0]


@pytest.mark.parametrize("shape", [
    Shape(batch=1, length=16, padded=False),
    Shape(batch=2, length=16, padded=True),
], ids=str)  # fmt: skip
@pytest.mark.parametrize("name", ON_CPU)
def test_an_engine_gives_the_logits_of_plain_pytorch(name: str, shape: Shape, model: Classifier) -> None:
    missing = [package for package in ENGINES[name][1] if importlib.util.find_spec(package) is None]
    if missing:
        pytest.skip(f"no {missing[0]} here")
    engine = build(name, model, shape, device="cpu", threads=1)
    found = numpy.concatenate([engine(ids, lengths).copy() for ids, lengths in calls(SENTENCES, shape)])
    for logits, sentence in zip(found, SENTENCES, strict=False):
        assert numpy.abs(logits - plain(model, sentence)).max() < FAR[ENGINES[name][3]]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
@pytest.mark.parametrize("padded", [True, False])
@pytest.mark.parametrize("name", ["eager", "compile", "cuda-graph", "cuda-kernel"])
def test_an_engine_of_a_gpu_gives_the_logits_of_plain_pytorch(name: str, padded: bool, model: Classifier) -> None:
    wanted = [plain(model, sentence) for sentence in SENTENCES]
    shape = Shape(batch=1, length=32, padded=padded)
    engine = build(name, copy.deepcopy(model), shape, device="cuda", threads=0)
    for (ids, lengths), logits in zip(calls(SENTENCES, shape), wanted, strict=True):
        assert numpy.abs(engine(ids, lengths) - logits).max() < 0.02


def test_the_lean_model_has_the_same_logits_and_leaves_the_weights_alone(model: Classifier) -> None:
    before = [parameter.clone() for parameter in model.parameters()]
    ids, lengths = torch.randint(1000, 2000, (3, 12)), torch.tensor([12, 5, 2])
    with torch.inference_mode():
        assert torch.allclose(Lean(model).eval()(ids, lengths), model(ids, lengths), atol=1e-5)
        assert torch.allclose(Lean(model).eval()(ids), model(ids), atol=1e-5)
    assert all(torch.equal(old, new) for old, new in zip(before, model.parameters(), strict=True))


def test_the_kernels_of_torch_compile_can_be_made(model: Classifier) -> None:
    """The graph that is compiled, without the minute that a C++ compiler takes."""
    step = torch.compile(Lean(model).eval(), fullgraph=True, dynamic=True, backend="aot_eager")
    with torch.inference_mode():
        for length in (5, 9):
            ids = torch.randint(1000, 2000, (1, length))
            assert torch.allclose(step(ids, None), model(ids), atol=1e-5)


def test_a_call_is_padded_to_the_full_length_or_to_its_longest() -> None:
    padded = calls(SENTENCES, Shape(batch=2, length=16, padded=True))
    assert [ids.shape for ids, _ in padded] == [(2, 16)] * 3
    assert padded[2][1].tolist() == [5, 1]  # the last call is filled up with a row that no one counts
    unpadded = calls(SENTENCES, Shape(batch=1, length=16, padded=False))
    assert [ids.shape[1] for ids, _ in unpadded] == [3, 7, 13, 16, 5]
    assert all(lengths is None for _, lengths in unpadded)


def test_a_row_counts_every_sentence_once(model: Classifier) -> None:
    right = [int(plain(model, sentence).argmax()) for sentence in SENTENCES]
    shape = Shape(batch=2, length=16, padded=True)
    row = measure("eager", model, SENTENCES, right, shape, device="cpu", threads=1)
    assert (row.accuracy, row.sentences, row.inference_batch) == (1.0, 5, 2)
    assert row.latency_p50_ms <= row.latency_p90_ms <= row.latency_p99_ms
    wrong = measure("eager", model, SENTENCES, [1 - label for label in right], shape, device="cpu", threads=1)
    assert wrong.accuracy == 0.0
    assert "accuracy" not in measure("eager", model, SENTENCES, None, shape, device="cpu", threads=1).values()


def test_an_engine_that_cannot_run_here_says_why(model: Classifier, monkeypatch: pytest.MonkeyPatch) -> None:
    shape = Shape(batch=1, length=16, padded=True)
    with pytest.raises(NotHere, match="runs on cuda"):
        build("cuda-graph", model, shape, device="cpu", threads=1)
    monkeypatch.setitem(
        base.ENGINES, "other", ("assay_workloads.engines.eager", ("no_such_package",), ("cpu",), "fp32")
    )
    with pytest.raises(NotHere, match="pip install no_such_package"):
        build("other", model, shape, device="cpu", threads=1)
    monkeypatch.setitem(base.ENGINES, "broken", ("assay_workloads.engines.eager", (), ("meta", "nowhere"), "fp32"))
    with pytest.raises(NotHere, match="RuntimeError"):
        build("broken", model, shape, device="nowhere", threads=1)


def test_an_engine_that_loses_accuracy_is_shown_and_not_counted() -> None:
    def row(accuracy: float) -> Row:
        figures = dict.fromkeys(
            ("latency_ms", "latency_p50_ms", "latency_p90_ms", "latency_p99_ms", "inferences_per_s", "build_s"), 1.0
        )
        counts = {"inference_batch": 1, "seq_len": 128, "threads": 1, "sentences": 9}
        return Row(engine="x", precision="int8", padded=True, accuracy=accuracy, **counts, **figures)  # type: ignore[arg-type]

    assert table.kept(row(0.8), row(0.802))
    assert not table.kept(row(0.8), row(0.804))
    assert "not counted" in table.line(row(0.8), row(0.804))
