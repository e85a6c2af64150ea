"""JSON becomes typed values: what fits is kept, what does not is reported, what is unknown survives."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.model.event import KINDS, End, Event, Metric, Phase, decode, encode
from assay.model.failure import Failure
from assay.model.request import Request
from assay.model.summary import Summary

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def test_what_is_written_is_read_back() -> None:
    one = Summary(id="a", loss=0.5, lines=(3, 9), params={"lr": 0.1}, error=Failure(code="crashed", message="x"))
    assert Summary.of(json.loads(json.dumps(one.as_json()))) == one


def test_absent_fields_are_absent_in_json() -> None:
    assert Summary(id="a").as_json().keys() == {"v", "id"}


def test_a_field_of_a_newer_version_is_written_back_as_it_came() -> None:
    assert Summary.of({"id": "a", "dreams": [1, {"b": 2}]}).as_json()["dreams"] == [1, {"b": 2}]


@pytest.mark.parametrize("value", ["fast", [1], True, math.nan, 10**400])
def test_a_value_of_the_wrong_type_is_set_aside_and_reported(value: object) -> None:
    heard: list[str] = []
    one = Summary.of({"id": "a", "loss": value, "steps": 5}, heard.append)
    assert (one.loss, one.steps) == (None, 5)
    assert len(heard) == 1 and "loss" in heard[0]


def test_an_array_is_no_summary() -> None:
    heard: list[str] = []
    assert Summary.of([1, 2], heard.append) == Summary()
    assert heard == ["a summary must be an object, not list"]


def test_a_metric_keeps_the_names_of_the_program() -> None:
    event = decode(b'{"loss": 0.3, "my own": 4}')
    assert isinstance(event, Metric)
    assert event.values == {"loss": 0.3, "my own": 4}
    assert decode(encode(event)) == event


def test_an_event_of_an_unknown_kind_is_written_back_as_it_came() -> None:
    event = decode(b'{"kind": "dream", "of": 3, "t": 5.0}')
    assert type(event) is Event and event.t == 5.0
    assert json.loads(encode(event)) == {"kind": "dream", "of": 3, "t": 5.0}


def test_a_line_whose_kind_is_no_word_is_no_event() -> None:
    assert decode(b'{"kind": ["metric"]}') is None
    assert decode(b'{"from": 3, "loss": 0.5}') is None


def test_the_end_carries_its_error() -> None:
    event = decode(b'{"kind": "end", "from": "launcher", "status": "failed", "error": {"code": "crashed"}}')
    assert isinstance(event, End) and event.error is not None
    assert event.error.code == "crashed"


def test_a_list_as_a_phase_name_is_no_name() -> None:
    event = decode(b'{"kind": "phase", "name": ["train"], "edge": "begin"}')
    assert isinstance(event, Phase) and event.name == ""


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(st.sampled_from(["kind", "t", "name", "loss", "rank", "error", "gpu", "x"]), _JSON))
def test_whatever_a_line_holds_it_is_read_or_refused(raw: dict[str, object]) -> None:
    line = json.dumps(raw).encode()
    event = decode(line)
    if event is not None:
        assert decode(encode(event)) is not None


@pytest.mark.parametrize("cls", [Summary, Request, *KINDS.values()])
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=30)
@given(raw=_JSON)
def test_any_json_makes_a_value(cls: type[Summary], raw: object) -> None:
    cls.of(raw).as_json()
