"""The JSON of a request: what is asked, and which of the words that force equal lengths this server takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.workloads.client.prompts import Prompt
from assay.workloads.failure import BadSetting


@dataclass(frozen=True, kw_only=True)
class Body:
    """`forced`: the server is asked to go on to the full length, too, whatever the model would do."""

    api: str
    model: str
    output_len: int
    forced: bool = True
    usage: bool = True
    limit: str = "max_tokens"
    sampled: bool = False  # leave the sampling to the server

    @property
    def asks_for(self) -> list[str]:
        """The words beyond the plain ones."""
        found = [self.limit]
        found += ["ignore_eos", "min_tokens"] if self.forced else []
        found += ["stream_options"] if self.usage else []
        return found if self.sampled else [*found, "temperature"]

    def plainer(self) -> Body | None:
        """The next to try on a server that refuses this one; None where there is none."""
        if self.forced:
            return replace(self, forced=False)
        if self.usage:
            return replace(self, usage=False)
        if self.limit == "max_tokens" and self.api == "chat":
            return replace(self, limit="max_completion_tokens", usage=True, sampled=True)
        return None

    def of(self, prompt: Prompt, output_len: int | None = None) -> bytes:
        length = self.output_len if output_len is None else output_len
        asked: dict[str, object] = {"model": self.model, **self._content(prompt), "stream": True, self.limit: length}
        if self.forced:
            asked.update(ignore_eos=True, min_tokens=length)
        if self.usage:
            asked["stream_options"] = {"include_usage": True}
        if not self.sampled:
            asked["temperature"] = 0
        return json.dumps(asked, separators=(",", ":")).encode("ascii")

    def _content(self, prompt: Prompt) -> Mapping[str, object]:
        if self.api == "chat":
            content = prompt.content
            return {"messages": [{"role": "user", "content": content}] if isinstance(content, str) else content}
        if not isinstance(prompt.content, str):
            raise BadSetting("a conversation cannot be sent as a plain prompt", "leave out api=completions")
        return {"prompt": prompt.content}
