"""Cerebras: wafer-scale engines, through its client and the Model Zoo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.model.known import KnownFailure, KnownSpread
from assay.systems.system import Cut, System, Traps

if TYPE_CHECKING:
    from assay.reading.reader import Reader
    from assay.systems.target import Target

#: the order matters: the more particular first
_FAILURES = (
    KnownFailure(
        pattern=r"Initial global step \d+ already exceeds max step \d+",
        code="stale-checkpoint",
        hint="a checkpoint of an earlier run was loaded from the same model_dir: give every run a fresh one",
        alone=r"Initial global step \d+ already exceeds max step",
        anchors=("already exceeds",),
    ),
    KnownFailure(
        pattern=r"Vocab file not found\s+\S*\$\(",
        code="missing-file",
        hint="a shell expression inside yaml is not expanded: write the path out",
    ),
    KnownFailure(
        pattern=r"Vocab file not found",
        code="missing-file",
        hint="check the path of the vocabulary in the configuration",
    ),
    KnownFailure(
        pattern=r"[Aa]ppliance (?:[Ee]rror|[Uu]nknown)|ApplianceUnknownError|[Ee]rror (?:when|while) receiving tensor",
        code="appliance-fault",
        hint="a server of the appliance died: run again; a total printed after it is not a result",
        alone=r"(?:ERROR|CRITICAL|FATAL):?\s.{0,200}(?:[Aa]ppliance (?:[Ee]rror|[Uu]nknown)|receiving tensor)",
        anchors=("appliance", "receiving tensor"),
    ),
    KnownFailure(
        pattern=r"No module named ['\"]cerebras[\w.]*['\"]",
        code="missing-module",
        hint="Model Zoo and client have different releases: check out the matching one",
    ),
)
#: read from public logs of runs with the same settings, by different people on different days
_SPREADS = (
    KnownSpread(
        figure="samples_per_s",
        sd=0.0032,
        runs=21,
        of="21 runs of BERT-large",
        task="bertlarge",
        relative=True,
        seen="seven at each of three batch sizes, standard deviation 0.32 % of the rate",
    ),
    KnownSpread(
        figure="loss",
        sd=0.012,
        runs=7,
        of="7 runs of BERT-large at batch 1,024 after 1,000 steps",
        task="bertlarge",
        low=7.0,
        high=7.2,
        seen="7.078 to 7.109",
    ),
)


def _reader() -> type[Reader]:
    from assay.systems.cerebras.reader import Cerebras

    return Cerebras


def _target() -> Target:
    from assay.systems.cerebras.target import TARGET

    return TARGET


SYSTEM = System(
    name="cerebras",
    words=r"cerebras|\bcsx\b|\bcs-?[23]\b|model ?zoo|cszoo|\bwsjob\b|wafer",
    reader=_reader,
    target=_target,
    failures=_FAILURES,
    spreads=_SPREADS,
    traps=Traps(
        setting="the batch size is read from the params file: change it there, and use a fresh model_dir",
        pairs_are_figures=True,
    ),
    cuts=(
        Cut(begins=rb"Loss=", whole=rb"GlobalRate=[\d.]+ samples/sec", rest=rb"^(?!.*Step=)", full=True),
        # an editor breaks at a comma and pushes the rest in
        Cut(
            begins=rb"Loss=[^,\s]{1,30},(?: ?Rate=[\d.]{1,20} samples/sec,)?\s{0,4}$",
            whole=rb"GlobalRate=[\d.]+ samples/sec",
            rest=rb"^\s+(?:Global)?Rate=[\d.]+ samples/sec",
        ),
    ),
    packages=("cerebras",),
    launches=("cszoo",),
    programs=("cszoo",),
)
