"""Kernels for one NVIDIA GPU in CUDA C++, compiled by nvcc on first use.

| file | what it is |
|---|---|
| `cluster.cuh` | the primitives that the kernels are written in |
| `mnist.cu` | weight updates of the MNIST CNN |
| `bert_tiny.cu` | BERT-tiny's class of one sentence |
| `build.py` | compiles them, or says why it cannot |
"""
