"""Servers as entries of places.yaml: named by --on, by url=, or in the grid of a study."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Assay
from known import Known, serving_known

from assay.errors import UsageError
from assay.launchers.endpoints import expanded, load_endpoints
from assay.launchers.places import load_places

ROOT = Path(__file__).parents[2]
CLIENT = ["python", "-m", "assay.serving.endpoint"]
PLACES = """
metis:
  endpoint: {url}
  key_env: METIS_TOKEN
  models: {{small: known/ttft=30, large: known/ttft=60}}
  ready_s: 5
sophia:
  endpoint: {url}
  models: [known]
here:
  launcher: local
"""


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Known]:
    with serving_known(tmp_path_factory.mktemp("known")) as server:
        yield server


def places(folder: Path, text: str) -> Path:
    path = folder / "places.yaml"
    path.write_text(text)
    return path


def test_a_name_stands_for_an_address_a_key_and_a_model(tmp_path: Path) -> None:
    file = places(tmp_path, PLACES.format(url="https://h/v1"))
    assert set(load_endpoints(file)) == {"metis", "sophia"} and "metis" not in load_places(file)
    assert "here" in load_places(file)
    found = expanded([*CLIENT, "url=metis", "model=large", "requests=3", "ready_s=9"], file)
    assert found == [
        *CLIENT, "url=metis", "requests=3", "ready_s=9", "model=large", "served_as=known/ttft=60",
        "base_url=https://h/v1", "key_env=METIS_TOKEN",
    ]  # fmt: skip
    assert expanded([*CLIENT, "url=sophia"], file)[-2:] == ["model=known", "base_url=https://h/v1"]
    for other in ([*CLIENT, "url=http://a/v1"], [*CLIENT, "url=localhost"], ["python", "train.py", "url=metis"]):
        assert expanded(other, file) == other


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: {endpoint: ftp://h}", "places.yaml:1: `url=ftp://h` is not an address"),
        ("a: {endpoint: http://me:secret@h}", "contains a password"),
        ("a: {endpoint: http://h, key: abc}", "unknown key `key`"),
        ("a:\n  endpoint: http://h\n  key_env: sk-123", "places.yaml:3: `sk-123` cannot be the name of a variable"),
        ("a: {endpoint: http://h, ready_s: soon}", "`ready_s` must be seconds"),
        ("a: {endpoint: http://h, models: gpt}", "`models` must be a list"),
    ],
)
def test_an_entry_that_cannot_be_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_endpoints(places(tmp_path, text))
    assert message in caught.value.message


def test_a_name_or_model_that_is_not_there_is_refused(tmp_path: Path) -> None:
    file = places(tmp_path, PLACES.format(url="https://h/v1"))
    with pytest.raises(UsageError) as caught:
        expanded([*CLIENT, "url=mettis"], file)
    assert caught.value.hint == "did you mean `metis`?"
    with pytest.raises(UsageError, match="`metis` has no model called `huge`"):
        expanded([*CLIENT, "url=metis", "model=huge"], file)


def test_a_study_over_two_servers_compares_them_by_name(assay: Assay, known: Known) -> None:
    assay.env["METIS_TOKEN"] = "sesame-0123456789"
    places(assay.folder, PLACES.format(url=known.url).replace("[known]", "{small: known}"))
    done = assay(
        "run", "--grid", "url=metis,sophia", "endpoint", "requests=4", "warmup=1", "output_len=3",
        "input_len=8", "model=small",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"metis" in done.stdout and b"sophia" in done.stdout
    summaries = [json.loads((path / "summary.json").read_bytes()) for path in assay.run_dirs()]
    assert {(one["params"]["url"], one["model"]) for one in summaries} == {("metis", "small"), ("sophia", "small")}
    assert all(b"sesame" not in path.read_bytes() for path in assay.runs.rglob("*") if path.is_file())


def test_on_names_a_server_for_the_client(assay: Assay, known: Known) -> None:
    places(assay.folder, PLACES.format(url=known.url))
    done = assay("run", "-q", "--on", "sophia", "endpoint", "requests=2", "warmup=0", "output_len=3", "input_len=8")
    assert done.returncode == 0, done.stderr
    assert (assay.summary()["params"]["url"], assay.summary()["model"]) == ("sophia", "known")
    assert b"no place called" in assay("run", "--on", "nowhere", "endpoint").stderr


DOCTORED = """
good: {{endpoint: {url}, key_env: GOOD_TOKEN, models: [known]}}
unset: {{endpoint: {url}, key_env: NOT_SET_ANYWHERE}}
other: {{endpoint: {url}, models: [gpt-oss]}}
closed: {{endpoint: "http://127.0.0.1:9/v1"}}
expired: {{endpoint: {url}/locked, key_env: GOOD_TOKEN}}
"""


def test_the_doctor_says_of_each_endpoint_whether_it_can_be_used_and_shows_no_key(assay: Assay, known: Known) -> None:
    assay.env["GOOD_TOKEN"] = "a-secret-0123456789"
    places(assay.folder, DOCTORED.format(url=known.url))
    done = assay("doctor", "--json")
    assert done.returncode == 0 and b"a-secret" not in done.stdout + done.stderr
    found = {one["name"]: (one["ready"], one["says"]) for one in json.loads(done.stdout) if one["kind"] == "endpoint"}
    assert found == {
        "good": (True, "the server answers; its models: known"),
        "unset": (False, "the server answers, but NOT_SET_ANYWHERE is not set: export NOT_SET_ANYWHERE=…"),
        "other": (False, "the server lists no model called `gpt-oss`; it has known"),
        "closed": (
            False,
            "http://127.0.0.1:9/v1 does not answer (refused): the server refused the connection",
        ),
        "expired": (
            False,
            "the server refuses the key in GOOD_TOKEN; tokens expire, so log in again (HTTP 401)",
        ),
    }


def test_the_example_study_is_one_that_could_be_started() -> None:
    file = ROOT / "examples/places/endpoints.yaml"
    assert set(load_endpoints(file)) == {"metis", "sophia", "minerva"}
    for name in ("metis", "sophia"):
        words = expanded([*CLIENT, f"url={name}", "model=gpt-oss"], file)
        assert (
            "key_env=INFERENCE_TOKEN" in words
            and "url: [metis, sophia]" in (ROOT / "examples/studies/two-endpoints.yaml").read_text()
        )
