"""`prompts=FILE`: which files are read, and what is said of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.serving.program import Failure
from assay.serving.prompts import Given, Prompt, read_prompts

TALK = [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize(
    ("text", "prompts"),
    [
        ("one\r\n\r\n two \r\n", ["one", "two"]),
        ("\ufeffone\nüber 😀\n", ["one", "über 😀"]),
        ('{"prompt": "a\u2028b"}\n"c"\n', ["a\u2028b", "c"]),
        ('[{"prompt": "a"}, "b", {"messages": [{"role": "user", "content": "hi"}]}]', ["a", "b", TALK]),
        ('[\n {"text": "a"},\n {"content": "b"}\n]\n', ["a", "b"]),
        ("[INST] a text [/INST]\nanother", ["[INST] a text [/INST]", "another"]),
    ],
)
def test_prompts_are_read_from_lines_and_from_a_list(tmp_path: Path, text: str, prompts: list[object]) -> None:
    file = tmp_path / "prompts"
    file.write_bytes(text.encode())
    assert [one.content for one in read_prompts(str(file))] == prompts


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "contains no prompts"),
        (b"\n \n", "contains no prompts"),
        (b"[]", "contains no prompts"),
        (b"\xff\xfe\x00", "not UTF-8 text"),
        (b'"a"\n{"prompt": "b"', "line 2: not JSON"),
        (b'{"prompt":' + b"[" * 100_000, "line 1: not JSON"),
        (b'{"question": "x"}', "line 1: no prompt in it"),
        (b'{"prompt": ""}', "line 1: no prompt in it"),
        (b'{"messages": [1, 2]}', "line 1: no prompt in it"),
        (b'["a", 2]', "item 2: no prompt in it"),
    ],
)
def test_a_file_without_prompts_is_refused_with_the_line(tmp_path: Path, data: bytes, message: str) -> None:
    file = tmp_path / "prompts"
    file.write_bytes(data)
    with pytest.raises(Failure) as caught:
        read_prompts(str(file))
    assert message in caught.value.message and caught.value.hint


def test_a_prompt_with_images_begins_with_other_words_each_time() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:"}}
    given = Given([Prompt(content=[{"role": "user", "content": [image]}])], fresh=True)
    first, second = given(0).content[0], given(1).content[0]
    assert isinstance(first, dict) and isinstance(second, dict)
    assert first["content"][1] == image and first["content"][0] != second["content"][0]
