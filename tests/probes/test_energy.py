"""Energy: counters read right, and told apart: measured, estimated, unavailable."""

from pathlib import Path

from assay.model.event import Sample
from assay.probes.rapl import RaplProbe, packages
from assay.summary.machine import Machine


def domain(folder: Path, name: str, label: str, uj: int) -> Path:
    place = folder / name
    place.mkdir()
    (place / "name").write_text(label + "\n")
    (place / "energy_uj").write_text(f"{uj}\n")
    (place / "max_energy_range_uj").write_text("262143328850\n")
    return place


def test_packages_are_added_up_and_the_parts_inside_them_are_not(tmp_path: Path) -> None:
    first = domain(tmp_path, "intel-rapl:0", "package-0", 1_000_000)
    second = domain(tmp_path, "intel-rapl:1", "package-1", 5_000_000)
    domain(tmp_path, "intel-rapl:0:0", "core", 1)
    probe = RaplProbe(tmp_path)
    (first / "energy_uj").write_text("3500000\n")
    (second / "energy_uj").write_text("5500000\n")
    assert probe.sample() == [Sample(cpu_energy_j=3.0)]


def test_a_counter_that_starts_again_is_no_negative_energy(tmp_path: Path) -> None:
    place = domain(tmp_path, "intel-rapl:0", "package-0", 262143328000)
    probe = RaplProbe(tmp_path)
    (place / "energy_uj").write_text("999150\n")
    assert probe.sample() == [Sample(cpu_energy_j=1.0)]


def test_a_counter_that_may_not_be_read_is_no_counter(tmp_path: Path) -> None:
    place = domain(tmp_path, "intel-rapl:0", "package-0", 1)
    (place / "energy_uj").unlink()
    assert packages(tmp_path) == []
    assert packages(tmp_path / "nowhere") == []


def gpu_sample(at_s: float, **facts: float) -> Sample:
    return Sample(source="probe:gpu", gpu=0, at_s=at_s, gpu_mem_bytes=1 << 30).replace(**facts)


def energy(*samples: Sample) -> tuple[object, object]:
    machine = Machine()
    for sample in samples:
        machine.add(sample)
    summary = machine.summary(10.0, [])
    return summary.energy_j, str(summary.energy_source).partition(":")[0]


def test_a_counter_is_measured() -> None:
    assert energy(gpu_sample(0, energy_j=0.0, power_w=100), gpu_sample(10, energy_j=1234.5, power_w=100)) == (
        1234.5,
        "measured",
    )


def test_power_times_time_is_an_estimate() -> None:
    assert energy(gpu_sample(0, power_w=100), gpu_sample(10, power_w=300)) == (2000.0, "estimated")


def test_a_gpu_that_the_run_does_not_use_is_not_charged_to_it() -> None:
    idle = Sample(source="probe:gpu", gpu=1, at_s=1.0, energy_j=700.0, gpu_util_pct=90)
    assert energy(idle) == (None, "unavailable")


def test_package_energy_says_that_it_is_the_whole_hosts() -> None:
    machine = Machine()
    machine.add(Sample(source="probe:rapl", at_s=1.0, cpu_energy_j=50.0))
    summary = machine.summary(1.0, [])
    assert summary.energy_j == 50.0
    assert "whole host" in str(summary.energy_source)
