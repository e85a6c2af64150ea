"""A bound that a page gives of a figure (`under 2 minutes`, `more than 90 %`), and the figures of a log in words."""

from __future__ import annotations

from assay.auditing.case import Run
from assay.auditing.meant import PERCENTILES, figure_of
from assay.auditing.quotes import Quote
from assay.auditing.rules.rounding import slack_of
from assay.language.said import Value
from assay.model.finding import DOUBTFUL, WRONG, Finding
from assay.quantities import BY_NAME
from assay.units import show_number

CODE = "misquoted-figure"
_THREE_DIGITS = 0.006


def is_beyond(value: Value, said: float, shown: float) -> bool:
    """Further from the bound than its last digit may hide, on the side where it may not be."""
    over = (said - shown) * value.bound
    return over > max(_THREE_DIGITS * abs(said), slack_of(value, said) if value.about else 0.0)


def beyond(quote: Quote, run: Run, field: str, certain: bool) -> Finding:
    shown, bound = as_shown(field, figure_of(run, field) or 0.0), "more" if quote.value.bound > 0 else "less"
    return Finding(
        code=CODE,
        severity=WRONG if certain and run.source == quote.sentence.source else DOUBTFUL,
        message=f"{noun(quote.value)} is said to be {bound} than {quote.text}, and the log shows {shown}",
        hint="quote the figure as the log has it",
        source=quote.sentence.source,
        evidence=(quote.sentence.evidence(), run.showing(field)),
        run=run.id,
    )


def noun(value: Value) -> str:
    named = {"rate": "throughput", "cpu": "CPU use", **{name: one.noun for name, one in BY_NAME.items()}}
    text = named.get(value.name, value.name.replace("_", " "))
    if value.average in PERCENTILES:
        text = f"{value.average} {text.removeprefix('mean ')}"
    return f"the {text}"


def as_shown(field: str, figure: float) -> str:
    if field in ("accuracy", "cpu_eff", "mem_eff", "mfu"):
        return f"{100 * figure:.4g} %"
    if field.endswith("_ms"):
        return f"{figure:.4g} ms"
    if field.endswith("_s") and not field.endswith("_per_s"):
        return f"{figure:.5g} s"
    if "bytes" in field:
        return f"{figure / 1024**2:,.1f} MiB"
    return show_number(figure)
