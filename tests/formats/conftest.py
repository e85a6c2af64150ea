"""What the tests of formats share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "ingest"))

from assay import systems
from assay.reading import formats


@pytest.fixture
def fresh_formats() -> Iterator[None]:
    """Descriptions are found anew, and forgotten afterwards."""
    formats.formats.cache_clear()
    systems.kit.cache_clear()
    yield
    formats.formats.cache_clear()
    systems.kit.cache_clear()
