"""GroqFlow's build cache: `state.yaml` says what was built, for which shapes, and how fast the compiler reckons it."""

from __future__ import annotations

from assay.model.event import Event, read
from assay.model.values import number
from assay.systems.system import OwnFile


def _read(content: bytes, name: str) -> list[Event]:
    """One build. The classes that its tags name are plain values here."""
    from assay import looseyaml

    state = looseyaml.load(content, name)
    if not isinstance(state, dict) or not ({"build_status", "expected_input_shapes"} & state.keys()):
        return []
    return [*_facts(state), _event("end", status=_status(str(state.get("build_status", ""))))]


def _facts(state: dict[str, object]) -> list[Event]:
    events: list[Event] = []
    settings = _settings(state.get("expected_input_shapes"))
    if settings:
        events.append(_event("param", **settings))
    info = state.get("info")
    results = _results(info) if isinstance(info, dict) else {}
    if results:
        events.append(_event("result", **results))
    config = state.get("config")
    name = config.get("build_name") if isinstance(config, dict) else None
    if isinstance(name, str):
        events.append(_event("how", model=name))
    return events


def _settings(shapes: object) -> dict[str, int]:
    """The first size of every input is the batch; the second of `input_ids` is how long its sequences are."""
    if not isinstance(shapes, dict):
        return {}
    sizes = {name: shape for name, shape in shapes.items() if isinstance(shape, (list, tuple)) and shape}
    first = {shape[0] for shape in sizes.values() if isinstance(shape[0], int)}
    found = {"batch_size": first.pop()} if len(first) == 1 and len(sizes) == len(shapes) else {}
    tokens = sizes.get("input_ids", ())
    if len(tokens) == 2 and all(isinstance(size, int) for size in tokens):
        found = {"batch_size": tokens[0], "seq_len": tokens[1]}
    return found


def _results(info: dict[str, object]) -> dict[str, float]:
    found: dict[str, float] = {}
    on_chip_s, measured_s = _seconds(info, "deterministic_compute_latency"), _seconds(info, "measured_latency")
    if on_chip_s is not None:
        found |= {"on_chip_latency_ms": on_chip_s * 1000, "on_chip_inferences_per_s": 1 / on_chip_s}
    if measured_s is not None:
        found |= {"latency_ms": measured_s * 1000, "inferences_per_s": 1 / measured_s}
    rate = _seconds(info, "measured_throughput")
    return found if rate is None else found | {"inferences_per_s": rate}


def _seconds(info: dict[str, object], name: str) -> float | None:
    value = number(info.get(name))
    return value if value is not None and 0 < value < 1e9 else None


def _status(text: str) -> str:
    return "completed" if "success" in text else "failed" if "fail" in text else "unfinished"


def _event(kind: str, **facts: object) -> Event:
    return read("reader:groq", 1, kind, facts)


STATE = OwnFile(
    names=("state.yaml", "state.yml"),
    endings=(".yaml", ".yml"),
    mark=b"groqflow_version:",
    read=_read,
    device="groq",
)
