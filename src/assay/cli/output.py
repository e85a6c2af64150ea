"""How commands print data: JSON that any program can read."""

from __future__ import annotations

import json
import sys

from assay.model.values import finite


def print_json(value: object) -> None:
    """Strict JSON: what is not a finite number becomes null. ASCII, so that odd bytes of a name survive."""
    sys.stdout.write(json_text(value))


def json_text(value: object) -> str:
    return json.dumps(finite(value), indent=1, allow_nan=False) + "\n"
