"""The documents say what the model holds, and the model holds what runs say."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import Assay

from assay.model.document import table, whole_schema
from assay.model.failure import ERROR_CODES
from assay.model.summary import Summary

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "tests" / "seeds" / "page_000.md"


def test_the_table_in_the_document_is_that_of_the_model() -> None:
    assert table(Summary) in (ROOT / "docs" / "formats.md").read_text()


def test_the_schema_beside_it_is_that_of_the_model() -> None:
    assert json.loads((ROOT / "docs" / "schema.json").read_text()) == whole_schema()


def test_the_document_lists_every_error_code() -> None:
    assert " ".join(ERROR_CODES) in (ROOT / "docs" / "formats.md").read_text()


def test_every_field_of_a_recorded_run_is_documented(assay: Assay) -> None:
    script = "import assay; assay.params(lr=0.1); assay.log(step=1, loss=0.5, mine=3); assay.result(accuracy=0.9)"
    assay("run", "-q", "--param", "batch_size=8", "--tag", "x", "--", "python3", "-c", script)
    heard: list[str] = []
    summary = Summary.of(assay.summary(), heard.append)
    assert (dict(summary.extra), heard) == ({}, [])
    assert {**summary.as_json()} == assay.summary()


def test_every_field_of_an_imported_page_is_documented(assay: Assay) -> None:
    for raw in json.loads(assay("ingest", "--json", PAGE).stdout):
        summary = Summary.of(raw)
        assert (dict(summary.extra), summary.as_json()) == ({}, raw)
