"""Readers turn the text of a log into events: one file each, and one line in this table.

Here are those of no system: of frameworks and tools that run on any hardware. A vendor's stands in `systems/`.
"""

from __future__ import annotations

from assay.reading.jobs import Account
from assay.readers.serving import Serving
from assay.reading.reader import Reader
from assay.reading.script import Script

#: in the order in which they are asked about a line that no run is expecting, after those of the systems
READERS: dict[str, type[Reader]] = {
    "serving": Serving,
    "accounting": Account,
    "generic": Script,
}
