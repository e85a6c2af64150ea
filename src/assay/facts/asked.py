"""What was asked for, as it may be kept and shown."""

from __future__ import annotations

from dataclasses import replace

from assay.facts.secrets import mask_arguments, mask_text, mask_values
from assay.spec import RunSpec


def masked(spec: RunSpec) -> RunSpec:
    """The same without its secrets: for the record, never to be started."""
    return replace(
        spec,
        command=tuple(mask_arguments(spec.command)),
        params=mask_values(spec.params),
        env=mask_values(spec.env),
        name=mask_text(spec.name) if spec.name else None,
        tags=tuple(map(mask_text, spec.tags)),
    )
