"""The commands: where each is, and what it does in a line of the help."""

from __future__ import annotations

#: those that start a command and measure it
RECORDERS = ("run", "node", "psrecord")
#: command: (module, what it does); the order is the order of the help
COMMANDS = {
    "run": ("assay.cli.run", "run a command and record it: assay run -- python train.py"),
    "ingest": ("assay.cli.ingest", "import logs that you already have"),
    "study": ("assay.cli.study", "run a grid of settings with repeats, here or on a cluster"),
    "audit": ("assay.cli.audit", "check the claims of a page or run against the evidence"),
    "report": ("assay.cli.report", "write a report: one file that opens offline"),
    "write": ("assay.cli.write", "fill the figures of your page in from runs"),
    "serve": ("assay.cli.serve", "show runs live in the browser"),
    "export": ("assay.cli.export", "export runs to TensorBoard, MLflow, CSV or JSON"),
    "ls": ("assay.cli.ls", "list runs"),
    "show": ("assay.cli.show", "show one run, or watch it live"),
    "compare": ("assay.cli.compare", "compare runs: which is better, and whether it could be noise"),
    "diff": ("assay.cli.diff", "show what differs between two runs: settings, code, results"),
    "rm": ("assay.cli.rm", "remove runs"),
    "data": ("assay.cli.data", "list, fetch and check the data of the built-in workloads"),
    "doctor": ("assay.cli.doctor", "check which hardware and schedulers can be used from here"),
    "psrecord": ("assay.cli.psrecord", "psrecord-compatible, and counts child processes"),
}
