"""Which device a figure is of, where the runs of a page are those of two: `2.23 ms on the CPU, 0.06 ms on the chip`."""

from __future__ import annotations

from collections.abc import Sequence, Set

from assay.auditing.case import Run
from assay.language.lex import lex
from assay.language.vocabulary import words

_CHIPS, _HOSTS = words("CHIPS"), words("HOSTS")


def on_device(runs: Sequence[Run], pieces: Sequence[str], after: str) -> list[Run]:
    """Runs of the one device that stands beside the figure: before it, if one stands before the first figure of the
    sentence, else behind it. Nothing where the runs are not those of a host and a chip."""
    devices = {str(run.summary.device).lower() for run in runs if run.summary.device}
    if len(devices) != 2 or "cpu" not in devices or not pieces:
        return []
    named = devices_in(pieces[-1] if devices_in(pieces[0], devices) else after, devices)
    return [run for run in runs if str(run.summary.device).lower() in named] if len(named) == 1 else []


def devices_in(text: str, devices: Set[str]) -> set[str]:
    """Those that a text names; beside a host, a chip is the other one."""
    said = {word for token in lex(text) for word in token.text.split(" ")}
    named = {one for one in devices if any(word.startswith(one) for word in said)}
    if len(devices) == 2 and "cpu" in devices:
        named |= {"cpu"} if said & _HOSTS else set()
        named |= devices - {"cpu"} if said & _CHIPS else set()
    return named
