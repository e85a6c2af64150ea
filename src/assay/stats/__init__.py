"""What repeats show: spreads and differences (`welch`), and all pairs of several groups together (`family`)."""

from assay.stats.scales import LINEAR, LOG, LOGIT, Estimate, Scale, describe_on
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
    exp,
    factor,
    holm,
    is_vague,
    mean,
    pooled_sd,
    power,
    ratio,
    repeats_needed,
    t_point,
)

__all__ = [
    "LEVEL", "LINEAR", "LOG", "LOGIT", "MOST_REPEATS", "Difference", "Estimate", "Figures", "Known", "Ratio", "Sample",
    "Scale", "Spread", "describe", "describe_on", "difference",
    "exp", "factor", "holm", "is_vague", "mean", "pooled_sd", "power", "ratio", "repeats_needed", "t_point",
]  # fmt: skip
