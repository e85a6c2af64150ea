"""A Llama of 1.5 million random weights whose tokens are words, as a folder that any server can load."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

_WORDS = 1024


def make(folder: Path) -> Path:
    """A token is a word, so that every token that is generated is a text that a client can see."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    from assay.serving.prompts import WORDS

    made = ("".join(letters) for letters in itertools.product("bdfgklmnprst", "aeiou", "bdfgklmnprst", "aeiou"))
    vocabulary = list(itertools.islice(dict.fromkeys(["<s>", "</s>", "<unk>", *WORDS, *made]), _WORDS))
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(vocabulary)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>")
    fast.chat_template = "{% for m in messages %}{{ m['content'] }} {% endfor %}"
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=_WORDS, hidden_size=160, intermediate_size=448, num_hidden_layers=4, num_attention_heads=4,
        num_key_value_heads=4, max_position_embeddings=2048, bos_token_id=0, eos_token_id=1, pad_token_id=1,
    )  # fmt: skip
    model = LlamaForCausalLM(config)
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


if __name__ == "__main__":
    print(make(Path(sys.argv[1])))
