"""Settings that a recorded command states: kept with where they were said, compared by, and held against --param."""

from __future__ import annotations

import json
import stat
import sys
from typing import Any

import pytest
from conftest import Assay

PYTHON = sys.executable
SILENT = "import sys; print('loss: 0.5')"
TELLING = "import sys; print('batch_size: ' + sys.argv[sys.argv.index('--batch_size') + 1]); print('loss: 0.5')"


def last(assay: Assay) -> Any:
    return json.loads(assay("show", "last", "--json").stdout)[0]


def found_wrong(assay: Assay) -> list[str]:
    """How severe each finding is that speaks of a setting; others may speak of what else this machine does."""
    findings = json.loads(assay("audit", "--json").stdout)
    return [one["severity"] for one in findings if one["code"] == "setting-not-in-effect"]


def test_two_batch_sizes_of_one_script_are_two_groups(assay: Assay) -> None:
    script = assay.script(SILENT)
    for size in ("32", "32", "256"):
        assert assay("run", "-q", "--", PYTHON, script, "--batch_size", size, "--seed", size).returncode == 0
    found = json.loads(assay("compare", "--json").stdout)
    assert found["by"] == ["batch_size"]
    assert [len(group["runs"]) for group in found["groups"]] == [2, 1]
    assert "batch_size comes from the command line; the output does not confirm it" in assay("compare").stdout.decode()


def test_what_the_output_confirms_is_in_effect_and_a_claim_stays_a_claim(assay: Assay) -> None:
    assay("run", "-q", "--", PYTHON, assay.script(TELLING), "--batch_size", "32", "--depth", "3")
    found = last(assay)
    assert found["params"] == {"batch_size": 32}
    assert found["claims"] == {"batch_size": 32, "depth": 3}
    assert found["claim_sources"] == {"batch_size": "command", "depth": "command"}


def test_a_configuration_file_is_kept_without_its_secrets_for_its_owner_alone(assay: Assay) -> None:
    secret = "hf_0123456789abcdefghijABCDEFGHIJ0123"
    (assay.folder / "c.yaml").write_text(f"lr: 0.1\nhf_token: {secret}\n")
    assay("run", "-q", "--", PYTHON, assay.script(SILENT), "--config", "c.yaml")
    (config,) = assay.asked()["configs"]
    kept = assay.run_dir() / config["kept"]
    assert kept.read_text() == "lr: 0.1\nhf_token: ***\n" and config["masked"] and len(config["sha256"]) == 64
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert last(assay)["claim_sources"] == {"lr": "config c.yaml"}
    assert secret not in "".join(path.read_text() for path in assay.run_dir().rglob("*") if path.is_file())


@pytest.mark.parametrize(("script", "severity"), [(SILENT, "doubtful"), (TELLING, "wrong")])
def test_param_against_the_command_is_said_at_once_and_found_by_the_audit(
    assay: Assay, script: str, severity: str
) -> None:
    done = assay("run", "-p", "batch_size=999", "--", PYTHON, assay.script(script), "--batch_size", "128")
    warned = [line for line in done.stderr.decode().splitlines() if "warning: --param" in line]
    assert len(warned) == 1 and "999" in warned[0] and "128" in warned[0]
    assert found_wrong(assay) == [severity]


def test_words_for_one_thing_are_no_contradiction(assay: Assay) -> None:
    script = assay.script("print('dtype: torch.bfloat16'); print('batch_size: 128'); print('loss: 0.5')")
    assay("run", "-q", "--", PYTHON, script, "--dtype", "bf16", "--batch_size", "32", "--num_procs", "4")
    assert found_wrong(assay) == []


def test_a_flag_that_the_log_contradicts_is_found(assay: Assay) -> None:
    script = assay.script("print('epochs: 10'); print('loss: 0.5')")
    assay("run", "-q", "--", PYTHON, script, "--epochs", "50")
    assert found_wrong(assay) == ["wrong"]


def test_a_target_given_as_a_flag_is_never_shown_as_a_result(assay: Assay) -> None:
    assay("run", "-q", "--", PYTHON, assay.script("print('hello')"), "--accuracy", "0.9")
    assert assay("ls", "--columns", "name,accuracy").stdout.split()[-1] != b"90"
    assert json.loads(assay("ls", "accuracy>0.5", "--json").stdout) == []
