"""`assay data`: what is here, what is whole, what can be had."""

import json
import shutil
from pathlib import Path

import pytest
from conftest import Assay

VOCAB = Path(__file__).parents[4] / "shared/data/bert-vocab/vocab.txt"
NO_NETWORK = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "https_proxy": "http://127.0.0.1:9", "no_proxy": ""}


@pytest.fixture
def place(assay: Assay) -> Path:
    assay.env |= {"ASSAY_DATA": str(assay.folder / "data"), "http_proxy": "http://127.0.0.1:9", **NO_NETWORK}
    return assay.folder / "data"


def states(assay: Assay, *words: str) -> dict[str, str]:
    return {row["name"]: row["state"] for row in json.loads(assay("data", *words, "--json").stdout)}


def test_a_fresh_machine_has_none_of_it_and_that_is_no_error(assay: Assay, place: Path) -> None:
    done = assay("data")
    assert done.returncode == 0
    assert str(place).encode() in done.stdout
    assert set(states(assay).values()) == {"not here"}
    assert not place.exists()


@pytest.mark.skipif(not VOCAB.is_file(), reason="no data at hand")
def test_a_damaged_file_is_found_by_its_hash_and_fails_the_check(assay: Assay, place: Path) -> None:
    place.mkdir()
    shutil.copyfile(VOCAB, place / "vocab.txt")
    assert states(assay, "check", "vocab") == {"vocab": "checked"}
    content = bytearray((place / "vocab.txt").read_bytes())
    content[1000] ^= 1
    (place / "vocab.txt").write_bytes(content)
    assert states(assay)["vocab"] == "here"  # by its size alone
    done = assay("data", "check", "vocab")
    assert done.returncode == 1
    assert b"is damaged" in done.stdout
    (place / "vocab.txt").write_bytes(content[:1000])
    assert b"is cut short: 1,000 of 231,508 bytes" in assay("data", "list", "vocab").stdout


def test_without_a_network_a_fetch_says_so_and_what_to_do(assay: Assay, place: Path) -> None:
    done = assay("data", "fetch", "vocab")
    assert done.returncode == 1
    assert b"error: no vocab data was found" in done.stderr
    assert b"hint: give a folder with `vocab.txt`" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_set_that_is_none_gets_a_suggestion(assay: Assay, place: Path) -> None:
    done = assay("data", "fetch", "mnits")
    assert done.returncode == 2
    assert b"hint: did you mean `mnist`?" in done.stderr
