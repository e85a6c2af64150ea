"""Data-parallel workers that trained alone, and workers that did not."""

from __future__ import annotations

from pathlib import Path

from judged import Pages, codes, examples, left_alone
from logs import page

RAISED: dict[str, Pages] = {
    "in a fence of its language": """\
# Two workers

```python
from torch.nn.parallel import DistributedDataParallel

model = Net()
DistributedDataParallel(model)
```
""",
    "sharded, and dropped": page(
        "# Four workers",
        """\
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
net = Net().cuda()
FSDP(net)
train(net)
""",
    ),
    "the wrapper is dropped": page(
        "# Two workers",
        "My script:",
        """\
import torch
model = Net()
torch.nn.parallel.DistributedDataParallel(model)
for x, y in loader:
    loss = loss_of(model(x), y)
    loss.backward()
    optimizer.step()
""",
    ),
    "under its short name": page(
        "# Two workers",
        """\
from torch.nn.parallel import DistributedDataParallel as DDP
model = Net().to(rank)
DDP(model, device_ids=[rank])
optimizer = SGD(model.parameters(), lr=0.1)
""",
    ),
    "kept under another name and never used": page(
        "# Two workers",
        """\
from torch.nn.parallel import DistributedDataParallel as DDP
model = Net().to(rank)
ddp_model = DDP(model, device_ids=[rank])
optimizer = SGD(model.parameters(), lr=0.1)
for x, y in loader:
    optimizer.zero_grad()
    loss_of(model(x), y).backward()
    optimizer.step()
""",
    ),
}

NOT_RAISED: dict[str, Pages] = {
    "assigned": page(
        "# Two workers",
        """\
model = Net()
model = torch.nn.parallel.DistributedDataParallel(model)
for x, y in loader:
    loss_of(model(x), y).backward()
    optimizer.step()
""",
    ),
    "another name, used": page(
        "# Two workers",
        """\
model = Net()
ddp = DistributedDataParallel(model)
for x, y in loader:
    loss_of(ddp(x), y).backward()
    optimizer.step()
""",
    ),
    "in prose": page("# Two workers", "I wrapped the model with DistributedDataParallel(model) as the tutorial says."),
    "returned": page(
        "# Two workers",
        """\
def wrapped(model):
    return DistributedDataParallel(model)
""",
    ),
    "an argument": page(
        "# Two workers",
        """\
trainer.fit(
    DistributedDataParallel(model)
)
""",
    ),
    "averaged by hand": page(
        "# Two workers",
        """\
model = Net()
for x, y in loader:
    loss_of(model(x), y).backward()
    for p in model.parameters():
        dist.all_reduce(p.grad)
    optimizer.step()
""",
    ),
    "a comment": page(
        "# Two workers",
        """\
model = Net()
# DistributedDataParallel(model)
model = DDP(model)
model(x)
""",
    ),
}


@examples(RAISED)
def test_replicas_that_train_alone_are_named(tmp_path: Path, pages: Pages) -> None:
    assert "unsynced-replicas" in codes(tmp_path, pages)


@examples(NOT_RAISED)
def test_replicas_in_step_are_left_alone(tmp_path: Path, pages: Pages) -> None:
    left_alone(tmp_path, pages, "unsynced-replicas")
