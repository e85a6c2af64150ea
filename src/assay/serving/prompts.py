"""What is sent: made-up prompts of a length, or those of a file; each differs from all others in its first words.

A server that has a prefix cache answers a prompt it has seen, or one with the same beginning, without the work that is
to be measured (one published time to first token was 49 times too good). So every prompt begins with different random
words, which no seed repeats: a second run with the same settings would meet the cache that the first one filled.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.serving.program import BadSetting, Failure

#: each has four letters, so that a text has the same length in tokens however a tokenizer cuts it
_TEXT = (
    "able back ball bank base bear best blue boat body bone book born both call calm card care case city coat "
    "cold come cook cool corn cost dark date deal deep door down draw drop dust each east easy edge even face "
    "fact fair fall farm fast feel feet fill find fine fire firm fish five flat food foot form four free full "
    "game gave girl give glad goes gold gone good grew grow half hall hand hard head hear heat held help here "
    "high hill hold hole home hope hour idea iron join jump just keep kept kind king knew know lady lake land "
    "last late lead leaf left less life lift like line list live long look lost made main make many mark meet "
    "mile milk mind mine more most move much must name near need nest next nine none nose note once only open "
    "over pack page paid pair park part past path plan play poor pull push "
)
WORDS = _TEXT.split()
_UNIQUE = 6  # words that tell two prompts apart
_ROOM = 997


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """A text, or messages of a conversation."""

    content: str | list[dict[str, Any]]


class Made:
    """Prompts of so many words. A long text is made once, and each prompt is a piece of it after different random
    words.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._own = random.SystemRandom()
        self._text = ""
        self.words = 0

    def of_words(self, words: int) -> None:
        self.words = words
        if len(self._text) < 5 * (words + _ROOM):
            self._text = "".join(f"{word} " for word in self._random.choices(WORDS, k=words + _ROOM))

    def __call__(self, index: int) -> Prompt:
        unique = min(_UNIQUE, self.words)
        first = 5 * (index % _ROOM)
        rest = self._text[first : first + 5 * (self.words - unique)]
        return Prompt(content=(unique_words(self._own, unique) + rest).rstrip())


class Given:
    """Prompts of a file, in order and from the start again; `fresh` puts different random words before each."""

    def __init__(self, prompts: Sequence[Prompt], *, fresh: bool) -> None:
        self._prompts, self._fresh, self._own = prompts, fresh, random.SystemRandom()
        self.words = 0

    def __len__(self) -> int:
        return len(self._prompts)

    def __call__(self, index: int) -> Prompt:
        prompt = self._prompts[index % len(self._prompts)]
        return _begun(prompt, unique_words(self._own, _UNIQUE)) if self._fresh else prompt


def unique_words(source: random.Random, count: int) -> str:
    return "".join(f"{word} " for word in source.choices(WORDS, k=count))


def _begun(prompt: Prompt, words: str) -> Prompt:
    """With these words at its very beginning; of a conversation that is its first message."""
    if isinstance(prompt.content, str):
        return Prompt(content=f"{words}\n{prompt.content}")
    first, *rest = prompt.content
    content = first.get("content")
    if isinstance(content, list):  # text and images
        first = {**first, "content": [{"type": "text", "text": words}, *content]}
    else:
        first = {**first, "content": f"{words}\n{content or ''}"}
    return Prompt(content=[first, *rest])


def read_prompts(path: str) -> list[Prompt]:
    """A line a prompt: text, or JSON (text, or an object with `prompt`, `messages`, `text` or `content`). A file that
    is one JSON list has them as its items.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "not UTF-8 text"
        raise Failure(
            "missing-file", f"`{path}`: {reason}", "name a file with one prompt per line: prompts=FILE"
        ) from None
    # not `splitlines`: a line separator of Unicode may stand in a JSON text
    lines = [(f"line {at}", line) for at, line in enumerate(text.split("\n"), 1) if line.strip()]
    items = _items(text)
    found = [_prompt(path, *one) for one in lines] if items is None else [_given(path, *one) for one in items]
    if not found:
        raise BadSetting(f"`{path}` contains no prompts", "write one prompt per line, as text or JSON")
    return found


def _items(text: str) -> list[tuple[str, object]] | None:
    """Of a file that is one JSON list."""
    if not text.lstrip().startswith("["):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):  # a text may begin so
        return None
    return [(f"item {at}", one) for at, one in enumerate(found, 1)]


def _prompt(path: str, where: str, line: str) -> Prompt:
    if line.lstrip()[:1] not in ('"', "{"):
        return Prompt(content=line.strip())
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        if line.lstrip().startswith("{"):
            raise BadSetting(f"`{path}`, {where}: not JSON", "write each prompt as JSON on one line") from None
        return Prompt(content=line.strip())
    return _given(path, where, value)


def _given(path: str, where: str, value: object) -> Prompt:
    if isinstance(value, dict):
        found = value
        names = ("prompt", "messages", "text", "content")
        value = next((found[name] for name in names if isinstance(found.get(name), (str, list)) and found[name]), None)
    if isinstance(value, str):
        return Prompt(content=value)
    if not isinstance(value, list) or not all(isinstance(one, dict) and "role" in one for one in value):
        hint = "give it as `prompt`, `text` or `content`, or as `messages`, each with its role and content"
        raise BadSetting(f"`{path}`, {where}: no prompt in it", hint)
    return Prompt(content=value)
