"""Files that every page carries, and the one way to put values into a page."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from assay.model.values import finite

if TYPE_CHECKING:
    from jinja2 import Environment

_HERE = Path(__file__).parent


def text_of(name: str) -> str:
    """`style.css`, `charts.js`"""
    return (_HERE / name).read_text(encoding="utf-8")


@cache
def templates() -> Environment:
    """Everything is escaped: what a log holds is text, never markup."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


def script_json(value: object) -> str:
    """JSON that may stand inside a <script>: no tag can begin in it, and what is not a number is null."""
    try:
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):  # a NaN, or an odd key: seldom, and slower
        text = json.dumps(finite(value), separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def chart_scripts(data: Mapping[str, object], charts: Mapping[str, object]) -> list[str]:
    """What draws the charts of a file that stands alone, and switches its colours."""
    values = f"window.ASSAY = {{data: {script_json(data)}, charts: {script_json(charts)}}};"
    scripts = [values, *([vega_bundle()] if charts else []), text_of("charts.js")]
    # as the file will hold them, or a browser would not know them by their hash
    return [one.encode("utf-8", "replace").decode().replace("\r\n", "\n").replace("\r", "\n") for one in scripts]


def policy(scripts: Sequence[str]) -> str:
    """A Content-Security-Policy under which exactly these scripts run, and no text ever becomes code."""
    hashes = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts]
    allowed = " ".join(f"'sha256-{one}'" for one in hashes) or "'none'"
    rest = "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    return f"default-src 'none'; script-src {allowed}; {rest}"


def vega_bundle() -> str:
    """Vega, Vega-Lite and their embedding as one script, out of vl-convert; kept, since making it takes seconds."""
    import vl_convert

    cache_home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    kept = cache_home / "assay" / f"vega-{version('vl-convert-python')}.js"
    try:
        return kept.read_text(encoding="utf-8")
    except OSError:
        bundle = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # its stub asks for a snippet
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        beside = kept.with_name(f"{kept.name}.{os.getpid()}")
        beside.write_text(bundle, encoding="utf-8")
        beside.replace(kept)
    except OSError:
        pass  # a cache that cannot be written is only slower
    return bundle
