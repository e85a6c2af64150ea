"""Data-parallel training over gloo as torchrun starts it: rank 1 takes longer for its part of every step."""

import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
gradient = torch.ones(1)
if rank == 0:
    print(f"world size: {world}", flush=True)
busy_s = 0.0
for step in range(1, 11):
    before_s = time.perf_counter()
    time.sleep(0.02 + 0.06 * rank)
    busy_s += time.perf_counter() - before_s
    if step % 5 == 0:
        # one write, so that the lines of two processes do not mix
        os.write(
            1, f"[rank {rank}] step {step}/10 loss {3 / step + rank:.4f} {16 * step / busy_s:.1f} samples/s\n".encode()
        )
    dist.all_reduce(gradient)
dist.destroy_process_group()
