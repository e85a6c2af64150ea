"""The code of a run, beside run.json and for its owner alone: the diff of a dirty tree, the script, configurations."""

from __future__ import annotations

import json

from assay.model.request import Git, Request, Script
from assay.store.files import try_read
from assay.store.layout import RunDir, write_json, write_whole


def write_asked(run: RunDir, asked: Request) -> None:
    """run.json for everyone who may read the folder, and code.json before it."""
    git, script = asked.git or Git(), asked.script or Script()
    code = {"git": {"diff": git.diff}} if git.diff is not None else {}
    if script.text is not None:
        code["script"] = {"text": script.text}
    if code:
        write_json(run.code_json, code, mode=0o600)
    for config in asked.configs:
        if config.kept is not None and config.text is not None:
            write_whole(run.path / config.kept, config.text.encode("utf-8", "surrogateescape"), mode=0o600)
    shown = asked.replace(
        git=asked.git and asked.git.replace(diff=None),
        script=asked.script and asked.script.replace(text=None),
        configs=tuple(config.replace(text=None) for config in asked.configs),
    )
    write_json(run.run_json, shown.as_json())


def with_code(run: RunDir, asked: Request) -> Request:
    """run.json with the code put back, where this user may read it. Older runs have it in run.json."""
    try:
        kept = Request.of(json.loads(try_read(run.path, run.code_json.name) or b"null"))
    except (ValueError, RecursionError):
        return asked
    git, script = asked.git, asked.script
    if git is not None and kept.git is not None and kept.git.diff is not None:
        git = git.replace(diff=kept.git.diff)
    if script is not None and kept.script is not None and kept.script.text is not None:
        script = script.replace(text=kept.script.text)
    return asked.replace(git=git, script=script)
