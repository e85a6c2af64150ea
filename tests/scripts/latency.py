"""A latency script, as one is written for an inference server: warm up, time each request, print percentiles."""

import json
import statistics
import time


def infer(n):
    time.sleep(0.001 if n % 10 else 0.003)


for n in range(5):
    infer(n)
print("Warmup done, running 150 requests")
times_ms = []
start = time.perf_counter()
for n in range(150):
    t0 = time.perf_counter()
    infer(n)
    times_ms.append((time.perf_counter() - t0) * 1000)
total = time.perf_counter() - start
cuts = statistics.quantiles(times_ms, n=100)
p50, p90, p99 = cuts[49], cuts[89], cuts[98]
mean = statistics.mean(times_ms)
print("==== Latency ====")
print(f"mean: {mean:.2f} ms")
print(f"p50: {p50:.2f} ms")
print(f"p90: {p90:.2f} ms")
print(f"p99: {p99:.2f} ms")
print(f"QPS: {150 / total:.1f}")

truth = {
    "latency_ms": float(f"{mean:.2f}"),
    "latency_p50_ms": float(f"{p50:.2f}"),
    "latency_p90_ms": float(f"{p90:.2f}"),
    "latency_p99_ms": float(f"{p99:.2f}"),
    "requests_per_s": float(f"{150 / total:.1f}"),
    "requests": 150,
}
with open("truth.json", "w") as file:
    json.dump(truth, file)
