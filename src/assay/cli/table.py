"""The commands: where each is, and what it does in a line of the help."""

from __future__ import annotations

#: those that start a command and measure it
RECORDERS = ("run", "node", "psrecord")
#: command: (module, what it does); the order is the order of the help
COMMANDS = {
    "run": ("assay.cli.run", "run a command under measurement: assay run -- python train.py"),
    "ingest": ("assay.cli.ingest", "turn logs that you already have into runs"),
    "study": ("assay.cli.study", "do the runs of a study file: a grid with repeats, here or on a cluster"),
    "audit": ("assay.cli.audit", "check what was claimed against what the evidence shows"),
    "report": ("assay.cli.report", "write a report: one page that opens offline"),
    "write": ("assay.cli.write", "write a page of your own whose figures come from runs"),
    "serve": ("assay.cli.serve", "show runs as a live page in the browser"),
    "export": ("assay.cli.export", "write runs for TensorBoard, MLflow, or as CSV and JSON"),
    "ls": ("assay.cli.ls", "list runs"),
    "show": ("assay.cli.show", "show one run, or watch it live"),
    "compare": ("assay.cli.compare", "compare runs: what differs, by how much, and whether the data can tell"),
    "diff": ("assay.cli.diff", "show what differs between two runs: settings, code, packages, machine, results"),
    "rm": ("assay.cli.rm", "remove runs"),
    "data": ("assay.cli.data", "list, fetch and check the data of the built-in workloads"),
    "doctor": ("assay.cli.doctor", "say what can be used from here: targets and places"),
    "psrecord": ("assay.cli.psrecord", "psrecord's own command line, with right figures"),
}
