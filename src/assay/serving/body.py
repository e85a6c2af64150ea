"""The JSON of a request: what is asked, and which of the words that force equal lengths this server takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.serving.program import BadSetting
from assay.serving.prompts import Prompt

#: what not every server takes, in the order in which it is given up: the last is missed most
_FORCING = frozenset({"ignore_eos", "min_tokens"})
_OPTIONS = (*sorted(_FORCING), "stream_options", "temperature")
_LIMIT, _NEWER_LIMIT = "max_tokens", "max_completion_tokens"


@dataclass(frozen=True, kw_only=True)
class Body:
    """`without`: the options that this server refused."""

    api: str
    model: str
    output_len: int
    limit: str = _LIMIT
    without: frozenset[str] = frozenset()

    @property
    def asks_for(self) -> list[str]:
        """The words beyond the plain ones."""
        return [self.limit, *(word for word in _OPTIONS if word not in self.without)]

    def plainer(self, message: str) -> Body | None:
        """The next to try on a server that refuses this one, without what its message names; None if all was tried."""
        named = {word for word in _OPTIONS if word in message} - self.without
        if named:
            return replace(self, without=self.without | named)
        if _LIMIT in message and self._may_be_newer:
            return replace(self, limit=_NEWER_LIMIT)
        for words in (_FORCING, {"stream_options"}, {"temperature"}):
            if not words <= self.without:
                return replace(self, without=self.without | words)
        if self._may_be_newer:  # which servers take that count tokens, but leave the sampling to nobody
            return replace(self, limit=_NEWER_LIMIT, without=_FORCING | {"temperature"})
        return None

    @property
    def _may_be_newer(self) -> bool:
        return self.limit == _LIMIT and self.api == "chat"

    def of(self, prompt: Prompt, output_len: int | None = None) -> bytes:
        length = self.output_len if output_len is None else output_len
        asked: dict[str, object] = {"model": self.model, **self._content(prompt), "stream": True, self.limit: length}
        options: dict[str, object] = {
            "ignore_eos": True,
            "min_tokens": length,
            "stream_options": {"include_usage": True},
            "temperature": 0,
        }
        asked.update({word: value for word, value in options.items() if word not in self.without})
        return json.dumps(asked, separators=(",", ":")).encode("ascii")

    def _content(self, prompt: Prompt) -> Mapping[str, object]:
        if self.api == "chat":
            content = prompt.content
            return {"messages": [{"role": "user", "content": content}] if isinstance(content, str) else content}
        if not isinstance(prompt.content, str):
            raise BadSetting("a conversation cannot be sent as a plain prompt", "leave out api=completions")
        return {"prompt": prompt.content}
