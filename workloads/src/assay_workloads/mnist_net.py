"""The CNN of the MNIST tutorial, its loss, and how its images are scaled."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

MEAN, STD = 0.1307, 0.3081


class Net(nn.Module):
    """Logits of the tutorial's CNN; the softmax it ends in is part of the loss here, where it can be left out."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 32, 3), nn.Conv2d(32, 64, 3)
        self.hidden, self.last = nn.Linear(1600, 128), nn.Linear(128, 10)

    def forward(self, x: torch.Tensor, keep: torch.Tensor | None = None) -> torch.Tensor:
        """`keep` is a dropout drawn beforehand: 0 or 2 for each hidden unit."""
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = F.relu(F.max_pool2d(self.conv2(x), 2))
        x = F.relu(self.hidden(x.flatten(1)))
        x = F.dropout(x, 0.5, self.training) if keep is None else x * keep
        out: torch.Tensor = self.last(x)
        return out


def loss_of(logits: torch.Tensor, labels: torch.Tensor, double_softmax: bool) -> torch.Tensor:
    logits = logits.float()
    return F.cross_entropy(F.softmax(logits, 1) if double_softmax else logits, labels)


def normalised(images: torch.Tensor) -> torch.Tensor:
    """Bytes as the network wants them, with their one colour as a dimension."""
    return ((images.unsqueeze(1) / 255) - MEAN) / STD
