"""The Triton kernels and cuBLASLt's products against the plain column of the table.

Needs a GPU. `TRITON_INTERPRET=1`, with Triton installed, runs the Triton half on a CPU, in float32 alone (the
interpreter of Triton 3.6 multiplies bf16 wrongly, and needs numpy < 2.4).
"""

import os

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from assay.workloads.bert import BertConfig, BertForPretraining  # noqa: E402
from assay.workloads.kernels import table  # noqa: E402
from assay.workloads.kernels.mask import draw_keys, kept  # noqa: E402
from assay.workloads.kernels.step import fused_losses, keys_of_a_step  # noqa: E402
from assay.workloads.kernels.table import PLAIN, Shape  # noqa: E402

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
DEVICE = "cpu" if INTERPRETED else "cuda"
KINDS = [torch.float32] if INTERPRETED else [torch.float32, torch.bfloat16]
#: ‖out − plain‖ / ‖plain‖: tf32 is what Triton multiplies float32 with
ENOUGH = {torch.float32: 1e-5 if INTERPRETED else 4e-3, torch.bfloat16: 8e-3}

pytestmark = pytest.mark.skipif(not INTERPRETED and not torch.cuda.is_available(), reason="needs a GPU")
on_gpu_alone = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


def same(found, expected, kind):
    for number, (out, plain) in enumerate(zip(found, expected, strict=True)):
        assert out.isfinite().all()
        apart = (out.double() - plain.double()).norm() / plain.double().norm().clamp_min(1e-30)
        assert apart < ENOUGH[kind], f"result {number}: {apart:.2e}"


def random(*shape, kind=torch.float32):
    return torch.randn(*shape, device=DEVICE).to(kind)


def a_key(number=1):
    return draw_keys(1, seed=number, step=0)[0].to(DEVICE)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("p", [0.0, 0.1])
@pytest.mark.parametrize(("rows", "hidden"), [(37, 96), (64, 128), (1061, 1024)])
def test_norm_and_its_backward(kind, p, rows, hidden):
    torch.manual_seed(0)
    if INTERPRETED and rows > 100:
        pytest.skip("slow there")
    kernels = table.triton()
    x, residual = random(rows, hidden, kind=kind), random(rows, hidden, kind=kind)
    bias, gamma, beta = random(hidden), random(hidden), random(hidden)
    forward = (x, bias, residual, gamma, beta, a_key(), p, 1e-12)
    expected = PLAIN.norm(*forward)
    same(kernels.norm(*forward), expected, kind)
    for more in (None, random(rows, hidden, kind=kind)):
        backward = (random(rows, hidden, kind=kind), more, *expected[1:], gamma, a_key(), p)
        same(kernels.norm_backward(*backward), PLAIN.norm_backward(*backward), kind)


@pytest.mark.parametrize("kind", KINDS)
def test_gelu_and_its_backward(kind):
    torch.manual_seed(0)
    kernels = table.triton()
    x, weight, bias = random(129, 64, kind=kind), random(192, 64, kind=kind) / 8, random(192, kind=kind)
    same(kernels.up(x, weight, bias), PLAIN.up(x, weight, bias), kind)
    backward = (random(129, 32, kind=kind), random(32, 192, kind=kind) / 6, PLAIN.up(x, weight, bias)[0])
    same(kernels.up_backward(*backward), PLAIN.up_backward(*backward), kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("p", [0.0, 0.1])
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("length", [40, 77, 128])
def test_attention_and_its_backward(kind, p, padded, length):
    torch.manual_seed(0)
    kernels = table.triton()
    batch, heads, size = (2, 2, 16) if INTERPRETED else (3, 4, 64)
    shape = Shape(batch=batch, length=length, heads=heads)
    qkv = random(batch * length, 3 * heads * size, kind=kind)
    lengths = torch.tensor([length, 5, 9][:batch], device=DEVICE) if padded else None
    forward = (qkv, shape, lengths, a_key(), p)
    expected = PLAIN.attention(*forward)
    same(kernels.attention(*forward), expected, kind)
    backward = (random(batch * length, heads * size, kind=kind), qkv, expected[1], shape, lengths, a_key(), p)
    gradient, d_bias = kernels.attention_backward(*backward)
    plain_gradient, plain_d_bias = PLAIN.attention_backward(*backward)
    same([gradient], [plain_gradient], kind)
    # the keys' bias has no gradient but rounding: softmax does not see a shift
    hidden = heads * size
    same([d_bias[:hidden], d_bias[2 * hidden :]], [plain_d_bias[:hidden], plain_d_bias[2 * hidden :]], kind)


@pytest.mark.parametrize("kind", KINDS)
def test_cross_entropy(kind):
    torch.manual_seed(0)
    logits = 3 * random(7, 9024, kind=kind)
    labels = torch.tensor([1, -100, 5, 9009, 4100, 0, 8999], device=DEVICE)
    scale = torch.tensor(1 / 6, device=DEVICE)
    plain = logits.clone()
    losses = table.triton().cross_entropy(logits, labels, 9010, scale)
    expected = PLAIN.cross_entropy(plain, labels, 9010, scale)
    same([losses, logits], [expected, plain], kind)


def test_the_mask_is_the_same_inside_a_kernel():
    """Dropping from ones shows it: what is left is what `kept` keeps, element by element."""
    kernels, rows, hidden = table.triton(), 8, 64
    zeros, ones = torch.zeros(rows, hidden, device=DEVICE), torch.ones(hidden, device=DEVICE)
    _, total, _, _ = kernels.norm(zeros, ones, zeros, ones, ones, a_key(3), 0.3, 1e-6)
    mask = kept(torch.arange(rows * hidden, device=DEVICE).view(rows, hidden), a_key(3), 0.3)
    assert torch.equal(total > 0, mask)


@on_gpu_alone
def test_the_products_of_cublaslt():
    torch.manual_seed(0)
    kernels, kind = table.cublaslt(), torch.bfloat16
    x, weight, bias = random(512, 256, kind=kind), random(384, 256, kind=kind) / 16, random(384, kind=kind)
    same([kernels.linear(x, weight, bias)], [PLAIN.linear(x, weight, bias)], kind)
    same([kernels.linear(x, weight, None)], [PLAIN.linear(x, weight, None)], kind)
    same(kernels.up(x, weight, bias), PLAIN.up(x, weight, bias), kind)
    grad = random(512, 384, kind=kind)
    for add in (None, random(512, 256, kind=kind)):
        same([kernels.grad_input(grad, weight, add)], [PLAIN.grad_input(grad, weight, add)], kind)
    same([kernels.grad_weight(grad, x)], [PLAIN.grad_weight(grad, x)], kind)
    before = random(512, 384, kind=kind)
    down = random(128, 384, kind=kind) / 16
    backward = (random(512, 128, kind=kind), down, before)
    same(kernels.up_backward(*backward), PLAIN.up_backward(*backward), kind)


@on_gpu_alone
@pytest.mark.parametrize("make", [table.triton, table.tuned_products, table.cublaslt])
def test_losses_and_gradients_of_a_step(make):
    torch.manual_seed(0)
    config = BertConfig(layers=2, hidden=256, heads=4, filter=1024)
    model = BertForPretraining(config).cuda()
    batch = (
        torch.randint(0, 30522, (4, 128), device=DEVICE), torch.randint(0, 2, (4, 128), device=DEVICE),
        torch.tensor([128, 60, 128, 99], device=DEVICE), torch.randint(0, 60, (4, 20), device=DEVICE),
        torch.randint(0, 30522, (4, 20), device=DEVICE), torch.randint(0, 2, (4,), device=DEVICE),
    )  # fmt: skip
    keys = draw_keys(keys_of_a_step(2), seed=0, step=0).to(DEVICE)
    results = []
    for kernels, kind in ((PLAIN, torch.float32), (make(), torch.bfloat16)):
        model.zero_grad()
        words, sentences = fused_losses(model, batch, keys, kernels, kind)
        (words + sentences).backward()
        results.append((words.item(), sentences.item(), [p.grad.clone() for p in model.parameters()]))
    (words, sentences, expected), (fast_words, fast_sentences, found) = results
    assert (fast_words, fast_sentences) == pytest.approx((words, sentences), rel=5e-3)
    for (name, _), out, plain in zip(model.named_parameters(), found, expected, strict=True):
        if "qkv.bias" not in name:
            assert (out - plain).norm() / plain.norm() < 0.05, name
