"""A server behind TLS: measured if its certificate is trusted, and a hint on what to do if it is not."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from known import Known, client, environment, serving_known

SHORT = ("model=known", "requests=3", "warmup=1", "input_len=8", "output_len=4", "concurrency=2")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """It holds a certificate for localhost that nobody vouches for, with its key."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here to make a certificate")
    found = tmp_path_factory.mktemp("tls")
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
    named = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", "both.pem", "-out", "cert.pem"]
    subprocess.run([*made, *named], cwd=found, check=True, capture_output=True)
    with open(found / "both.pem", "ab") as both:
        both.write((found / "cert.pem").read_bytes())
    return found


@pytest.fixture(scope="module")
def behind_tls(folder: Path) -> Iterator[Known]:
    with serving_known(folder, "--tls", str(folder / "both.pem")) as server:
        yield server


def test_a_server_with_a_certificate_that_the_user_trusts_is_measured(folder: Path, behind_tls: Known) -> None:
    env = environment(SSL_CERT_FILE=str(folder / "cert.pem"))
    done = client(f"url=https://127.0.0.1:{behind_tls.port}", "ready_s=60", *SHORT, env=env)
    assert done.returncode == 0, done.stderr
    assert "3 requests in" in done.stdout and "failed" not in done.stdout


@pytest.mark.parametrize("more", [[], ["ready_s=0.3"]])
def test_a_certificate_that_no_one_vouches_for_is_refused(behind_tls: Known, more: list[str]) -> None:
    done = client(f"url=https://127.0.0.1:{behind_tls.port}", *SHORT, *more, env=environment())
    assert done.returncode == 1
    assert "CERTIFICATE_VERIFY_FAILED" in done.stderr and "export SSL_CERT_FILE=FILE.pem" in done.stderr


def test_a_server_that_expects_tls_is_recognised(behind_tls: Known) -> None:
    done = client(f"url=http://127.0.0.1:{behind_tls.port}", *SHORT, env=environment())
    assert done.returncode == 1
    assert "all 3 requests failed" in done.stderr and "if the server expects TLS: url=https://" in done.stderr
