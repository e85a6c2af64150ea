"""One run each: what would have to be true for a difference to be chance, and whose spread may be borrowed."""

from __future__ import annotations

import pytest
from making import compared, run, verdict

from assay.comparing.verdict import Verdict
from assay.model.pace import Pace
from assay.model.summary import Summary
from assay.views.comparison_files import as_dict


def paced(batch: int, rate: float, error: float = 0.004, **fields: str) -> Summary:
    pace = Pace(steady=True, left_out_share=0.0, error=error, blocks=40)
    return run(batch, samples_per_s_own=rate, samples_per_s_steady=rate, pace=pace.as_json(), **fields)


def only(found: list[Verdict], figure: str = "samples_per_s") -> Verdict:
    (one,) = [verdict for verdict in found if verdict.figure.name == figure]
    return one


def test_a_difference_beyond_the_steps_names_the_scatter_that_could_explain_it() -> None:
    found = compared([paced(8, 100.0), paced(16, 130.0)])
    assert verdict(found, "samples_per_s", "16") == (
        "1.30 × the throughput from one run each (1.29–1.31 by their steps alone); chance could explain it only if "
        "runs vary by more than 9.5 %"
    )
    one = only(found.verdicts)
    assert (one.kind, one.different) == ("once", None)
    told = as_dict(found)["verdicts"]
    assert isinstance(told, list)
    assert told[0]["once"]["scatter"] == pytest.approx(9.46, abs=0.01)
    assert told[0]["once"]["low"] == pytest.approx(1.285, abs=0.005)


def test_a_difference_within_the_noise_of_steps_is_called_that() -> None:
    text = verdict(compared([paced(8, 100.0), paced(16, 101.0, 0.02)]), "samples_per_s", "16")
    assert text.startswith(
        "1.01 × the throughput from one run each, which the noise within the runs could explain (0.9"
    )


def test_of_more_groups_the_widest_pair_needs_less_scatter() -> None:
    two = only(compared([paced(8, 100.0), paced(16, 130.0)]).verdicts).once
    four = compared([paced(8, 100.0), paced(16, 130.0), paced(32, 110.0), paced(64, 105.0)]).verdicts[0].once
    assert two is not None and four is not None
    assert four.scatter == pytest.approx(two.scatter * 1.96 / 2.569, rel=0.01)  # Tukey's range of four


def test_differences_of_accuracy_are_given_in_points() -> None:
    text = verdict(compared([run(8, accuracy=0.9), run(16, accuracy=0.92)]), "accuracy", "16")
    assert (
        "2.00 points of accuracy more from one run each; chance could explain it only if runs vary by more than" in text
    )
    assert text.endswith("points")


def test_a_spread_is_borrowed_only_of_the_same_model() -> None:
    def said(**fields: str) -> str:
        runs = [run(8, samples_per_s_avg=100.0, **fields), run(16, samples_per_s_avg=120.0, **fields)]
        return verdict(compared(runs), "samples_per_s", "16")

    assert "by the spread of 21 runs of BERT-large" in said(system="cerebras", model="bert_large_MSL128")
    unknown = said(system="cerebras")
    assert "21 runs of BERT-large varied by 0.32 %; nothing shows that these are of the same task" in unknown
    assert "BERT" not in said(system="cerebras", model="gpt3")
    assert "BERT" not in said(system="graphcore", model="bert-large")


def test_a_spread_of_other_groups_is_borrowed_only_of_the_same_program() -> None:
    def said(program: str) -> str:
        once = [run(8, samples_per_s_avg=100.0, program="a.py"), run(16, samples_per_s_avg=150.0, program="a.py")]
        many = [run(32, samples_per_s_avg=rate, program=program) for rate in (200.0, 202.0, 198.0)]
        return verdict(compared(once + many), "samples_per_s", "16")

    assert "by the spread of the groups that were repeated" in said("a.py")
    assert "chance could explain it only if runs vary by more than" in said("b.py")


def test_a_large_ratio_is_shown_without_a_power_of_ten() -> None:
    found = compared([run(8, latency_ms=14.8), run(16, latency_ms=0.05)])
    assert "runs vary by more than 210 %" in verdict(found, "latency_ms", "16")
