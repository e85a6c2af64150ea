"""Who could have written a file. A record of someone else's is read like any other, but nothing of it is acted on."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from pathlib import Path

from assay.errors import AssayError


def outsider(path: Path) -> str | None:
    """Who besides this user and root may have written a file, in words; None if nobody else could."""
    try:
        facts = os.stat(path)
    except OSError:
        return None  # reading the file will fail and report it
    if facts.st_uid not in (os.geteuid(), 0):
        return _name_of(facts.st_uid)
    if facts.st_mode & stat.S_IWOTH:
        return "everyone"
    if facts.st_mode & stat.S_IWGRP and not _private(facts.st_gid):
        return f"the group {_group_of(facts.st_gid)}"
    return None


def refuse_others(runs: list[Path]) -> None:
    """Before runs are started, ended or taken up again by what their files say."""
    for run in runs:
        who = outsider(run / "run.json")
        if who is not None:
            message = f"`{run.name}` is running and may have been written by {who}: only your own runs are continued"
            raise AssayError(message, "choose a --runs-dir that belongs to you")


def _private(gid: int) -> bool:
    """Whether a group has a single user, as many systems create for each: it usually has the user's name."""
    try:
        me, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(gid)
    except KeyError:
        return False
    return group.gr_name == me.pw_name and not set(group.gr_mem) - {me.pw_name}


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _group_of(gid: int) -> str:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)
