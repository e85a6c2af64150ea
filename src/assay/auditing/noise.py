"""How far identical runs are apart, where it has been seen: for pages that hold no repeats of their own."""

from __future__ import annotations

from assay import systems
from assay.model.known import KnownSpread

#: by which name a sentence speaks of a figure that the table has under another
_NAMES = {"rate": "samples_per_s"}


def known(system: str, figure: str) -> KnownSpread | None:
    wanted = _NAMES.get(figure, figure)
    return next((one for one in systems.of(system).spreads if one.figure == wanted), None)
