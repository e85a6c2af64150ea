"""PBS's `qstat -f` and `qstat -xf`: a job with all that the server knows of it.

    Job Id: 17824602.pbs01
        Job_Name = md
        resources_used.cput = 01:22:27
        resources_used.mem = 30948696kb
        job_state = F
        Resource_List.walltime = 02:00:00
        Exit_status = 0

The trap: a value that is too long goes on in the next line, and `exec_host` may look like anything.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.accounting.account import Account, Format
from assay.readers.accounting.jobs import facts_of
from assay.readers.accounting.states import pbs_state
from assay.reading.reader import NEW, Answer

_JOB = re.compile(r"\s*Job Id: (?P<job>\d[\w.\[\]-]*)$")
_PAIR = re.compile(r"\s*(?P<name>[A-Za-z_]+(?:\.[a-z_]+)?) = (?P<value>\S.*)$")


class Qstat(Format):
    """From one `Job Id:` to the next."""

    anchors = (
        "job id:", "resources_used", "resource_list", "job_state", "exit_status", "qtime = ", "stime = ", "etime = ",
        "job_name",
    )  # fmt: skip

    def __init__(self) -> None:
        self._inside = False
        self._known: dict[str, str] = {}

    def read(self, account: Account, line: Line, text: str) -> Answer:
        found = _JOB.match(text)
        if found:
            if account.job not in ("", found["job"]) or account.facts:
                return NEW
            self._inside, self._known = True, {}
            return account.tell(line, job=found["job"])
        found = _PAIR.match(text) if self._inside else None
        if found is None:
            return None
        name, value = found["name"], found["value"].strip()
        self._known[name] = value
        if name.lower() in ("job_state", "exit_status"):
            return self._state(account, line)
        facts = facts_of({name: value, **{one: self._known[one] for one in ("qtime", "stime") if one in self._known}})
        return account.tell(line, facts) if facts else []

    def _state(self, account: Account, line: Line) -> Answer:
        status = self._known.get("Exit_status", self._known.get("exit_status", ""))
        code = int(status) if status.lstrip("-").isdigit() else None
        return account.end(line, pbs_state(self._known.get("job_state", "F"), code), code)
