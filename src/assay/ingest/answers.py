"""What `assay write` put into a page between the words of its author: Assay's own sentences, which claim nothing.

    <!-- assay -->                                  in a web page: <section class="assay"> … </section>
    | batch_size | n | loss |
    - throughput: no clear winner: 32 leads, but was run once
    <!-- /assay -->

Tables are read like any other, so a figure changed by hand is found.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.reading.html import ANSWER_BEGINS as BEGINS
from assay.reading.html import ANSWER_ENDS as ENDS


def answered(texts: Sequence[str]) -> set[int]:
    """Places of the lines that stand in answers, and of their marks."""
    found: set[int] = set()
    inside = False
    for at, text in enumerate(texts):
        mark = text.strip()
        if inside or mark in (BEGINS, ENDS):
            found.add(at)
        inside = (inside or mark == BEGINS) and mark != ENDS
    return found if not inside else {at for at in found if texts[at].strip() in (BEGINS, ENDS)}
