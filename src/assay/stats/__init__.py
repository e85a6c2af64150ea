"""What repeats can tell: spreads and differences (`welch`), and all pairs of several groups together (`family`)."""

from assay.stats.welch import (
    LEVEL,
    MOST_REPEATS,
    Difference,
    Figures,
    Known,
    Ratio,
    Sample,
    Spread,
    describe,
    difference,
    factor,
    holm,
    mean,
    pooled_sd,
    power,
    ratio,
    repeats_needed,
    t_point,
)

__all__ = [
    "LEVEL", "MOST_REPEATS", "Difference", "Figures", "Known", "Ratio", "Sample", "Spread", "describe", "difference",
    "factor", "holm", "mean", "pooled_sd", "power", "ratio", "repeats_needed", "t_point",
]  # fmt: skip
