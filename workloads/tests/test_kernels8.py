"""Layers in 8 bits against float32, and the scales that make numbers fit: on any machine, by the plain column."""

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")

from assay_workloads.bert import BertConfig, BertForPretraining  # noqa: E402
from assay_workloads.failure import Failure  # noqa: E402
from assay_workloads.kernels import check8, plain8, table8  # noqa: E402
from assay_workloads.kernels.mask import draw_keys  # noqa: E402
from assay_workloads.kernels.scales import LARGEST, Scales  # noqa: E402
from assay_workloads.kernels.step import fused_losses, in_eight, keys_of_a_step  # noqa: E402
from assay_workloads.kernels.table import PLAIN  # noqa: E402

CPU = torch.device("cpu")


def a_model():
    torch.manual_seed(1)
    return BertForPretraining(BertConfig(layers=2, hidden=64, heads=2, filter=128, vocab=96, positions=40))


def a_batch(rows=4, length=40):
    torch.manual_seed(2)
    return (
        torch.randint(0, 96, (rows, length)), torch.randint(0, 2, (rows, length)), torch.tensor([40, 30, 40, 25]),
        torch.randint(1, 25, (rows, 6)), torch.randint(0, 96, (rows, 6)), torch.randint(0, 2, (rows,)),
    )  # fmt: skip


def losses_and_gradients(model, kind, eight=None):
    model.zero_grad()
    keys = draw_keys(keys_of_a_step(2), seed=0, step=0)
    words, sentences = fused_losses(model, a_batch(), keys, PLAIN, kind, eight=eight)
    (words + sentences).backward()
    return words.item(), sentences.item(), {name: p.grad.clone() for name, p in model.named_parameters()}


def test_losses_and_gradients_in_8_bits_are_those_of_float32_but_for_rounding():
    model = a_model()
    words, sentences, expected = losses_and_gradients(model, torch.float32)
    eight = in_eight(model, table8.plain())
    for _ in range(2):  # with the scales of the start, and with those the first step led to
        found_words, found_sentences, found = losses_and_gradients(model, torch.bfloat16, eight)
        assert (found_words, found_sentences) == pytest.approx((words, sentences), abs=2e-3)
        for name, gradient in expected.items():
            if "qkv.bias" not in name:
                assert (found[name] - gradient).norm() / gradient.norm() < 0.12, name


def a_check(**wrong):
    config = BertConfig(layers=24, hidden=64, heads=2, filter=128)
    return check8.refuse_wrong_gradients(config, replace(table8.plain(), **wrong), CPU, batch=4, length=40)


def test_right_kernels_are_let_through_before_a_training():
    a_check()


def test_a_copy_that_is_turned_wrongly_is_refused_with_the_figure():
    def wrong(x, slot):
        narrow = plain8.quantise(x, slot)
        return replace(narrow, turned=narrow.turned.flip(0).contiguous())

    with pytest.raises(Failure, match=r"fp8 is not used: its gradients differ from float32 by \d.* where 0.15 is"):
        a_check(quantise=wrong)


def test_gradients_that_are_no_numbers_are_refused():
    def wrong(grad, x, slot):
        dx, d_bias = plain8.gelu_backward(grad, x, slot)
        return dx, d_bias * float("nan")

    with pytest.raises(Failure, match=r"are no numbers where 0.15 is allowed \(`bert.layers.\d.up.bias`\)"):
        a_check(gelu_backward=wrong)


def test_every_scale_is_usable_after_one_step():
    """The largest magnitude of each tensor lies in the upper half of what its type can hold."""
    model = a_model()
    eight = in_eight(model, table8.plain())
    losses_and_gradients(model, torch.bfloat16, eight)
    eight.scales.advance()
    losses_and_gradients(model, torch.bfloat16, eight)
    for slots in eight.scales.slots:
        for name, slot in slots.items():
            seen = slot.largest.view(torch.float32).amax() * slot.scale
            assert LARGEST[slot.kind] / 2 < seen <= LARGEST[slot.kind] * 1.05, name


def test_a_scale_follows_the_largest_of_the_last_steps_and_forgets_it_later():
    scales = Scales(1, CPU)
    slot = scales.slots[0]["x"]
    scales.note(slot, torch.tensor([3.0, -7.0]))
    scales.advance()
    assert slot.scale.item() == pytest.approx(448 / 7)
    assert slot.inverse.item() == pytest.approx(7 / 448)
    for _ in range(15):
        scales.note(slot, torch.tensor([0.5]))
        scales.advance()
        assert slot.scale.item() == pytest.approx(448 / 7)
    scales.note(slot, torch.tensor([0.5]))
    scales.advance()
    assert slot.scale.item() == pytest.approx(448 / 0.5)


def test_nothing_seen_or_nothing_finite_seen_leaves_a_scale_as_it_was():
    scales = Scales(1, CPU)
    before = scales.scale.clone()
    scales.note(scales.slots[0]["d_out"], torch.tensor([float("nan"), 1.0]))
    scales.note(scales.slots[0]["d_qkv"], torch.tensor([float("inf")]))
    scales.advance()
    assert torch.equal(scales.scale, before)


def test_what_is_too_large_becomes_the_largest_and_is_noted_for_the_next_step():
    scales = Scales(1, CPU)
    slot = scales.slots[0]["x"]
    narrow = plain8.quantise(torch.tensor([[1000.0, -1000.0], [1.0, 0.5]]), slot)
    assert narrow.rows.float().tolist() == [[448.0, -448.0], [16.0, 8.0]]
    assert torch.equal(narrow.turned.float(), narrow.rows.float().t())
    scales.advance()
    assert slot.scale.item() == pytest.approx(0.448)


def test_scales_that_are_saved_go_on_where_they_were():
    first, second = Scales(2, CPU), Scales(2, CPU)
    for scales in (first, second):
        scales.note(scales.slots[1]["after"], torch.tensor([5.0]))
        scales.advance()
    first.note(first.slots[0]["after"], torch.tensor([2.0]))
    second.load({name: tensor.clone() for name, tensor in first.state().items()})
    first.advance()
    second.advance()
    assert torch.equal(first.scale, second.scale)
    assert torch.equal(first.inverse, second.inverse)
