"""Events of a shape that was met before are read the quick way: they are what the slow way makes of them."""

import json
import math

import pytest

from assay.model.event import KINDS, Event, decode, encode

LINES = [
    {"kind": "sample", "from": "probe:gpu", "t": 1.5, "gpu": 0, "power_w": 650.5, "throttle": ["power cap"]},
    {"kind": "sample", "from": "probe:gpu", "t": 1.5, "gpu": 0, "power_w": 650.5, "throttle": []},
    {"kind": "sample", "from": "probe:gpu", "t": 1.5, "gpu": 0, "power_w": 650.5, "throttle": [1]},
    {"kind": "sample", "from": "probe:gpu", "t": 1.5, "gpu": 0, "power_w": -1.5, "throttle": []},
    {"kind": "sample", "from": "probe:gpu", "t": 1.5, "gpu": 0, "power_w": math.nan, "throttle": []},
    {"kind": "sample", "t": 1.5, "gpu": 10**400, "unheard_of": 3},
    {"kind": "sample", "t": -1.5, "gpu": 1, "unheard_of": "x"},
    {"kind": "metric", "step": 3, "loss": 0.5, "rank": 1},
    {"kind": "metric", "step": 3, "loss": math.nan, "rank": 1},
    {"kind": "metric", "step": 3, "loss": -1e200, "rank": 1},
    {"kind": "metric", "step": 3, "loss": -0.5, "rank": 1},
    {"kind": "metric", "loss": 0.5, "gpu": [1]},
    {"kind": "end", "status": "completed", "exit_code": 0, "error": {"code": "oom", "message": "x"}},
    {"kind": "beat", "beside": ["1 a", "2 b"]},
    {"kind": "how"},
]  # fmt: skip


@pytest.mark.parametrize("line", LINES, ids=lambda line: json.dumps(line)[:60])
def test_an_event_is_the_same_whichever_way_it_was_read(line: dict[str, object]) -> None:
    heard: tuple[list[str], list[str]] = ([], [])
    raw = json.dumps(line).encode()
    quick = [decode(raw, heard[0].append) for _ in range(2)][1]
    kind = KINDS[str(line["kind"])]
    slow = kind._one_by_one({name: value for name, value in json.loads(raw).items() if name != "kind"}, heard[1].append)
    assert isinstance(quick, Event)
    assert sorted(json.loads(encode(quick)), key=str) == sorted(json.loads(encode(slow)), key=str)
    assert json.dumps(quick.as_json(), sort_keys=True) == json.dumps(slow.as_json(), sort_keys=True)
    assert heard[0] == heard[1] * 2
