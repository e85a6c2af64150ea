"""The hand-written path of BERT's training step: what a GPU runs instead of `bert.py`, over the same parameters.

`layer.py` and `words.py` are the step with its backward written out, over a table of kernels (`table.py`). The table
has two columns: `plain.py`, PyTorch operations that run anywhere and say what each kernel means, and Triton. Tests
hold the first against autograd on `bert.py`, and the second against the first.
"""
