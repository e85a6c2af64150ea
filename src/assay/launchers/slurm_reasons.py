"""Why a job waits, where waiting alone will not help: what to do about each reason. Nothing is ended."""

from __future__ import annotations

from assay.launchers.base import Seen

_LESS_TIME = "ask for less time, or end it: scancel {id}"
_FEWER_NODES = "ask for fewer nodes or another partition, or end it: scancel {id}"
_LESS = "ask for less than the partition has (scontrol show partition), unless nodes are only down: scancel {id}"
_HELD = "held by you or in your name: scontrol release {id}"
_REMEDIES = {
    "JobHeldUser": _HELD,
    "JobHeldAdmin": "held by an administrator: ask them, or wait",
    "PartitionConfig": _LESS,
    "PartitionNodeLimit": _FEWER_NODES,
    "PartitionTimeLimit": _LESS_TIME,
    "PartitionDown": "the partition is down: wait, or use another one",
    "PartitionInactive": "the partition is inactive: wait, or use another one",
    "BadConstraints": "no node has what the constraints ask for: scancel {id}",
    "DependencyNeverSatisfied": "what it waits for has failed: scancel {id}",
    "InvalidAccount": "name an account that exists (sacctmgr show associations user=$USER): scancel {id}",
    "InvalidQOS": "name a quality of service that exists: scancel {id}",
    "QOSMaxWallDurationPerJobLimit": _LESS_TIME,
    "AssocMaxWallDurationPerJobLimit": _LESS_TIME,
    "QOSMaxNodePerJobLimit": _FEWER_NODES,
    "AssocMaxNodePerJobLimit": _FEWER_NODES,
    "JobHoldMaxRequeue": "it was started and lost too often; see its node, then: scontrol release {id}",
    "job_requeued_in_held_state": _HELD,
    "launch_failed_requeued_held": "it could not be launched; see its node, then: scontrol release {id}",
}
_STATES = {
    "SUSPENDED": "it continues when the scheduler allows it",
    "STOPPED": "it continues when the scheduler allows it",
}


def remedy_of(seen: Seen) -> str | None:
    """None where it only has to wait."""
    if seen.phase == "queued":
        words = _REMEDIES.get(seen.reason.strip("()").replace(" ", "_"))
    else:
        words = _STATES.get(seen.state)
    return words.format(id=seen.job_id) if words else None
