"""The MNIST CNN: its engines compute the same, and what it says of itself is true."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from assay_workloads import mnist, mnist_graph, mnist_native, mnist_net
from assay_workloads.data.mnist import Images, made_up
from assay_workloads.eager import order_of
from assay_workloads.parallel import World
from assay_workloads.plan import Plan
from assay_workloads.settings import parse

torch.set_num_threads(1)
ALONE = World()


@pytest.fixture(scope="module")
def images() -> Images:
    return made_up((28, 28), train=64, test=40)


@pytest.fixture(scope="module")
def library() -> mnist_native.Library:
    built = mnist_native.build(needed=False)
    if built is None:
        pytest.skip("no C++ compiler")
    return built


def settings(*words: str) -> mnist.Settings:
    return parse(mnist.Settings, ["device_iterations=2", "data=synthetic", *words])


def plan_of(chosen: mnist.Settings, images: Images) -> Plan:
    return mnist.make_plan(chosen, images, ALONE)


def native(library: Any, images: Images, *words: str, threads: int = 1, world: World = ALONE) -> mnist_native.Native:
    chosen = settings(*words)
    plan = mnist.make_plan(chosen, images, world)
    engine = mnist_native.Native(library, chosen, images, plan, world, threads)
    engine.warm_up(plan.batch)
    return engine


def torch_gradients(flat: Any, images: Images, engine: mnist_native.Native, step: int, double: bool) -> Any:
    """By autograd, with the very units dropped that the engine drops."""
    net = mnist_net.Net()
    net.load_state_dict(mnist_native.unpack(flat))
    chosen = engine.order[step]
    x = ((torch.as_tensor(images.train_x)[chosen].unsqueeze(1) / 255) - mnist_net.MEAN) / mnist_net.STD
    keep = torch.tensor(
        [[0.0 if dropped(engine.settings.seed, step, b, j) else 2.0 for j in range(128)] for b in range(len(x))]
    )
    loss = mnist_net.loss_of(net(x, keep), torch.as_tensor(images.train_y).long()[chosen], double)
    loss.backward()
    return loss.item(), mnist_native.pack({name: weight.grad for name, weight in net.named_parameters()})


def dropped(seed: int, step: int, sample: int, unit: int) -> bool:
    def mixed(x: int) -> int:
        x = (x + 0x9E3779B97F4A7C15) % 2**64
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
        return x ^ (x >> 31)

    return bool(
        mixed((mixed((seed * 0x100000001B3 + step) % 2**64) + sample * 2 + unit // 64) % 2**64) >> unit % 64 & 1
    )


@pytest.mark.parametrize(("batch", "threads"), [(8, 1), (8, 2), (8, 3), (1, 1), (3, 2), (13, 2), (20, 8)])
@pytest.mark.parametrize("double", [True, False])
def test_the_native_gradient_is_autograds(library: Any, images: Images, batch: int, threads: int, double: bool) -> None:
    words = [f"batch_size={batch}", f"double_softmax={double}", "seed=3"]
    engine = native(library, images, *words, threads=threads)
    engine.begin_epoch(0)
    gradient = torch.zeros_like(engine.flat)
    loss = engine._call(engine.order[1], 1, 1, gradient)
    expected_loss, expected = torch_gradients(engine.flat, images, engine, 1, double)
    assert loss.item() == pytest.approx(expected_loss, rel=1e-5)
    for name, view in mnist_native._views(gradient).items():
        want = mnist_native._views(expected)[name]
        assert (view - want).norm() <= 1e-5 * want.norm(), name


@pytest.mark.parametrize("threads", [1, 2])
def test_many_updates_in_one_call_are_those_made_one_by_one(library: Any, images: Images, threads: int) -> None:
    together, single = native(library, images, threads=threads), native(library, images, threads=threads)
    gradient = torch.zeros_like(single.flat)
    for engine in (together, single):
        engine.begin_epoch(0)
    together.train(0, 8)
    for step in range(8):
        single._call(single.order[step], 1, step, gradient)
        single.flat.add_(gradient, alpha=-0.05)
    assert torch.allclose(together.flat, single.flat, rtol=1e-5, atol=1e-7)


def test_the_native_engine_guesses_what_torch_guesses(library: Any) -> None:
    images = made_up((28, 28), train=16, test=131)
    engine = native(library, images, threads=2)
    net = mnist_net.Net().eval()
    net.load_state_dict(mnist_native.unpack(engine.flat))
    x = ((torch.as_tensor(images.test_x).unsqueeze(1) / 255) - mnist_net.MEAN) / mnist_net.STD
    right = (net(x).argmax(1) == torch.as_tensor(images.test_y)).double().mean().item()
    assert engine.evaluate() == pytest.approx(right)


def test_half_of_the_units_are_dropped_and_never_the_same_ones() -> None:
    masks = {tuple(dropped(0, step, 0, unit) for unit in range(128)) for step in range(40)}
    assert len(masks) == 40
    share = sum(map(sum, masks)) / (40 * 128)
    assert 0.45 < share < 0.55


def test_packing_changes_no_bit() -> None:
    state = mnist_net.Net().state_dict()
    back = mnist_native.unpack(mnist_native.pack(state))
    assert all(torch.equal(back[name], state[name]) for name in state)
    assert sum(value.numel() for value in state.values()) == 225_034


def test_the_body_of_the_graph_makes_the_updates_of_plain_torch(images: Images) -> None:
    chosen = settings("batch_size=8", "compile=off")
    plan = plan_of(chosen, images)
    graph = mnist_graph.Graph(chosen, images, plan)
    start = [weight.detach().clone() for weight in graph.weights]
    graph.warm_up(8)
    assert all(torch.equal(a, b) for a, b in zip(start, graph.weights, strict=True))
    graph.begin_epoch(0)
    state = torch.get_rng_state()
    graph.train(0, 2)
    graph.train(2, 4)
    net = mnist_net.Net()
    torch.set_rng_state(state)
    net.load_state_dict(dict(zip(net.state_dict(), start, strict=True)))
    optimiser = torch.optim.SGD(net.parameters(), lr=0.05)
    order, losses = order_of(0, 0, 64), []
    for host_step in range(2):
        keep = (torch.rand(16, 128) < 0.5).float() * 2
        for update in range(2):
            at = order[(host_step * 2 + update) * 8 :][:8]
            x = mnist_net.normalised(torch.as_tensor(images.train_x)[at])
            loss = mnist_net.loss_of(net(x, keep[update * 8 :][:8]), torch.as_tensor(images.train_y).long()[at], True)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
    assert graph.losses(0, 4) == pytest.approx(losses, rel=1e-5)
    for weight, want in zip(graph.weights, net.parameters(), strict=True):
        assert torch.allclose(weight, want, rtol=1e-5, atol=1e-7)


def test_a_host_step_is_device_iterations_and_what_does_not_fill_one_is_left_out() -> None:
    images = made_up((28, 28), train=60000, test=10)
    tutorial = plan_of(parse(mnist.Settings, []), images)
    assert (tutorial.epoch, tutorial.total, tutorial.at_once) == (7500, 75000, 50)
    odd = plan_of(parse(mnist.Settings, ["batch_size=64", "epochs=1"]), images)
    assert (odd.epoch, odd.total) == (18 * 50, 18 * 50)  # 57,600 of the 60,000 images


def test_a_missing_compiler_only_makes_it_slower(tmp_path: Path) -> None:
    words = ["device_iterations=2", "data=synthetic", "max_steps=4", "threads=1"]
    env = {name: value for name, value in os.environ.items() if name != "CXX"} | {"PATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "assay_workloads.mnist", *words],
        env=env, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "no C++ compiler that works: plain PyTorch is used" in done.stdout + done.stderr
    assert "engine=eager" in done.stdout
