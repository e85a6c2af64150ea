"""Secrets are masked; settings that only sound like secrets are not."""

import pytest

from assay.facts.secrets import mask_arguments, mask_text, secret


@pytest.mark.parametrize(
    "words",
    [
        ["--password", "hunter2"],
        ["--api-key", "abc"],
        ["--api_key=abc"],
        ["API_KEY=abc"],
        ["--wandb-token", "0123456789abcdef"],
        ["--secret", "x"],
        ["curl", "-H", "Authorization: Bearer abcdefgh12345678"],
        ["hf_abcdefghijklmnopqrst"],
        ["--hub", "ghp_" + "a" * 36],
        ["https://user:pa55word@example.org/repo.git"],
        ["--accessKey", "AKIAABCDEFGHIJKLMNOP"],
        ["sh", "-c", "x --password hunter2"],
        ["sh", "-c", "PGPASSWORD=hunter2 psql"],
        ["--dbpassword=hunter2"],
        ["MYSQL_PWD=hunter2"],
        ["--db-pass=hunter2"],
        ["--pass", "hunter2"],
        ["--wandb-key", "0123456789abcdef0123456789abcdef01234567"],
        ["--token=123456:ABCdef_GHIjkl-5"],
        ["--password", "-abc"],
        ["bash", "-c", "export WANDB_API_KEY=0123abcd; python train.py"],
        ["bash", "-c", "export SECRET='hunter2 and more'; x"],
        ["sh", "-c", "docker run --env PGPASSWORD=hunter2 image"],
        ['{"user": "me", "password": "hunter2"}'],
        ["{'password': 'hunter2'}"],
        ["db:password=hunter2"],
        ["--pw", "hunter2"],
        ["curl", "-u", "me:hunter2", "host"],
        ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"],
    ],
)
def test_a_secret_is_masked(words: list[str]) -> None:
    masked = mask_arguments(words)
    assert "***" in " ".join(masked)
    assert masked != words
    assert "hunter2" not in " ".join(masked)
    assert len(masked) == len(words)


@pytest.mark.parametrize(
    "words",
    [
        ["--max-tokens", "128"],
        ["--tokenizer", "bert-base-uncased"],
        ["--pad-token", "[PAD]"],
        ["--eos-token", "</s>"],
        ["--num-key-value-heads", "8"],
        ["--key", "value"],
        ["--token-dropout", "0.1"],
        ["train.py", "--lr", "0.1"],
        ["https://example.org/a@b"],
        ["--password"],
        ["--commit", "5f3e1d2c4b5a69788796a5b4c3d2e1f001122334"],
        ["--monkey", "business"],
        ["--eos-token", "endoftext_tok"],
        ["--compass", "north"],
        ["--pass-through", "all"],
        ["--bypass", "yes"],
        ["the password is not here"],
        ["docker", "run", "-u", "1000:1000", "image"],
        ["bash", "-c", "export OMP_NUM_THREADS=4; python train.py --max-tokens 128"],
        ['{"tokens": 128, "key": "value"}'],
    ],
)
def test_a_setting_is_left_alone(words: list[str]) -> None:
    assert mask_arguments(words) == words


def test_a_masked_word_still_says_what_it_was() -> None:
    assert mask_text("--api-key=abc") == "--api-key=***"
    assert mask_text("https://me:pw@host/x") == "https://me:***@host/x"
    assert secret("MY_PASSWORD", "x")
