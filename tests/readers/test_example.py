"""The reader that docs/reading.md shows how to write is a reader."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from reading import summaries

from assay import plugins, systems
from assay.reading.stream import Stream

PAGE = Path(__file__).parents[2] / "docs" / "reading.md"


@pytest.fixture
def tinytpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (source,) = re.findall(r"(?s)```python\n(.*?)```", PAGE.read_text())
    names: dict[str, type] = {}
    exec(source, names)
    added = {"assay.readers": {"tinytpu": names["TinyTpu"]}}
    monkeypatch.setattr(plugins, "load", lambda group, fits, taken=(): added.get(group, {}))
    systems.kit.cache_clear()
    yield
    systems.kit.cache_clear()


LOG = """\
[tinytpu] step 1 | loss 9.25 | 12.0 ex/s
[tinytpu] step 40 | loss 2.113 | 812.4 ex/s
[tinytpu] done: 5120 examples in 6.40 s
"""


def test_a_class_is_a_reader(tinytpu: None) -> None:
    first, second = summaries(LOG + LOG.replace("2.113", "2.5").rpartition("[")[0])
    assert (first["system"], first["status"], first["steps"], first["loss"]) == ("tinytpu", "completed", 40, 2.113)
    assert (first["samples_per_s"], first["samples_per_s_own"]) == (812.4, 800.0)
    assert (second["status"], second["loss"]) == ("unfinished", 2.5)


def test_it_reads_a_stream_as_well(tinytpu: None) -> None:
    found = []
    stream = Stream(found.append, systems.kit())
    for at in range(0, len(LOG), 7):
        stream.feed(LOG.encode()[at : at + 7])
    stream.finish()
    assert [(draft.system, len(draft.events)) for draft in found] == [("tinytpu", 4)]
