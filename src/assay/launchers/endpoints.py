"""Endpoints: servers of language models by a name, from the same places.yaml as places.

    metis:
      endpoint: https://inference.example.org/resource_server/metis/api/v1
      key_env: METIS_TOKEN
      models: {gpt-oss: openai/gpt-oss-120b}
      ready_s: 900

`assay run --on metis endpoint model=gpt-oss`, `url=metis`, or `url: [metis, sophia]` in the grid of a study. What the
name stands for is added to the command; the run itself is known by the name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import UsageError, did_you_mean
from assay.launchers.places import places_file
from assay.serving.address import address_of
from assay.serving.program import Failure
from assay.spec import check_variable
from assay.strictyaml import Document, load
from assay.workloads import ENDPOINT

#: what makes an entry of places.yaml an endpoint, and what else it may say
KEY = "endpoint"
_KEYS = (KEY, "key_env", "models", "api", "ready_s")


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """`models` are the names of one's own for what the server calls them."""

    name: str
    url: str
    key_env: str = ""
    models: Mapping[str, str] = field(default_factory=dict)
    api: str = ""
    ready_s: float = 0.0


def load_endpoints(chosen: str | Path | None = None) -> dict[str, Endpoint]:
    """Those of the user's file."""
    path = places_file(chosen)
    if path is None:
        return {}
    document = load(path)
    entries = {name: given for name, given in document.value.items() if isinstance(given, dict) and KEY in given}
    return {str(name): _endpoint(document, str(name), given) for name, given in entries.items()}


def _endpoint(document: Document, name: str, given: Mapping[str, object]) -> Endpoint:
    document.check_keys((name,), given, _KEYS)
    url, key_env, ready_s = str(given[KEY]), given.get("key_env"), given.get("ready_s", 0.0)
    try:
        address_of(url)
    except Failure as problem:
        raise document.error((name, KEY), problem.message, problem.hint) from None
    if isinstance(ready_s, bool) or not isinstance(ready_s, (int, float)) or ready_s < 0:
        raise document.error((name, "ready_s"), f"`ready_s` must be seconds, not `{ready_s}`")
    if key_env is not None:
        try:
            check_variable(key_env)
        except UsageError as problem:
            raise document.error(
                (name, "key_env"), problem.message, "write the name of the variable, not the key itself"
            ) from None
    models = _models(document, name, given.get("models"))
    return Endpoint(
        name=name, url=url, key_env=str(key_env or ""), models=models, api=str(given.get("api") or ""), ready_s=ready_s
    )


def _models(document: Document, name: str, given: object) -> dict[str, str]:
    """A list of names, or names of one's own with the server's."""
    if given is None:
        return {}
    if isinstance(given, dict):
        return {str(own): str(theirs) for own, theirs in given.items()}
    if isinstance(given, list) and not any(isinstance(one, (dict, list)) for one in given):
        return {str(one): str(one) for one in given}
    raise document.error((name, "models"), "`models` must be a list of names, or lines of `name: the server's name`")


def expanded(command: Sequence[str], chosen: str | Path | None = None) -> list[str]:
    """A command line with what the name of an endpoint in `url=` stands for; any other as it is."""
    words = list(command)
    if ENDPOINT not in words:
        return words
    given = dict(word.split("=", 1) for word in words[words.index(ENDPOINT) + 1 :] if "=" in word)
    name = given.get("url", "")
    if not name or "base_url" in given or any(mark in name for mark in ":/."):
        return words
    known = load_endpoints(chosen)
    if name not in known:
        if name == "localhost":
            return words
        hint = did_you_mean(name, known) if known else "give its address: url=http://host:8000/v1"
        raise UsageError(f"no endpoint called `{name}` in places.yaml", hint)
    return _put_in(words, given, known[name])


def _put_in(words: list[str], given: Mapping[str, str], one: Endpoint) -> list[str]:
    """Its address, its own name for the model, and what the command does not say itself."""
    model = given.get("model") or (next(iter(one.models)) if len(one.models) == 1 else "")
    if one.models and model and model not in one.models and model not in one.models.values():
        raise UsageError(f"`{one.name}` has no model called `{model}`", did_you_mean(model, one.models))
    theirs = one.models.get(model, model)
    put = {"model": model, "served_as": theirs if theirs != model else "", "base_url": one.url}
    also = {"key_env": one.key_env, "api": one.api, "ready_s": f"{one.ready_s:g}" if one.ready_s else ""}
    put.update({name: value for name, value in also.items() if name not in given})
    kept = [word for word in words if not word.startswith("model=")]
    return kept + [f"{name}={value}" for name, value in put.items() if value]
