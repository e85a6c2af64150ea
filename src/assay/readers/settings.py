"""The names that settings go by, and their values."""

from __future__ import annotations

from assay.readers.base import figure

#: spelled in lower case with underscores, to what we call it
SETTING_NAMES = {
    "batch_size": "batch_size",
    "batchsize": "batch_size",
    "bs": "batch_size",
    "train_batch_size": "batch_size",
    "global_batch_size": "batch_size",
    "per_device_train_batch_size": "batch_size",
    "instantaneous_batch_size_per_device": "batch_size",
    "lr": "lr",
    "learning_rate": "lr",
    "epochs": "epochs",
    "num_epochs": "epochs",
    "n_epochs": "epochs",
    "num_train_epochs": "epochs",
    "number_of_epochs": "epochs",
    "max_epochs": "epochs",
    "seq_len": "seq_len",
    "seq_length": "seq_len",
    "sequence_length": "seq_len",
    "max_seq_length": "seq_len",
    "max_seq_len": "seq_len",
    "max_sequence_length": "seq_len",
    "msl": "seq_len",
    "ntasks": "num_tasks",
    "num_tasks": "num_tasks",
    "nodes": "num_nodes",
    "num_nodes": "num_nodes",
    "nnodes": "num_nodes",
    "num_procs": "num_procs",
    "nproc": "num_procs",
    "nproc_per_node": "num_procs",
    "world_size": "num_procs",
    "max_steps": "max_steps",
    "num_steps": "max_steps",
    "train_steps": "max_steps",
    "total_optimization_steps": "max_steps",
    "seed": "seed",
    "weight_decay": "weight_decay",
    "dropout": "dropout",
    "warmup_steps": "warmup_steps",
}
WHOLE = {"batch_size", "epochs", "seq_len", "num_tasks", "num_nodes", "num_procs", "max_steps", "seed", "warmup_steps"}


def setting_value(name: str, text: str) -> int | float | None:
    """A number as this setting takes it: whole where only whole numbers make sense."""
    value = figure(text.strip("'\""))
    if value is None:
        return None
    if name in WHOLE or SETTING_NAMES.get(name.lower()) in WHOLE:
        return int(value) if value.is_integer() else None
    return value
