"""What the reading of logs works with, put together by whoever knows all readers (`systems.kit()`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.readers.base import Reader
from assay.readers.failures import Failures


@dataclass(frozen=True, kw_only=True)
class Kit:
    """Readers by name, in the order in which they are asked; and the failures that are known, whoever's they are."""

    readers: Mapping[str, type[Reader]]
    failures: Failures = field(default_factory=Failures)
