"""The written-out backward against autograd on the readable model, and the masks against what chance allows."""

import pytest

torch = pytest.importorskip("torch")

from assay_workloads.bert import BertConfig, BertForPretraining, Layer  # noqa: E402
from assay_workloads.kernels import plain  # noqa: E402
from assay_workloads.kernels.layer import Plan, fused_layer  # noqa: E402
from assay_workloads.kernels.mask import draw_keys, keep_scale, kept  # noqa: E402
from assay_workloads.kernels.shape import Shape  # noqa: E402
from assay_workloads.kernels.step import fused_losses, keys_of_a_step  # noqa: E402
from assay_workloads.kernels.table import PLAIN  # noqa: E402

SMALL = BertConfig(layers=2, hidden=32, heads=4, filter=64, vocab=90, positions=16)


def small_model(dropout=0.1):
    torch.manual_seed(1)
    model = BertForPretraining(BertConfig(**{**vars(SMALL), "dropout": dropout})).double()
    with torch.no_grad():  # biases and norms that are not their neutral starts
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    return model


def a_batch(batch=3, length=16, predictions=4):
    torch.manual_seed(2)
    labels = torch.randint(0, SMALL.vocab, (batch, predictions))
    labels[1, 3] = -100
    positions = torch.stack([torch.randperm(5)[:predictions] for _ in range(batch)])
    return (
        torch.randint(0, SMALL.vocab, (batch, length)),
        torch.randint(0, 2, (batch, length)),
        torch.tensor([16, 9, 5]),
        positions,
        labels,
        torch.tensor([0, 1, 1]),
    )


def gradients(model, loss):
    model.zero_grad()
    loss.backward()
    return {name: p.grad.clone() for name, p in model.named_parameters()}


@pytest.mark.parametrize("padded", [True, False])
def test_losses_and_every_gradient_are_those_of_autograd(padded):
    model, batch = small_model(dropout=0.0), a_batch()
    if not padded:
        batch = (*batch[:2], None, *batch[3:])
    words, sentences = model(*batch)
    expected = gradients(model, 0.5 * words + sentences)
    keys = draw_keys(keys_of_a_step(2), seed=0, step=0)
    fused_words, fused_sentences = fused_losses(model, batch, keys, PLAIN, torch.float64)
    assert (words.item(), sentences.item()) == pytest.approx((fused_words.item(), fused_sentences.item()), rel=1e-12)
    found = gradients(model, 0.5 * fused_words + fused_sentences)
    for name, gradient in expected.items():
        torch.testing.assert_close(found[name], gradient, rtol=1e-9, atol=1e-12, msg=name)


def test_the_step_in_bf16_is_near_that_in_float32():
    model, batch = small_model(dropout=0.1).float(), a_batch()
    keys = draw_keys(keys_of_a_step(2), seed=0, step=0)
    expected = fused_losses(model, batch, keys, PLAIN, torch.float32)
    wanted = gradients(model, sum(expected))
    found = fused_losses(model, batch, keys, PLAIN, torch.bfloat16)
    assert [loss.item() for loss in found] == pytest.approx([loss.item() for loss in expected], rel=0.02)
    for name, gradient in gradients(model, sum(found)).items():
        assert gradient.dtype == torch.float32
        if "qkv.bias" not in name:  # that of the keys is nothing but rounding
            assert (gradient - wanted[name]).norm() < 0.1 * wanted[name].norm(), name


def with_masks(layer, x, lengths, keys, p):
    """The layer in plain formulas, its dropout from the same keys."""
    batch, length, hidden = x.shape

    def drop(t, key):
        return t * keep_scale(t.shape, key, p, t.dtype)

    def rows(t):
        return t.reshape(batch * length, hidden)

    q, k, v = layer.qkv(x).view(batch, length, 3, layer.heads, -1).permute(2, 0, 3, 1, 4)
    scores = q @ k.transpose(2, 3) / (hidden // layer.heads) ** 0.5
    scores = scores.masked_fill(torch.arange(length) >= lengths[:, None, None, None], -torch.inf)
    y = (drop(scores.softmax(3), keys[0]) @ v).transpose(1, 2).reshape(x.shape)
    x = layer.attention_norm(rows(x) + drop(rows(layer.out(y)), keys[1]))
    return layer.norm(x + drop(layer.down(torch.nn.functional.gelu(layer.up(x), approximate="tanh")), keys[2]))


def test_dropout_of_the_backward_is_that_of_the_forward():
    torch.manual_seed(3)
    layer = Layer(SMALL).double()
    x = torch.randn(3, 16, 32, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(48, 32, dtype=torch.float64)
    lengths, keys = torch.tensor([16, 4, 11]), draw_keys(3, seed=5, step=9)

    y = with_masks(layer, x, lengths, keys, 0.3)
    expected = torch.autograd.grad((y * weights).sum(), [x, *layer.parameters()])

    plan = Plan(kernels=PLAIN, shape=Shape(batch=3, length=16, heads=4), lengths=lengths, p=0.3)
    fused = fused_layer(layer, x.flatten(0, 1), keys, plan)
    torch.testing.assert_close(fused, y)
    found = torch.autograd.grad((fused * weights).sum(), [x, *layer.parameters()])
    for got, wanted in zip(found, expected, strict=True):
        torch.testing.assert_close(got, wanted, rtol=1e-9, atol=1e-12)


def test_cross_entropy_leaves_the_gradient_of_the_mean_in_place_of_the_logits():
    logits = torch.randn(5, 16, dtype=torch.float64)
    labels = torch.tensor([3, -100, 0, 9, 9])
    leaf = logits[:, :10].clone().requires_grad_()
    loss = torch.nn.functional.cross_entropy(leaf, labels)
    (expected,) = torch.autograd.grad(loss, leaf)
    losses = plain.cross_entropy(logits, labels, 10, torch.tensor(0.25))
    assert losses.sum().item() / 4 == pytest.approx(loss.item())
    torch.testing.assert_close(logits[:, :10], expected)
    assert logits[:, 10:].abs().sum() == 0


def test_masks_drop_the_share_asked_for_and_neighbours_independently():
    count = 1 << 20
    keys = draw_keys(4, seed=1, step=2)
    masks = [~kept(torch.arange(count), key, 0.1) for key in keys]
    for mask in masks:
        assert mask.double().mean().item() == pytest.approx(0.1, abs=5 * (0.09 / count) ** 0.5)
        for lag in (1, 2, 64, 128, 1024):
            both = (mask[lag:] & mask[:-lag]).double().mean().item()
            assert both == pytest.approx(0.01, abs=5 * (0.0099 / count) ** 0.5), lag
        columns = mask.view(1024, 1024).double().mean(0)  # none is dropped more often than chance allows
        assert (columns - 0.1).abs().max().item() < 5.5 * (0.09 / 1024) ** 0.5
    for other in masks[1:]:
        assert (masks[0] & other).double().mean().item() == pytest.approx(0.01, abs=5 * (0.0099 / count) ** 0.5)


def test_keys_depend_on_seed_step_and_stream_and_nothing_else():
    keys = draw_keys(3, seed=1, step=2, stream=3)
    torch.rand(5)
    assert torch.equal(keys, draw_keys(3, seed=1, step=2, stream=3))
    for other in ({"seed": 2}, {"step": 3}, {"stream": 4}):
        assert not torch.equal(keys, draw_keys(3, **{"seed": 1, "step": 2, "stream": 3, **other}))
