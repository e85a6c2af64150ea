"""The model against the Hugging Face one, figure for figure."""

import pytest

torch = pytest.importorskip("torch")

from assay_workloads.bert import Bert, BertConfig, BertForPretraining, train_flops  # noqa: E402


@pytest.mark.parametrize(("size", "parameters"), [("tiny", 4_433_468), ("base", 110_106_428), ("large", 336_226_108)])
def test_the_sizes_have_the_published_number_of_parameters(size, parameters):
    with torch.device("meta"):
        model = BertForPretraining(getattr(BertConfig, size)())
    assert sum(p.numel() for p in model.parameters()) == parameters


def test_a_step_of_large_needs_234_6_gflop_a_sample():
    assert round(train_flops(BertConfig.large(), length=128, predictions=20) / 1e9, 1) == 234.6


def test_a_padded_row_gives_the_states_of_the_row_alone():
    torch.manual_seed(0)
    model = Bert(BertConfig.tiny()).eval()
    ids = torch.randint(0, 30522, (2, 16))
    alone, pooled_alone = model(ids[1:, :9])
    padded, pooled = model(ids, lengths=torch.tensor([16, 9]))
    torch.testing.assert_close(padded[1, :9], alone[0], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(pooled[1], pooled_alone[0], rtol=1e-4, atol=1e-5)


def test_losses_are_those_of_the_hugging_face_model():
    torch.manual_seed(0)
    ours = BertForPretraining(BertConfig.tiny(dropout=0.0)).eval()
    theirs = _theirs(ours)
    batch, length = 3, 24
    ids = torch.randint(0, 30522, (batch, length))
    types = torch.randint(0, 2, (batch, length))
    lengths = torch.tensor([24, 20, 11])
    positions = torch.tensor([[1, 5, 9], [2, 3, 4], [7, 8, 0]])
    labels = torch.randint(0, 30522, (batch, 3))
    labels[2, 2] = -100
    is_random_next = torch.tensor([0, 1, 1])

    words, sentences = ours(ids, types, lengths, positions, labels, is_random_next)

    everywhere = torch.full((batch, length), -100).scatter(1, positions, labels)
    mask = (torch.arange(length) < lengths[:, None]).long()
    out = theirs(input_ids=ids, token_type_ids=types, attention_mask=mask, labels=everywhere,
                 next_sentence_label=is_random_next)  # fmt: skip
    torch.testing.assert_close(words + sentences, out.loss, rtol=1e-4, atol=1e-4)


def _theirs(ours):
    transformers = pytest.importorskip("transformers")
    config = transformers.BertConfig(
        num_hidden_layers=2, hidden_size=128, num_attention_heads=2, intermediate_size=512, hidden_act="gelu_new"
    )
    model = transformers.BertForPreTraining(config).eval()
    source = dict(ours.state_dict())
    names = {
        "bert.embeddings.word_embeddings": "bert.embeddings.words",
        "bert.embeddings.position_embeddings": "bert.embeddings.positions",
        "bert.embeddings.token_type_embeddings": "bert.embeddings.types",
        "bert.embeddings.LayerNorm": "bert.embeddings.norm",
        "bert.pooler.dense": "bert.pooler",
        "cls.predictions.transform.dense": "transform",
        "cls.predictions.transform.LayerNorm": "transform_norm",
        "cls.seq_relationship": "next_sentence",
    }
    for i in range(2):
        there, here = f"bert.encoder.layer.{i}", f"bert.layers.{i}"
        for part, n in (("query", 0), ("key", 1), ("value", 2)):
            for kind in ("weight", "bias"):
                source[f"{there}.attention.self.{part}.{kind}"] = source[f"{here}.qkv.{kind}"].chunk(3)[n]
        names |= {
            f"{there}.attention.output.dense": f"{here}.out",
            f"{there}.attention.output.LayerNorm": f"{here}.attention_norm",
            f"{there}.intermediate.dense": f"{here}.up",
            f"{there}.output.dense": f"{here}.down",
            f"{there}.output.LayerNorm": f"{here}.norm",
        }
    for there, here in names.items():
        for kind in ("weight", "bias"):
            if f"{here}.{kind}" in source:
                source[f"{there}.{kind}"] = source[f"{here}.{kind}"]
    source["cls.predictions.bias"] = source["cls.predictions.decoder.bias"] = source["decoder_bias"]
    source["cls.predictions.decoder.weight"] = source["bert.embeddings.words.weight"]
    wanted = model.state_dict()
    model.load_state_dict({name: source[name] if name in source else wanted[name] for name in wanted})
    missing = [n for n in wanted if n not in source and "position_ids" not in n]
    assert not missing
    return model
