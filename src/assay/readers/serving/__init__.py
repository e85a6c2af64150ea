"""Benchmarks of serving and inference: one reader, and one small file for each format that it knows."""

from assay.readers.serving.reader import Serving

__all__ = ["Serving"]
