"""The readers and failures that reading needs, put together by `systems.kit()`, which knows all readers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.readers.base import Reader
from assay.readers.failures import Failures


@dataclass(frozen=True, kw_only=True)
class Kit:
    """Readers by name, in the order in which they are asked, and the known failures of all systems."""

    readers: Mapping[str, type[Reader]]
    failures: Failures = field(default_factory=Failures)
