"""The reader of job accounting: it asks the formats in the table below, in their order."""

from __future__ import annotations

from assay.lines import Line
from assay.readers.accounting.account import Account, Format
from assay.readers.accounting.epilogue import Epilogue
from assay.readers.accounting.gpus import GpuQuery, GpuTable
from assay.readers.accounting.jobstats import Jobstats
from assay.readers.accounting.monitors import Dmon, RocmCsv, RocmSmi
from assay.readers.accounting.qstat import Qstat
from assay.readers.accounting.sacct import Sacct
from assay.readers.accounting.seff import Seff
from assay.readers.accounting.timed import TimeV
from assay.readers.counted import without_rank
from assay.reading.reader import Answer, Reader

FORMATS: tuple[type[Format], ...] = (
    TimeV, GpuQuery, GpuTable, Dmon, RocmCsv, RocmSmi, Jobstats, Seff, Epilogue, Qstat, Sacct,
)  # fmt: skip


class Accounting(Account):
    """What a scheduler, `time` or a GPU's tool reports of one job."""

    hears_commands = True
    anchors = tuple(dict.fromkeys(anchor for form in FORMATS for anchor in form.anchors))

    def __init__(self, formats: tuple[Format, ...] | None = None) -> None:
        super().__init__()
        self._formats = formats or tuple(form() for form in FORMATS)

    def read(self, line: Line) -> Answer:
        text = without_rank(line.text).lstrip("> ").rstrip()
        for form in self._formats:
            answer = form.read(self, line, text)
            if answer is not None:
                return answer
        return None

    def heir(self) -> Reader:
        """The next job of the same table."""
        heir = Accounting(self._formats)
        heir.in_table = self.in_table
        return heir
