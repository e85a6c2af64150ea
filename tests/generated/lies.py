"""The kinds of lies: which experiment each needs, and which findings count as having found it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import comparisons
from . import lies_figures as figures
from . import lies_settings as settings
from .formats import Format
from .page import Page
from .placing import Placed


@dataclass(frozen=True, kw_only=True)
class Lie:
    name: str
    codes: frozenset[str]
    make: Callable[[Page], Placed]
    fits: Callable[[Format], bool] = lambda form: True
    repeats: tuple[int, ...] = (1, 1, 1, 2, 3)
    flat: bool = False
    failing: bool = False


def _shows_varied(form: Format) -> bool:
    return all(name in form.job.shows for name in form.job.varies)


def _has(*figures: str) -> Callable[[Format], bool]:
    return lambda form: any(name in form.job.digits for name in figures)


def _lie(name: str, codes: str, make: Callable[[Page], Placed], **more: object) -> Lie:
    return Lie(name=name, codes=frozenset(codes.split()), make=make, **more)  # type: ignore[arg-type]


LIES: dict[str, Lie] = {
    one.name: one
    for one in (
        _lie("misquoted-figure", "misquoted-figure mislabelled-unit no-evidence", figures.misquoted),
        _lie("misquoted-pair", "misquoted-figure wrong-ranking wrong-arithmetic no-evidence", figures.two_figures, repeats=(1,)),
        _lie("misquoted-list", "misquoted-figure wrong-ranking wrong-arithmetic no-evidence", figures.listed, repeats=(1,)),
        _lie("misquoted-in-table", "misquoted-figure wrong-arithmetic no-evidence same-figures", figures.in_table, repeats=(1,)),
        _lie("wrong-ranking", "wrong-ranking misquoted-figure", figures.of(comparisons.ranking)),
        _lie("wrong-comparison", "wrong-ranking wrong-arithmetic misquoted-figure conflicting-claims", figures.of(comparisons.compared)),
        _lie("wrong-ratio", "wrong-arithmetic", figures.of(comparisons.factor, "rate", "time")),
        _lie("wrong-multiple", "wrong-arithmetic", figures.of(comparisons.multiple, "rate", "time")),
        _lie("wrong-difference", "wrong-arithmetic misquoted-figure", figures.of(comparisons.difference, "time", "accuracy")),
        _lie("wrong-scaling", "wrong-arithmetic wrong-ranking", figures.of(comparisons.scaling, "rate")),
        _lie("wrong-percent", "wrong-arithmetic", figures.of(comparisons.percent, "rate", "time", "memory")),
        _lie("wrong-total", "wrong-arithmetic misquoted-figure", figures.total, fits=_has("seconds", "serve_s")),
        _lie("wrong-effect", "wrong-ranking wrong-arithmetic misquoted-figure conflicting-claims", figures.of(comparisons.effect, "rate")),
        _lie("mislabelled-unit", "mislabelled-unit misquoted-figure", figures.unit, repeats=(1,), fits=_has("seconds", "serve_s", "ttft_mean_ms", "latency_ms", "memory_mib")),
        _lie("setting-not-in-effect", "setting-not-in-effect", settings.setting, fits=_shows_varied, repeats=(1, 1, 2)),
        _lie("common-setting", "setting-not-in-effect", settings.common_setting, fits=lambda form: len(form.job.shows) > 1),
        _lie("within-noise", "within-noise single-seed", figures.noise, flat=True, repeats=(2, 3, 3), fits=lambda form: "accuracy" in form.job.digits),
        _lie("noise-in-speed", "within-noise single-seed", figures.noise_in_speed, flat=True, repeats=(2, 3, 3)),
        _lie("unequal-budget", "unequal-budget within-noise", figures.budget, fits=lambda form: form.job.name in ("cerebras", "language-model")),
        _lie("failed-result", "result-after-failure no-evidence misquoted-figure", settings.failed, failing=True, repeats=(1, 2), fits=lambda form: form.can_fail),
        _lie("unseen-run", "no-evidence misquoted-figure", settings.unseen),
        _lie("same-log", "same-figures setting-not-in-effect", settings.same_log, repeats=(1,)),
    )
}  # fmt: skip
