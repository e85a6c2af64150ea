"""What a server used while it was measured, from the samples of its run."""

from __future__ import annotations

import pytest

from assay.model.event import Phase, Sample
from assay.study.server_figures import Window, figures, measured


def samples() -> list[Sample]:
    """A second apart, of a server that takes 10 W on each of two GPUs, 5 W on its CPUs, and half a core."""
    found = []
    for at in range(100, 121):
        found += [Sample(source="probe:gpu", mono_s=at, gpu=gpu, host="h", energy_j=10.0 * (at - 90)) for gpu in (0, 1)]
        found.append(Sample(source="probe:rapl", mono_s=at, cpu_energy_j=5.0 * (at - 100)))
        memory = 2e9 if at == 101 else 1e9 + at
        found.append(Sample(source="probe:process", mono_s=at, cpu_s=0.5 * at, memory_bytes=memory))
    return found


def test_energy_and_memory_are_those_of_the_measurement_alone() -> None:
    found = figures(Window(begin_s=104.5, end_s=112.5), samples(), 1000)
    assert found["server_energy_j"] == pytest.approx(8 * 25) and found["server_j_per_output_token"] == 0.2
    assert found["server_cpu_s"] == pytest.approx(4)
    assert found["server_memory_bytes_max"] == 1e9 + 112  # the peak before it does not count


def test_what_was_not_sampled_is_absent() -> None:
    assert figures(Window(begin_s=200.0, end_s=210.0), samples(), 1000) == {}
    assert figures(Window(begin_s=104.0, end_s=105.0), [], 1000) == {}


def test_the_measurement_is_a_phase_of_the_client() -> None:
    edges = [Phase(name="warmup", edge="begin", mono_s=1), Phase(name="measure", edge="begin", mono_s=2)]
    assert measured(edges) is None
    assert measured([*edges, Phase(name="measure", edge="end", mono_s=9)]) == Window(begin_s=2, end_s=9)
