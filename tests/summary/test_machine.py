"""The machine's part of a summary: no figure that the samples do not carry."""

from assay.model.event import Sample
from assay.summary.machine import Machine


def summary(*rss_bytes: int) -> dict[str, object]:
    machine = Machine()
    for count in rss_bytes:
        machine.add(Sample(source="probe:process", rss_bytes=count))
    return machine.summary(1.0, [])


def test_a_process_that_has_ended_is_not_one_without_memory() -> None:
    assert "rss_bytes_max" not in summary(0)
    assert summary(100, 300, 0)["rss_bytes_mean"] == 200
