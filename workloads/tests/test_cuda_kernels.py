"""The kernels in CUDA C++ compute what the plain path computes.

Without a GPU they run on the CPU: `cuda/cuda_on_cpu.h` stands in for the primitives that they are written in, every
thread of the sixteen blocks a fiber. With one, the same checks run there too.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy
import pytest
import torch

from assay_workloads import mnist, mnist_cluster, mnist_native, mnist_net
from assay_workloads.bert import BertConfig
from assay_workloads.building import CannotBuild, Library, library
from assay_workloads.cuda import build
from assay_workloads.data.mnist import Images, made_up
from assay_workloads.engines import cuda_kernel
from assay_workloads.engines.base import NotHere, Shape
from assay_workloads.engines.classifier import Classifier
from assay_workloads.parallel import World
from assay_workloads.settings import parse

torch.set_num_threads(1)
HERE, SOURCES = Path(__file__).parent / "cuda", Path(build.__file__).parent
ON_GPU = torch.cuda.is_available()
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not ON_GPU, reason="needs a GPU"))]
FLAGS = ["-std=c++17", "-O2", "-w", "-DASSAY_ON_CPU", f"-I{HERE}", "-x", "c++", "-fPIC", "-shared"]


def kernels(name: str, device: str) -> Library:
    if device == "cuda":
        return build.kernels(name)
    if shutil.which("g++") is None:
        pytest.skip("no C++ compiler")
    sources = [SOURCES / f"{name}.cu", SOURCES / "cluster.cuh", HERE / "cuda_on_cpu.h"]
    return library(f"emulated-{name}", ["g++"], FLAGS, sources, "")


@pytest.fixture(scope="module")
def images() -> Images:
    return made_up((28, 28), train=64, test=40)


def cluster(images: Images, device: str, *words: str) -> mnist_cluster.Cluster:
    found = kernels("mnist", device)
    build.fits(found, "mnist_prepare")
    settings = parse(mnist.Settings, ["device_iterations=2", "data=synthetic", "seed=3", f"device={device}", *words])
    engine = mnist_cluster.Cluster(found, settings, images, mnist.make_plan(settings, images, World()))
    engine.begin_epoch(0)
    return engine


def native(images: Images, *words: str) -> mnist_native.Native:
    found = mnist_native.build(needed=False)
    if found is None:
        pytest.skip("no C++ compiler")
    settings = parse(mnist.Settings, ["device_iterations=2", "data=synthetic", "seed=3", *words])
    engine = mnist_native.Native(found, settings, images, mnist.make_plan(settings, images, World()), World(), 1)
    engine.warm_up(8)
    engine.begin_epoch(0)
    return engine


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("double", [True, False])
def test_the_cluster_makes_the_updates_of_the_native_step(images: Images, device: str, double: bool) -> None:
    """Which is tested against autograd: same order, same dropout, so the same weights to rounding."""
    found, wanted = (of(images, *on, f"double_softmax={double}") for of, on in ((cluster, [device]), (native, [])))
    start = wanted.flat.clone()
    found.train(0, 2)
    found.train(2, 3)
    wanted.train(0, 3)
    for name, view in mnist_native._views(found.flat.cpu()).items():
        want, before = mnist_native._views(wanted.flat)[name], mnist_native._views(start)[name]
        assert (view - want).norm() <= 1e-4 * (want - before).norm(), name
    assert found.losses(0, 3) == pytest.approx(wanted.losses(0, 3), rel=1e-5)


@pytest.mark.skipif(not ON_GPU, reason="needs a GPU")
def test_two_trainings_on_a_gpu_are_the_same_bit_by_bit(images: Images) -> None:
    one, other = cluster(images, "cuda"), cluster(images, "cuda")
    for engine in (one, other):
        engine.train(0, 8)
    assert torch.equal(one.flat, other.flat)


def test_the_cluster_guesses_what_torch_guesses_and_keeps_its_weights_under_their_names(images: Images) -> None:
    engine = cluster(images, "cpu")
    net = mnist_net.Net().eval()
    net.load_state_dict({name.removeprefix("model."): value for name, value in engine.state().items()})
    x = mnist_net.normalised(torch.as_tensor(images.test_x))
    right = (net(x).argmax(1) == torch.as_tensor(images.test_y)).double().mean().item()
    assert engine.evaluate() == pytest.approx(right)
    before = engine.flat.clone()
    engine.load({name: value.clone() for name, value in engine.state().items()})
    assert torch.equal(engine.flat, before)


def test_a_batch_that_the_kernel_is_not_written_for_is_refused_with_the_reason() -> None:
    with pytest.raises(CannotBuild, match="written for batch 8, and this is batch 16"):
        mnist_cluster.load(16)


@pytest.mark.skipif(ON_GPU, reason="there is a GPU")
def test_a_machine_without_a_gpu_is_refused_with_the_reason() -> None:
    with pytest.raises(CannotBuild, match="there is no GPU"):
        mnist_cluster.load(8)


def test_a_source_that_does_not_compile_is_refused_with_the_compilers_words(tmp_path: Path) -> None:
    broken = tmp_path / "broken.cpp"
    broken.write_text("no C++ at all\n")
    with pytest.raises(CannotBuild, match=r"broken\.cpp"):
        library("broken", ["g++"], ["-shared"], [broken], "")


@pytest.fixture(scope="module")
def model() -> Classifier:
    torch.manual_seed(0)
    made = Classifier(BertConfig.tiny(vocab=3000)).eval()
    with torch.no_grad():  # as far from its start as a trained one, so that a wrong weight shows
        for parameter in made.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
    return made


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("computed", "real"), [(128, 128), (128, 20), (3, 3), (17, 17)])
def test_the_kernel_of_bert_tiny_gives_the_logits_of_plain_pytorch(
    model: Classifier, device: str, computed: int, real: int
) -> None:
    found = kernels("bert_tiny", device)
    build.fits(found, "tiny_prepare")
    engine = cuda_kernel.Kernel(found, model, device)
    ids = torch.randint(0, 3000, (1, computed), generator=torch.Generator().manual_seed(computed))
    with torch.inference_mode():
        wanted = model(ids, torch.tensor([real])).numpy()
    assert numpy.abs(engine(ids.numpy(), numpy.array([real])) - wanted).max() < 2e-3


def test_a_token_outside_the_vocabulary_is_an_error_and_not_an_answer(model: Classifier) -> None:
    engine = cuda_kernel.Kernel(kernels("bert_tiny", "cpu"), model, "cpu")
    with pytest.raises(RuntimeError, match="not of the vocabulary"):
        engine(numpy.array([[101, 3000, 102]]), None)


@pytest.mark.parametrize(
    ("config", "shape", "reason"),
    [
        (BertConfig.tiny(), Shape(batch=2, length=128, padded=True), "one sentence per call"),
        (BertConfig.tiny(), Shape(batch=1, length=256, padded=True), "at most 128 tokens"),
        (BertConfig.tiny(filter=256), Shape(batch=1, length=128, padded=True), "BERT-tiny"),
        (BertConfig.tiny(vocab=70000), Shape(batch=1, length=128, padded=True), "65,536 words"),
    ],
)
def test_what_the_kernel_of_bert_tiny_is_not_written_for_is_refused(
    config: BertConfig, shape: Shape, reason: str
) -> None:
    with pytest.raises(NotHere, match=reason):
        cuda_kernel.build(Classifier(config), shape, device="cuda", threads=0, precision="fp16")
