"""One table of names: whatever a program calls a figure, it is found under one name."""

from __future__ import annotations

import pytest

from assay.quantities import QUANTITIES, common_name, named, spellings


@pytest.mark.parametrize(
    ("told", "common"),
    [
        ({"acc": 0.5, "tok_s": 9.0}, {"accuracy": 0.5, "tokens_per_s": 9.0}),
        ({"iter": 3.0, "step": 500.0}, {"steps": 500.0}),
        ({"global_step": 500.0, "iter": 3.0}, {"steps": 500.0}),
        ({"accuracy": 0.5, "acc": 0.4}, {"accuracy": 0.5}),
        ({"iter": 3.0, "my_own": 1.0, "lr": 0.1}, {"steps": 3.0, "my_own": 1.0, "lr": 0.1}),
        ({"num_steps": 9.0}, {"num_steps": 9.0}),  # how many were asked for is no figure
    ],
)
def test_a_figure_has_one_name_and_the_plainer_spelling_counts(told: dict, common: dict) -> None:
    found = {common_name(name, told): figure for name, figure in told.items()}
    found.pop(None, None)
    assert found == common


def test_every_spelling_means_one_quantity() -> None:
    for one in QUANTITIES:
        assert [named(spelling) for spelling in spellings(one.name)] == [one] * len(spellings(one.name))
