"""When a server counts as ready, whatever it is doing while it is asked."""

from __future__ import annotations

import itertools

import pytest

from assay.serving import ready
from assay.serving.address import address_of
from assay.serving.fault import Fault

_HERE = address_of("http://localhost:1/v1")
_LISTED = b'{"data": [{"id": "known"}]}'


@pytest.mark.parametrize("refused", range(4))
def test_a_server_that_begins_to_listen_between_two_questions_still_loads(
    monkeypatch: pytest.MonkeyPatch, refused: int
) -> None:
    asked = itertools.count()

    def get(url: str, key: str) -> tuple[int | Fault, bytes]:
        if next(asked) < refused:
            return Fault("refused", "the server refused the connection"), b""
        return (503, b"") if url.endswith("/health") else (200, _LISTED)

    monkeypatch.setattr(ready, "get", get)
    assert not any(ready.answers(_HERE, "") for _ in range(4))


@pytest.mark.parametrize(
    ("models", "health", "is_ready"),
    [(200, 404, True), (401, 404, True), (404, 200, True), (500, 200, True), (500, 404, True), (500, 503, False)],
)
def test_what_a_server_answers_says_whether_it_is_ready(
    monkeypatch: pytest.MonkeyPatch, models: int, health: int, is_ready: bool
) -> None:
    monkeypatch.setattr(ready, "get", lambda url, key: (health if url.endswith("/health") else models, b""))
    assert ready.answers(_HERE, "") is is_ready
