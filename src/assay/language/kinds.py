"""What kind of value each term takes: a count, a share, a loss, a length of time; and whether a number fits it."""

from __future__ import annotations

from assay.language.numbers import BYTES, NONE, PERCENT, SECONDS, Number

COUNTED = {
    "epochs", "max_steps", "num_tasks", "num_nodes", "num_procs", "samples", "steps", "tokens", "warmup_steps",
    "concurrency", "grad_accum", "ngl",
}  # fmt: skip
WHOLE = COUNTED | {"batch_size", "test_batch_size", "seq_len", "seed", "concurrency", "input_len", "output_len"}
REAL = {"lr", "dropout", "weight_decay", "request_rate"}
SETTINGS = (WHOLE | REAL) - {"samples", "tokens", "steps"}
_SHARES = {"accuracy", "utilisation", "mfu", "error_rate", "f1", "cpu_eff", "mem_eff"}
_LOSSES = {"loss", "val_loss", "test_loss", "perplexity"}
TIMED = {
    "time", "latency", "ttft_mean_ms", "tpot_mean_ms", "itl_mean_ms", "e2e_mean_ms", "queue", "compile",
    "checkpoint", "load", "step_ms",
}  # fmt: skip
METRICS = _SHARES | _LOSSES | TIMED | {
    "rate", "samples_per_s", "tokens_per_s", "inferences_per_s", "memory", "cpu", "cpu_s", "steps", "samples", "tokens",
    "energy", "power",
}  # fmt: skip


def fits(term: str, number: Number | None) -> bool:
    """Whether this may be a value of it, by its unit and its size."""
    if number is None or number.sign:
        return False
    if term in WHOLE:
        return number.unit == NONE and number.whole and 0 < number.value < 1e12
    if term in REAL:
        return number.unit == NONE and 0 <= number.value < 100 and number.upper is None
    if term in _SHARES:
        return (number.unit == PERCENT and number.value <= 100) or (number.unit == NONE and _is_share_value(number))
    if term in _LOSSES:
        return number.unit == NONE and not number.in_words and number.value < 1e6
    if term in TIMED:
        return number.unit == SECONDS
    if term == "memory":
        return number.unit == BYTES
    if term == "cpu":
        return number.unit == PERCENT
    return (term == "rate" or term.endswith("_per_s")) and number.unit == NONE and not number.in_words


def _is_share_value(number: Number) -> bool:
    return not number.in_words and (0 <= number.value <= 1 or (number.value <= 100 and number.slack < 0.5))
