"""What the light install leaves out, and the line that brings it."""

from __future__ import annotations

import shlex
from importlib.util import find_spec

from assay.errors import AssayError

#: a package as it is imported: (its own name, what pip is to install)
PARTS = {
    "assay_workloads": ("assay-workloads", "assay-ml[workloads]"),
    "scipy": ("scipy", "assay-ml[compare]"),
    "vl_convert": ("vl-convert-python", "assay-ml[report]"),
    "jinja2": ("Jinja2", "assay-ml[report]"),
    "markdown_it": ("markdown-it-py", "assay-ml[report]"),
    "starlette": ("starlette", "assay-ml[serve]"),
    "uvicorn": ("uvicorn", "assay-ml[serve]"),
    "mlflow": ("mlflow-skinny", "assay-ml[mlflow]"),
    "sqlalchemy": ("sqlalchemy", "assay-ml[mlflow]"),
    "alembic": ("alembic", "assay-ml[mlflow]"),
    "tensorboard": ("tensorboard", "tensorboard"),
}


def need(what: str, *packages: str) -> None:
    """Before the work begins: `what` cannot be done without these. The one that brings the most comes first."""
    for package in packages:
        if find_spec(package) is None:
            raise missing(what, package)


def missing(what: str, package: str) -> AssayError:
    """What to say where one of `PARTS` is not here."""
    name, line = PARTS[package]
    return AssayError(f"{what} needs {name}, which is not installed", f"pip install {shlex.quote(line)}")


def failed_import(what: str, problem: ModuleNotFoundError) -> AssayError:
    """The same for an import that failed on the way; any other package that lacks is a fault of ours."""
    package = (problem.name or "").partition(".")[0]
    if package not in PARTS:
        raise problem
    return missing(what, package)
