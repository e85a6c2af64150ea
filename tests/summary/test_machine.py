"""The machine's part of a summary: no figure that the samples do not carry."""

from assay.model.event import Sample
from assay.model.summary import Summary
from assay.summary.machine import Machine


def summary(*rss_bytes: int) -> Summary:
    machine = Machine()
    for count in rss_bytes:
        machine.add(Sample(source="probe:process", rss_bytes=count))
    return machine.summary(1.0, [])


def test_a_process_that_has_ended_is_not_one_without_memory() -> None:
    assert summary(0).rss_bytes_max is None
    assert summary(100, 300, 0).rss_bytes_mean == 200
