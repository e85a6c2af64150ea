"""So many inputs to every target: half of them fixtures that were spoilt, half made by Hypothesis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from random import Random

import hypothesis
from hypothesis import HealthCheck, Phase, settings

from faults.fuzz.inputs import SOURCES
from faults.fuzz.session import Fault, Session

Tell = Callable[[Fault], None]


def campaign(session: Session, seed: int, count: int, tell: Tell, targets: Iterable[str] = SOURCES) -> Counter[str]:
    """Faults by target. Spread evenly; what is found is told at once."""
    chosen = list(targets)
    each = -(-count // len(chosen))
    found: Counter[str] = Counter()
    for target in chosen:
        for fault in _spoilt(session, target, seed, each - each // 2) + _made(session, target, seed, each // 2):
            found[target] += 1
            tell(fault)
    return found


def _spoilt(session: Session, target: str, seed: int, count: int) -> list[Fault]:
    found = []
    for index in range(count):
        chance = Random(f"{target}:{seed + index}")
        fault = session.feed(target, SOURCES[target].spoilt(chance, session.template))
        found += [fault] if fault else []
    return found


def _made(session: Session, target: str, seed: int, count: int) -> list[Fault]:
    """Hypothesis only chooses: every input is counted, and none is tried again in another form."""
    found = []

    @hypothesis.seed(seed)
    @settings(max_examples=max(1, count), deadline=None, database=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @hypothesis.given(SOURCES[target].made)
    def feed(content: bytes) -> None:
        fault = session.feed(target, content)
        found.extend([fault] if fault else [])

    feed()
    return found
