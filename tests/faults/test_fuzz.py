"""A few strange inputs for every target, the same ones each time; and every input that was ever not survived."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.fuzz.campaign import campaign
from faults.fuzz.inputs import SOURCES
from faults.fuzz.session import FOUND, Fault, Session, target_of
from faults.fuzz.targets import TARGETS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="faults are injected and watched through /proc"),
]
SEED = 7
EACH = 8


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(tmp_path_factory.mktemp("found")) as made:
        yield made


@pytest.mark.parametrize("target", SOURCES)
def test_strange_inputs_are_survived_or_refused(session: Session, target: str) -> None:
    found: list[Fault] = []
    campaign(session, SEED, EACH, found.append, [target])
    assert not found, "\n".join(f"{fault}\n{fault.wrong}" for fault in found)


@pytest.mark.parametrize("path", sorted(FOUND.glob("*.input")), ids=lambda path: path.stem)
def test_an_input_that_was_once_not_survived_is_now(session: Session, path: Path) -> None:
    fault = session.feed(target_of(path, list(TARGETS)), path.read_bytes())
    assert fault is None, fault.wrong


def test_the_worker_notices_what_raises_takes_too_long_or_too_much(session: Session, tmp_path: Path) -> None:
    """Controls: targets that do what no input may make ours do."""
    raises, slow, large = (session.feed(f"control: {name}", b"", cpu_s=1) for name in ("raises", "is slow", "is large"))
    assert raises and "ZeroDivisionError" in raises.wrong
    assert slow and "-24: too much CPU time" in slow.wrong and "_spin" in slow.wrong
    assert large and "memory" in large.wrong
    assert session.feed("readers", b"step 1 loss 0.5\n") is None  # the next one is not harmed
