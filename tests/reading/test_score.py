"""Real files, read by hand beforehand: what we find in them is counted by the scorer that lies beside them."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from reading import CORPUS, KNOWN, json_summaries

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parents[2]
needs_corpus = pytest.mark.skipif(
    not (CORPUS / "truth.json").is_file() or not (CORPUS / "score.py").is_file(), reason="the corpus is not here"
)


def scorer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("corpus_score", CORPUS / "score.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@needs_corpus
def test_nearly_every_fact_of_the_corpus_is_found_and_no_run_is_invented(tmp_path: Path) -> None:
    score = scorer()
    book = json.loads((CORPUS / "truth.json").read_text(), parse_float=score.Printed)
    right = wanted = invented = 0
    wrong: list[str] = []
    for name, truth in book.items():
        if not name.startswith(KNOWN):
            continue
        file = score.locate(name, truth, CORPUS)
        assert file is not None, name
        results, _, _, more = score.judge(truth, json_summaries(file, tmp_path), set())
        wrong += [f"{name}: {text}" for text, ok in results if not ok]
        right, wanted, invented = right + sum(ok for _, ok in results), wanted + len(results), invented + more
    assert right >= 0.97 * wanted, "\n".join(wrong)
    assert invented == 0, "\n".join(line for line in wrong if "runs: want" in line)


def test_without_a_corpus_the_score_says_so_and_is_no_failure(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, PROJECT / "bench" / "score.py", tmp_path], capture_output=True, check=False)
    assert done.returncode == 0
    assert done.stdout.decode() == f"nothing scored: no truth.json and no score.py in {tmp_path}\n"
