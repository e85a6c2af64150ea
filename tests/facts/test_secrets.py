"""Secrets are masked; settings that only sound like secrets are not."""

from __future__ import annotations

import shlex
import time

import pytest
from command_lines import GIVES_AWAY, INNOCENT

from assay.facts.secrets import mask_arguments, mask_text, mask_values, secret


@pytest.mark.parametrize(("line", "hidden"), GIVES_AWAY, ids=[line[:60] for line, _ in GIVES_AWAY])
def test_a_secret_on_a_command_line_is_masked(line: str, hidden: str) -> None:
    words = shlex.split(line)
    assert any(hidden in word for word in words)
    masked = mask_arguments(words)
    assert hidden not in " ".join(masked)
    assert "***" in " ".join(masked)
    assert len(masked) == len(words)
    assert masked[0] == words[0]


@pytest.mark.parametrize("line", INNOCENT)
def test_a_setting_is_left_alone(line: str) -> None:
    assert mask_arguments(shlex.split(line)) == shlex.split(line)


@pytest.mark.parametrize("line", [line for line, _ in GIVES_AWAY])
def test_what_is_masked_once_stays_as_it_is(line: str) -> None:
    masked = mask_arguments(shlex.split(line))
    assert mask_arguments(masked) == masked


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("--api-key=abc", "--api-key=***"),
        ("https://me:pw@host/x", "https://me:***@host/x"),
        ('{"password": "hunter2", "lr": 0.1}', '{"password": "***", "lr": 0.1}'),
        ("https://h/x?a=1&api_key=k&b=2", "https://h/x?a=1&api_key=***&b=2"),
        ("Authorization: Bearer abcdefgh12345678", "Authorization: Bearer ***"),
        ("mysql -u me -phunter2 db", "mysql -u me -p*** db"),
        ("export KEY_ID=1 TOKEN=$X PASSWORD=y; run", "export KEY_ID=1 TOKEN=$X PASSWORD=***; run"),
        (
            "-----BEGIN PRIVATE KEY-----\nAB\n-----END PRIVATE KEY-----\nx",
            "-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----\nx",
        ),
    ],
)
def test_a_masked_text_still_says_what_it_was(text: str, shown: str) -> None:
    assert mask_text(text) == shown


def test_settings_are_masked_by_name_and_by_value_however_deep() -> None:
    assert mask_values({"api_keys": ["a", "b"], "n_keys": 3}) == {"api_keys": ["***", "***"], "n_keys": 3}
    given = {"api_key": "x", "pin": 1, "password": 1234, "lr": 0.1, "max_tokens": 128, "use_password": True, "n": None,
             "inner": {"token": "9f8e7d6c5b4a3f2e", "steps": [1, 2]}, "urls": ["https://a:b@c/d", "e"]}  # fmt: skip
    assert mask_values(given) == {
        **given,
        "api_key": "***",
        "password": "***",
        "inner": {"token": "***", "steps": [1, 2]},
        "urls": ["https://a:***@c/d", "e"],
    }
    assert secret("MY_PASSWORD", "x") and not secret("MY_PASSWORD", "")


def test_in_a_program_only_what_is_in_quotes_is_a_value() -> None:
    code = "token = tokenizer.next_token()\ndef f(password: str = None, api_key=args.key):\n    secret = compute(x)\n"
    assert mask_text(code, code=True) == code
    assert mask_text("api_key = 'hunter2'\n" + code, code=True) == "api_key = '***'\n" + code


@pytest.mark.parametrize(
    "code",
    [
        'password: str = "hunter2"',
        'password: Optional[str] | None = "hunter2"',
        'password = b"hunter2"',
        "password = f'hunter2'",
        'password = (\n    "hunter2"\n)',
        '+password = \\\n+    "hunter2"',
        'if password == "hunter2":',
        'os.environ.get("API_KEY", "hunter2")',
        'os.getenv(\n    "API_KEY",\n    "hunter2",\n)',
        'parser.add_argument("--api-key", default="hunter2")',
        'parser.add_argument("--api-key", type=str, help="of (all) our keys",\n    default="hunter2")',
        'requests.get(url, auth=("hunter", "hunter2"))',
        'auth = HTTPBasicAuth("hunter", "hunter2")',
        'api_keys = ["hunter2", "hunter2"]',
    ],
)
def test_a_secret_in_a_program_is_masked_however_it_is_written(code: str) -> None:
    assert mask_text(code, code=True) == code.replace("hunter2", "***")


@pytest.mark.parametrize(
    "code",
    [
        'parser.add_argument("--api-key", help="the key")\nparser.add_argument("--lr", default="0.1")',
        'password = f"{words[0]}{words[1]}"',
        'def f(password: str, name="bob"): pass',
        'd = {"password": given, "user": "bob"}',
        'os.environ.get("API_KEY", None)',
        'layers = get("key_size", "large")',
        'auth = ("negotiate",)',
    ],
)
def test_other_texts_of_a_program_stay(code: str) -> None:
    assert mask_text(code, code=True) == code


@pytest.mark.parametrize(
    "text",
    [
        "api_keys:\n  - hunter2\n  - 'hunter2'\nlr: 0.1\n",
        "api_keys: [hunter2, hunter2]\nlr: [0.1, 0.2]",
        '{"api_keys": [\n    "hunter2",\n    "hunter2"\n], "lr": [0.1]}',
        "password: &main hunter2\nother: *main",
        "password: !!str hunter2",
        "password: |\n  hunter2\n",
        "machine host login me password hunter2\n",
        "machine host\n  login me\n  account it\n  password hunter2\n",
        "default login anonymous password hunter2",
        "passcode: hunter2",
    ],
)
def test_a_secret_in_a_configuration_is_masked_however_it_is_written(text: str) -> None:
    assert mask_text(text) == text.replace("hunter2", "***")


#: what a text that is meant to be slow would be made of
_PIECES = ["a", "a.", "-a ", "key=", "token:", "password=x ", "password='", "://a:b", "eyJ", "eyJ.", "bearer 1", '"', "'",
           "\\", '\\"', "-----BEGIN PRIVATE KEY-----", "Authorization: ", "authorization:digest ", "mysql -p ", "echo x | sudo -S ",
           "curl -u a:b;", "wandb login x ", "?sig=", "aws configure set secret ", "cookie: ", "password=/a/", "password: str = ", "password = (", 'f("api_key", ', "machine a ", "api_keys:\n - a\n", ', "a"',
           "f('password', default= ", "password: &a ", "\\\n", "SG.",
           "hooks.slack.com/services/", "a.webhook.office.com/", " ", "=", "-", "_", "AKIA", 'secret: "', "\n"]  # fmt: skip


def _spent_s(text: str) -> float:
    begin_s = time.process_time()
    mask_text(text), mask_text(text, code=True), mask_arguments(["sh", "--password", text, "-c", text])
    return time.process_time() - begin_s


@pytest.mark.parametrize("piece", _PIECES)
def test_masking_takes_eight_times_as_long_for_eight_times_the_text(piece: str) -> None:
    """Measured in CPU time with wide margins: a pattern that is quadratic takes 64 times, or never ends."""
    small, large = ((piece * (size // len(piece) + 1))[:size] for size in (2_500, 20_000))
    assert min(_spent_s(large) for _ in range(2)) < 30 * max(_spent_s(small) for _ in range(2)) + 0.05


def test_an_argument_of_120_kilobytes_is_masked_at_once() -> None:
    assert _spent_s("x" * 120_000) < 0.5
    assert _spent_s("".join(_PIECES * 300)[:120_000]) < 2.0


def test_a_password_that_looks_like_a_variable_is_a_password_once_a_shell_has_read_it() -> None:
    assert mask_arguments(["x", "--password", "$ecret1"]) == ["x", "--password", "***"]
    assert mask_arguments(["x", "--password=get(it)"]) == ["x", "--password=***"]
    assert mask_arguments(["sh", "-c", "x --password $pass"]) == ["sh", "-c", "x --password $pass"]
