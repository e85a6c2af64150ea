"""SambaNova: RDUs, through SambaFlow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.model.known import KnownFailure
from assay.systems.sambanova.course import COURSE
from assay.systems.system import Cut, Mislabelled, System, Traps

if TYPE_CHECKING:
    from assay.reading.reader import Reader
    from assay.systems.target import Target

_FAILURES = (
    KnownFailure(
        pattern=r"Expected throughput to be at (?:least|most)",
        code="threshold",
        hint="training is complete; the threshold was made for another number of tasks: change the flag",
    ),
    KnownFailure(
        pattern=r"ambiguous option: --cache",
        code="bad-flag",
        hint="the flag changed in SambaFlow 1.19: write --cache_dir",
    ),
)
_SEQUENCES = Mislabelled(
    label="training_sequences_per_second",
    counts="tokens",
    figure="tokens_per_s",
    beside=("samples_per_s", "samples_per_s_own"),
    called="samples per second",
)


def _reader() -> type[Reader]:
    from assay.systems.sambanova.reader import SambaNova

    return SambaNova


def _target() -> Target:
    from assay.systems.sambanova.target import TARGET

    return TARGET


SYSTEM = System(
    name="sambanova",
    words=r"samba ?(?:nova|flow)?|\brdus?\b|\bsn[1-4]0\b|\bsn30|bertlarge|transformers_on_rdu",
    reader=_reader,
    target=_target,
    failures=_FAILURES,
    known_for=("impossible-request",),
    traps=Traps(
        setting="the tasks are the launcher's --ntasks; a compiled .pef keeps the batch size it was built for",
        duration_is_compile=True,
        mislabelled=(_SEQUENCES,),
    ),
    course=COURSE,
    cuts=(Cut(begins=rb"\{[^{}]*[\"'](?:e2e_train_time|training_s\w{1,40}_per_second)[\"']", whole=rb"\}"),),
    environment=("SF_RNT_",),
    packages=("sambaflow",),
)
