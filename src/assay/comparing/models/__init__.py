"""Models of behaviour: one function each, from groups to a fitted model; none if it does not apply."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.comparing.groups import Group
from assay.comparing.models.base import Model
from assay.comparing.models.batch import batch_model
from assay.comparing.models.scaling import scaling_model
from assay.comparing.models.serving import serving_model
from assay.comparing.models.utilisation import utilisation_model

#: those that need nothing but the groups; convergence also needs a target
MODELS: dict[str, Callable[[Sequence[Group]], list[Model]]] = {
    "batch": batch_model,
    "scaling": scaling_model,
    "utilisation": utilisation_model,
    "serving": serving_model,
}
