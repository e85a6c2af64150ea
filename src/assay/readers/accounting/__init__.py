"""Job accounting: one reader, and one small file for each format that it knows."""

from assay.readers.accounting.reader import Accounting

__all__ = ["Accounting"]
