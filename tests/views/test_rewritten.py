"""Pages written anew: what the evidence contradicts is replaced, what it cannot show is marked, nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.ingest.files import Source, sources
from assay.views.rewritten import rewrite

SEEDS = Path(__file__).parents[1] / "seeds"
BAR = "Epochs: 100%|##########| 10/10 [01:48<00:00, 10.81s/it]"
CLAIMED = f"""# Homework

## Graphcore
I trained MNIST on the IPU with

epochs = 50

```
{BAR}
Accuracy on test set: 98.72%
```

With 50 epochs the IPU reached 98.72%.

## Elsewhere
Nothing was measured.
"""


def page(folder: Path, text: str, name: str = "page.md") -> Source:
    path = folder / name
    path.write_text(text)
    (source,) = sources([str(path)])
    assert isinstance(source, Source)
    return source


def test_a_contradicted_setting_becomes_the_one_that_ran_with_its_line(tmp_path: Path) -> None:
    found = rewrite(page(tmp_path, CLAIMED))
    assert "**epochs = 10 (not 50)**" in found
    assert f"> page.md:9: `{BAR}`" in found
    assert "- line 6, `setting-not-in-effect`: epochs = 50" in found


def test_a_claim_is_contradicted_wherever_the_page_repeats_it(tmp_path: Path) -> None:
    found = rewrite(page(tmp_path, CLAIMED))
    assert "With 50 epochs the IPU reached 98.72%. *(epochs = 50: the log shows 10)*" in found


def test_a_log_becomes_what_it_shows(tmp_path: Path) -> None:
    found = rewrite(page(tmp_path, CLAIMED))
    assert "(lines 8–11 of page.md)" in found
    assert "- graphcore: completed · epochs 10 · accuracy 98.72 %" in found
    assert "```" not in found


def test_one_section_comes_without_its_heading_and_without_the_others(tmp_path: Path) -> None:
    found = rewrite(page(tmp_path, CLAIMED), "elsewhere")
    assert found.strip() == "Nothing was measured."


def test_a_heading_that_is_not_there_is_an_error_that_names_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(AssayError) as problem:
        rewrite(page(tmp_path, CLAIMED), "Groq")
    assert "`Graphcore`" in str(problem.value.hint)


def test_a_log_is_no_page(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="not a page"):
        rewrite(page(tmp_path, "2024-03-30 14:09:43,663 INFO:   Effective batch size is 512.\n", "mytest.log"))


def test_code_without_a_run_stays_as_it_stands(tmp_path: Path) -> None:
    text = "# How\nStart it so:\n\n```sh\npsrecord 'python p0.py' --interval 0.5\n```\n\n1. one\n2. two\n"
    assert rewrite(page(tmp_path, text)) == text


def test_what_a_log_holds_begins_nothing_in_the_page(tmp_path: Path) -> None:
    hostile = CLAIMED.replace("Epochs: 100%", "<script>alert(1)</script> `` Epochs: 100%")
    found = rewrite(page(tmp_path, hostile))
    outside = [line for line in found.splitlines() if "<script>" in line]
    assert all("``` <script>" in line or "```<script>" in line for line in outside)


@pytest.mark.parametrize("number", range(5))
def test_no_sentence_of_a_page_is_lost(number: int) -> None:
    (source,) = sources([str(SEEDS / f"page_{number:03}.md")])
    assert isinstance(source, Source)
    from assay.auditing.load import case_of_file

    found = rewrite(source).replace("**", "").replace("`", "")
    for sentence in case_of_file(source).sentences:
        words = sentence.text.replace("`", "").split("](")[0]
        assert words[:60] in found or "<" in words or "screenshot" in words.lower(), sentence


def test_the_best_model_of_unequal_budgets_is_not_called_the_best() -> None:
    (source,) = sources([str(SEEDS / "page_002.md")])
    assert isinstance(source, Source)
    text, _, replaced = rewrite(source).partition("*Replaced")
    assert "The best model" not in text and "The best model" in replaced
    assert "had seen 4 times the samples" in text


def test_a_failure_comes_with_its_remedy() -> None:
    (source,) = sources([str(SEEDS / "page_003.md")])
    assert isinstance(source, Source)
    assert "give every run a fresh one)*" in rewrite(source)


def test_seconds_without_samples_and_what_the_chip_measured_are_kept(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# SambaNova\n\nntasks: 16\n\n```\n{'e2e_train_time': 452.12, 'training_sequences_per_second': 585608.1, "
        "'final_loss': 8.25, 'training_samples_per_second': 4575.06}\n```\n\n# Groq\n\n```\n"
        "| Source | Accuracy | end-to-end latency (ms) | end-to-end IPS | on-chip latency (ms) | on-chip IPS |\n"
        "+--------+----------+-------------------------+----------------+----------------------+-------------+\n"
        "|  cpu   |  77.47%  |           2.23          |     449.37     |          --          |      --     |\n"
        "|  groq  |  77.47%  |           0.05          |    18771.99    |         0.03         |   37576.72  |\n```\n"
    )
    (source,) = sources([str(page)])
    assert isinstance(source, Source)
    text = rewrite(source)
    assert "trained for 452.12 s" in text
    assert "on chip 0.03 ms, 37,576.7 inferences/s" in text
