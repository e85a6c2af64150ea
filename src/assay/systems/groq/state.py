"""GroqFlow's build cache: `state.yaml` says what was built, for which shapes, and how fast the compiler reckons it."""

from __future__ import annotations

from assay.model.event import Event, read
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
    shapes = state.get("expected_input_shapes")
    shape = shapes.get("input_ids") if isinstance(shapes, dict) else None
    if isinstance(shape, (list, tuple)) and len(shape) == 2 and all(isinstance(size, int) for size in shape):
        events.append(_event("param", batch_size=shape[0], seq_len=shape[1]))
    info = state.get("info")
    latency_s = info.get("deterministic_compute_latency") if isinstance(info, dict) else None
    if isinstance(latency_s, (int, float)) and 0 < latency_s < 1e6:
        events.append(_event("result", on_chip_latency_ms=latency_s * 1000, on_chip_inferences_per_s=1 / latency_s))
    config = state.get("config")
    name = config.get("build_name") if isinstance(config, dict) else None
    if isinstance(name, str):
        events.append(_event("how", model=name))
    return events


def _status(text: str) -> str:
    return "completed" if "success" in text else "failed" if "fail" in text else "unfinished"


def _event(kind: str, **facts: object) -> Event:
    return read("reader:groq", 1, kind, facts)


STATE = OwnFile(names=("state.yaml", "state.yml"), read=_read, device="groq")
