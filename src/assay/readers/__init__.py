"""Readers turn the text of a log into events: one file each, and one line in this table."""

from __future__ import annotations

from assay.readers.accounting import Accounting
from assay.readers.base import Reader
from assay.readers.cerebras import Cerebras
from assay.readers.generic import Generic
from assay.readers.graphcore import Graphcore
from assay.readers.groq import Groq
from assay.readers.psrecord import Psrecord
from assay.readers.sambanova import SambaNova
from assay.readers.serving import Serving

#: systems, in the order in which they are asked about a line that no run is expecting
READERS: dict[str, type[Reader]] = {
    "cerebras": Cerebras,
    "groq": Groq,
    "psrecord": Psrecord,
    "sambanova": SambaNova,
    "graphcore": Graphcore,
    "serving": Serving,
    "accounting": Accounting,
    "generic": Generic,
}
