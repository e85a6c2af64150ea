"""BERT with a sentence's class on top, as it is trained."""

from __future__ import annotations

from torch import Tensor, nn

from assay_workloads.bert import Bert, BertConfig


class Classifier(nn.Module):
    """ids [batch, length] and how many of each row are real (None: all) → logits [batch, classes]."""

    def __init__(self, config: BertConfig, classes: int = 2) -> None:
        super().__init__()
        self.bert = Bert(config)
        self.dropout = nn.Dropout(config.dropout)
        self.out = nn.Linear(config.hidden, classes)
        nn.init.trunc_normal_(self.out.weight, std=0.02)
        nn.init.zeros_(self.out.bias)

    def forward(self, ids: Tensor, lengths: Tensor | None = None) -> Tensor:
        logits: Tensor = self.out(self.dropout(self.bert(ids, None, lengths)[1]))
        return logits
