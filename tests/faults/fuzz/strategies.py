"""What Hypothesis makes for each target: things that look right and hold what no one expects."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from hypothesis import strategies as st

_NAMES = st.sampled_from(
    ("t", "line", "kind", "self", "from", "rank", "v", "mono_s", "at_s", "step", "loss", "accuracy", "epoch",
     "batch_size", "lr", "gpu", "cpu_pct", "name", "edge", "status", "exit_code", "code", "hint", "file", "how",
     "samples", "rss_bytes", "params", "metrics", "phases", "error", "wall_s", "started", "tags", "host")
)  # fmt: skip
_KINDS = st.sampled_from(
    ("metric", "phase", "sample", "param", "error", "result", "how", "beat", "seen", "end", "odd", "claim")
)
_FLOATS = st.one_of(st.floats(), st.sampled_from((1e300, -1e300, 1e308, 5e-324)))
_NUMBERS = st.one_of(st.integers(-(10**20), 10**20), _FLOATS, st.sampled_from((10**400, -(10**400), 0, -1)))
_TEXTS = st.one_of(
    st.text(max_size=20), st.sampled_from(("", "0.5", "1e999", "9" * 5000, "\x1b[31m", "../x", "²", "nan"))
)
_LEAVES = st.one_of(st.none(), st.booleans(), _NUMBERS, _TEXTS)


def any_json() -> st.SearchStrategy[Any]:
    keys = st.one_of(_NAMES, _TEXTS)
    return st.recursive(
        _LEAVES,
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
        max_leaves=12,
    )


def _written(number: Any) -> str:
    return str(number) if not isinstance(number, int) or abs(number) < 10**300 else "9" * 400


def lines() -> st.SearchStrategy[bytes]:
    """Lines of names and figures, in the forms that people print."""
    figure = st.one_of(_NUMBERS.map(_written), _TEXTS)
    pair = st.builds(
        lambda name, sign, value: name + sign + value, _NAMES, st.sampled_from(("=", ": ", " ", ":", "| ")), figure
    )
    row = st.lists(pair, max_size=6).map(" ".join)
    objects = st.dictionaries(_NAMES, any_json(), max_size=5).map(json.dumps)
    table = st.lists(figure, max_size=5).map(" | ".join)
    known = st.sampled_from(
        ("Epoch 1/3", "Traceback (most recent call last):", "| step | loss |", "|---|---|", "step,loss")
    )
    text = st.lists(st.one_of(row, objects, table, known, st.text(max_size=80)), max_size=12).map("\n".join)
    return text.map(lambda made: made.encode("utf-8", "surrogatepass"))


def markdown() -> st.SearchStrategy[bytes]:
    words = st.sampled_from(
        ("faster", "because", "the loss", "epochs", "10 -> 20", "batch size", "50 %", "than", "increased", "by", "from",
         "to", "Cerebras", "2x", "accuracy", "of", "and", "so", "due to", "was", "1,024", "half of", "GPU", ".", "?")
    )  # fmt: skip
    sentence = st.lists(words, max_size=25).map(" ".join)
    marks = st.sampled_from(
        ("# ", "## ", "- ", "> ", "| ", "```\n", "$ ", "    ", "***", "---", "1. ", "<b>", "[a](b)")
    )
    block = st.one_of(
        sentence, st.builds("{}{}".format, marks, sentence), lines().map(lambda made: made.decode(errors="replace"))
    )
    return st.lists(block, max_size=12).map("\n".join).map(lambda made: made.encode("utf-8", "surrogatepass"))


def html() -> st.SearchStrategy[bytes]:
    tags = st.sampled_from(
        (
            "<p>",
            "</p>",
            "<pre>",
            "</pre>",
            "<table>",
            "<tr><td>",
            "</table>",
            "<!--",
            "<script>",
            "<br",
            "&#x;",
            "<a b='",
        )
    )
    inner = markdown().map(lambda made: made.decode(errors="replace"))
    return (
        st.lists(st.one_of(tags, inner), max_size=12)
        .map("".join)
        .map(lambda made: made.encode("utf-8", "surrogatepass"))
    )


def notebooks() -> st.SearchStrategy[Any]:
    texts = st.one_of(st.lists(_TEXTS, max_size=4), any_json())
    kinds = st.sampled_from(("stream", "error", "execute_result"))
    fields = {"output_type": kinds, "text": texts, "data": any_json(), "traceback": texts, "name": _TEXTS}
    outputs = st.lists(st.fixed_dictionaries({}, optional=fields), max_size=3)
    cell = st.fixed_dictionaries(
        {"cell_type": st.sampled_from(("code", "markdown", "raw"))},
        optional={"source": texts, "outputs": st.one_of(outputs, any_json())},
    )
    cells = st.one_of(st.lists(st.one_of(cell, any_json()), max_size=5), any_json())
    return st.one_of(st.fixed_dictionaries({"cells": cells}, optional={"metadata": any_json()}), any_json())


def runs() -> st.SearchStrategy[dict[str, bytes]]:
    """The files of a run, of values that are valid JSON and little else."""
    event = st.builds(
        lambda kind, facts: {"kind": kind, **facts}, _KINDS, st.dictionaries(_NAMES, any_json(), max_size=5)
    )
    events = st.lists(event, max_size=8).map(lambda rows: "\n".join(map(json.dumps, rows)).encode() + b"\n")
    asked = st.dictionaries(
        st.one_of(_NAMES, st.sampled_from(("id", "command", "host", "claims", "v"))), any_json(), max_size=6
    )
    summary = st.one_of(st.dictionaries(_NAMES, any_json(), max_size=6), any_json())
    base = {"v": 1, "id": "20240101T000000.000-aaaaaa", "name": "bad", "command": ["true"]}

    def files(asked: Any, summary: Any, events: bytes, whole: bool) -> dict[str, bytes]:
        kept = {"run.json": json.dumps({**base, **asked}).encode(), "events/host-1-1.jsonl": events}
        if whole:
            kept["summary.json"] = json.dumps(summary).encode()
        return {f"bad-20240101T000000.000-aaaaaa/{name}": content for name, content in kept.items()}

    return st.builds(files, asked, summary, events, st.booleans())


def conditions() -> st.SearchStrategy[bytes]:
    sign = st.sampled_from(("=", "!=", ">", "<", ">=", "<=", "~", "", " = "))
    # no byte of zero: no command line can hold one
    text = st.builds(lambda name, sign, value: name + sign + value, st.one_of(_NAMES, _TEXTS), sign, _TEXTS)
    return text.map(lambda made: made.replace("\0", "").encode("utf-8", "surrogatepass"))


def questions() -> st.SearchStrategy[bytes]:
    paths = st.sampled_from(
        ("/api/runs", "/api/compare", "/api/findings", "/api/run/good/log", "/api/run/x", "/api/changes", "/")
    )
    names = st.sampled_from(
        ("q", "where", "sort", "group", "offset", "limit", "after", "runs", "by", "axis", "from", "lines", "find")
    )
    pair = st.builds(lambda name, value: f"{name}={quote(value.encode('utf-8', 'surrogatepass'))}", names, _TEXTS)
    return st.builds(lambda path, pairs: f"{path}?{'&'.join(pairs)}".encode(), paths, st.lists(pair, max_size=4))


def studies() -> st.SearchStrategy[Any]:
    keys = (
        "study", "command", "grid", "seeds", "repeat", "warmup", "success", "limits", "on", "env", "jobs", "target",
        "workload", "mode", "settings", "exclude", "include", "name", "order", "tags",
    )  # fmt: skip
    likely = {
        "command": st.one_of(st.just("echo {x}"), any_json()),
        "grid": st.one_of(st.just({"x": [1, 2]}), any_json()),
    }
    return st.one_of(
        st.fixed_dictionaries(likely, optional={key: any_json() for key in keys if key not in likely}), any_json()
    )


def places() -> st.SearchStrategy[Any]:
    keys = (
        "nodes",
        "procs",
        "tasks",
        "cpus",
        "gpus",
        "memory",
        "time",
        "partition",
        "modules",
        "setup",
        "env",
        "extra",
        "python",
        "requeue",
    )
    place = st.fixed_dictionaries(
        {"launcher": st.one_of(st.sampled_from(("local", "slurm", "pbs", "torchrun")), any_json())},
        optional={key: any_json() for key in keys},
    )
    return st.one_of(st.dictionaries(_TEXTS, place, max_size=3), any_json())


def mlflow() -> st.SearchStrategy[dict[str, bytes]]:
    """meta.yaml of any facts, a metric of any rows, a setting under a name of ours."""
    row = st.lists(_NUMBERS.map(_written), max_size=4).map(" ".join)
    rows = st.lists(row, max_size=5).map("\n".join)
    meta = st.one_of(st.dictionaries(st.sampled_from(("run_id", "run_name", "status")), any_json()), any_json())
    return st.builds(
        lambda facts, name, rows, value: {
            "0/a/meta.yaml": json.dumps(facts).encode(),
            f"0/a/metrics/{name}": rows.encode(),
            f"0/a/params/{name}": value.encode("utf-8", "surrogatepass"),
        },
        meta, _NAMES, rows, _TEXTS,
    )  # fmt: skip


def _storable(value: Any) -> Any:
    return value if not isinstance(value, int) or abs(value) < 1 << 63 else str(value)


def mlflow_rows() -> st.SearchStrategy[list[tuple[Any, ...]]]:
    cell = st.one_of(_NUMBERS.map(_storable), st.none(), st.sampled_from(("x", "", "1e999")), st.binary(max_size=5))
    return st.lists(st.tuples(st.one_of(_NAMES, cell), cell, cell, cell), max_size=6)


def wandb_rows() -> st.SearchStrategy[list[dict[str, Any]]]:
    keys = st.one_of(_NAMES, st.sampled_from(("_step", "_timestamp", "_runtime", "train/loss", "a/b/c", "")))
    return st.lists(st.dictionaries(keys, any_json(), max_size=5), max_size=5)


def scalars() -> st.SearchStrategy[list[tuple[str, float, int, float]]]:
    tags = st.one_of(_NAMES, _TEXTS.map(lambda text: text.encode("utf-8", "replace").decode()))
    return st.lists(st.tuples(tags, _FLOATS, st.integers(-(2**63), 2**63 - 1), _FLOATS), max_size=6)


def psrecord() -> st.SearchStrategy[bytes]:
    row = st.lists(_NUMBERS.map(_written), min_size=1, max_size=5).map("   ".join)
    head = "# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n"
    return st.lists(row, max_size=8).map(lambda rows: (head + "\n".join(rows) + "\n").encode())
