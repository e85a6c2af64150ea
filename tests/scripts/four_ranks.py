"""A data-parallel training of four real processes; every rank prints its own figures, the last rank is slow."""

import json
import multiprocessing
import os
import random
import time

WORLD, EPOCHS, STEPS, BATCH = 4, 3, 12, 32


def rank_main(rank, barrier, queue):
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(WORLD), LOCAL_RANK=str(rank))
    random.seed(rank)
    barrier.wait()
    start = time.perf_counter()
    for epoch in range(1, EPOCHS + 1):
        began = time.perf_counter()
        for _ in range(STEPS):
            time.sleep(0.008 if rank == WORLD - 1 else 0.004)
        took = time.perf_counter() - began
        loss = 1.0 / epoch + 0.1 * rank
        rate = STEPS * BATCH / took
        print(f"[rank {rank}] epoch {epoch} loss {loss:.4f} throughput {rate:.1f} samples/s", flush=True)
        barrier.wait()
    seconds = time.perf_counter() - start
    print(f"[rank {rank}] training time: {seconds:.3f} s", flush=True)
    queue.put((rank, float(f"{loss:.4f}"), float(f"{rate:.1f}"), float(f"{seconds:.3f}")))


if __name__ == "__main__":
    print(f"world size: {WORLD}, batch size per rank: {BATCH}", flush=True)
    barrier, queue = multiprocessing.Barrier(WORLD), multiprocessing.Queue()
    ranks = [multiprocessing.Process(target=rank_main, args=(rank, barrier, queue)) for rank in range(WORLD)]
    for process in ranks:
        process.start()
    said = sorted(queue.get() for _ in ranks)
    for process in ranks:
        process.join()
    truth = {
        "epochs": EPOCHS,
        "loss": said[0][1],
        "train_s": said[0][3],
        "samples_per_s": sum(rate for _, _, rate, _ in said),
        "params": {"num_procs": WORLD, "batch_size": BATCH, "epochs": EPOCHS},
        "slowest_rank": min(said, key=lambda one: one[2])[0],
    }
    with open("truth.json", "w") as file:
        json.dump(truth, file)
