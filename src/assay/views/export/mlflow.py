"""Into MLflow, through its own client: a database file (`sqlite:///mlflow.db`) or a server (`http://host:5000`).

A run is known there by the tag `assay.id`, so that exporting it again adds nothing.
"""

from __future__ import annotations

import logging
import os
import re
from itertools import islice
from typing import Any

from assay.errors import AssayError
from assay.views.export.points import Exported

#: what MLflow takes at once
_MOST_METRICS, _MOST_PARAMS, _LONGEST = 1000, 100, 5000
_STATUS = {"completed": "FINISHED", "failed": "FAILED", "interrupted": "KILLED", "running": "RUNNING"}


def client(uri: str) -> Any:
    """MLflow's client. Left alone it tries for four minutes to reach a server."""
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "2")
    os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "1")
    from mlflow.exceptions import MlflowException
    from mlflow.tracking import MlflowClient

    for name in ("mlflow", "alembic"):  # it tells every table that it makes
        logging.getLogger(name).setLevel(logging.ERROR)
    try:
        made = MlflowClient(tracking_uri=uri)
        made.search_experiments(max_results=1)
    except (MlflowException, OSError) as problem:
        raise AssayError(f"cannot reach `{uri}`: {str(problem).splitlines()[0][:200]}") from None
    return made


def write(exported: Exported, made: Any) -> bool:
    """Whether it was not there already."""
    experiment = _experiment(made, str(exported.summary.study or "assay"))
    run_id = exported.summary.id
    if made.search_runs([experiment], f"tags.`assay.id` = '{_plain(run_id)}'", max_results=1):
        return False
    points = exported.points()
    first = next(points, None)
    start_ms = int(1000 * (first.t if first else exported.asked.asked_t or 0.0))
    run = made.create_run(experiment, start_time=start_ms, tags=_tags(exported), run_name=exported.name[:250])
    _params(made, run.info.run_id, exported)
    last_ms = _metrics(made, run.info.run_id, [first] if first else [], points)
    _results(made, run.info.run_id, exported, max(last_ms, start_ms))
    wall_s = exported.summary.wall_s
    end_ms = start_ms + int(1000 * wall_s) if wall_s else max(last_ms, start_ms)
    made.set_terminated(run.info.run_id, _STATUS.get(str(exported.summary.status), "FINISHED"), end_time=end_ms)
    return True


def _experiment(made: Any, name: str) -> str:
    known = made.get_experiment_by_name(name)
    return str(known.experiment_id if known else made.create_experiment(name))


def _tags(exported: Exported) -> dict[str, str]:
    summary = exported.summary
    named = {
        "assay.id": summary.id,
        "assay.status": summary.status,
        "assay.how": summary.how,
        "assay.system": summary.system,
        "assay.host": summary.host,
        "assay.study": summary.study,
        "assay.cell": summary.cell,
        "assay.repeat": summary.repeat,
        "mlflow.source.name": summary.source,
    }
    claims = {f"assay.claimed.{key(name)}": value for name, value in summary.claims.items()}
    return {name: str(value)[:_LONGEST] for name, value in {**named, **claims}.items() if value is not None}


def _params(made: Any, run_id: str, exported: Exported) -> None:
    from mlflow.entities import Param

    params = [Param(key(name), str(value)[:_LONGEST]) for name, value in exported.settings().items()]
    for at in range(0, len(params), _MOST_PARAMS):
        made.log_batch(run_id, params=params[at : at + _MOST_PARAMS])


def _metrics(made: Any, run_id: str, first: list[Any], rest: Any) -> int:
    """In batches; the moment of the last."""
    from mlflow.entities import Metric

    last_ms, waiting = 0, first
    while batch := [*waiting, *islice(rest, _MOST_METRICS - len(waiting))]:
        waiting = []
        made.log_batch(run_id, metrics=[Metric(key(p.name), p.value, int(1000 * p.t), p.step) for p in batch])
        last_ms = max(last_ms, *(int(1000 * point.t) for point in batch))
    return last_ms


def _results(made: Any, run_id: str, exported: Exported, t_ms: int) -> None:
    from mlflow.entities import Metric

    results = [Metric(f"summary/{key(name)}", float(value), t_ms, 0) for name, value in exported.results().items()]
    for at in range(0, len(results), _MOST_METRICS):
        made.log_batch(run_id, metrics=results[at : at + _MOST_METRICS])


def key(name: str) -> str:
    """MLflow takes letters, digits and a few signs."""
    return re.sub(r"[^\w\-. :/]", "_", name, flags=re.ASCII).strip("/. ")[:240] or "value"


def _plain(text: str) -> str:
    return re.sub(r"[^\w.-]", "_", text)
