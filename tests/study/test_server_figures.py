"""What a server used while it was measured, from the samples of its run."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.model.event import Phase, Sample
from assay.probes.rapl import RaplProbe
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


def test_joules_of_a_token_come_from_the_counters_of_the_processor_packages(tmp_path: Path) -> None:
    """A folder as RAPL has it, whose counter grows by 30 W while the server is measured, and by 5 W before."""
    package = tmp_path / "intel-rapl:0"
    package.mkdir()
    (package / "name").write_text("package-0\n")
    (package / "energy_uj").write_text("0\n")
    (package / "max_energy_range_uj").write_text("262143328850\n")
    probe, events, joules = RaplProbe(tmp_path), list[Sample](), 0.0
    for at_s in range(20):
        (package / "energy_uj").write_text(f"{round(1e6 * joules)}\n")
        events += [one.replace(source="probe:rapl", mono_s=float(at_s)) for one in probe.sample()]
        joules += 30.0 if at_s >= 10 else 5.0
    found = figures(Window(begin_s=10.0, end_s=18.0), events, 1200)
    assert found == {"server_energy_j": 240.0, "server_j_per_output_token": 0.2}


def test_what_was_not_sampled_is_absent() -> None:
    assert figures(Window(begin_s=200.0, end_s=210.0), samples(), 1000) == {}
    assert figures(Window(begin_s=104.0, end_s=105.0), [], 1000) == {}


def test_a_measurement_between_two_looks_has_the_memory_of_the_looks_around_it() -> None:
    looks = [Sample(mono_s=1.0, rss_bytes=3e8), Sample(mono_s=1.5, rss_bytes=4e8), Sample(mono_s=2.0, rss_bytes=9e8)]
    assert figures(Window(begin_s=1.1, end_s=1.4), looks, 10)["server_memory_bytes_max"] == 4e8
    assert "server_memory_bytes_max" not in figures(Window(begin_s=2.1, end_s=2.4), looks, 10)


def test_the_measurement_is_a_phase_of_the_client() -> None:
    edges = [Phase(name="warmup", edge="begin", mono_s=1), Phase(name="measure", edge="begin", mono_s=2)]
    assert measured(edges) is None
    assert measured([*edges, Phase(name="measure", edge="end", mono_s=9)]) == Window(begin_s=2, end_s=9)
