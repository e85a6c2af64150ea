"""How commands print data: JSON that any program can read."""

from __future__ import annotations

import json
import math
import sys
from typing import Any


def print_json(value: Any) -> None:
    """Strict JSON: what is not a finite number becomes null. ASCII, so that odd bytes of a name survive."""
    json.dump(_strict(value), sys.stdout, indent=1, allow_nan=False)
    sys.stdout.write("\n")


def _strict(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _strict(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(inner) for inner in value]
    return value
