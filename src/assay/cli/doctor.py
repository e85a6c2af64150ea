"""`assay doctor`"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import click

from assay import systems
from assay.cli.output import print_json
from assay.launchers.doctor import look, look_at
from assay.launchers.endpoints import load_endpoints
from assay.launchers.places import load_places, places_file
from assay.probes import devices
from assay.systems.target import Recipe
from assay.views import terminal
from assay.views.grid import Column, Grid


@click.command()
@click.argument("name", required=False, metavar="[TARGET]")
@click.option(
    "--places", metavar="FILE", help="File with your places (default: $ASSAY_PLACES, ./places.yaml, ~/.config/assay/)."
)
@click.option("--json", "as_json", is_flag=True, help="Print targets and places as JSON.")
def command(name: str | None, places: str | None, as_json: bool) -> int:
    """Check which targets, places and endpoints can be used from here, and what is missing for the others.

    With a TARGET: how a workload starts on it, what it requests from a scheduler, and its known failures.
    """
    if name is not None:
        return _explain(name)
    rows = [{"kind": "target", "name": one.name, **vars(one.detect())} for one in systems.targets().values()]
    rows += [{"kind": "probe", "name": one, "ready": ready, "says": says} for one, ready, says in devices.report()]
    for place in load_places(places).values():
        ready, says = look(place)
        kind = "place" if place.name == place.launcher else f"place ({place.launcher})"
        rows.append({"kind": kind, "name": place.name, "ready": ready, "says": says})
    endpoints = load_endpoints(places)
    with ThreadPoolExecutor(max(1, len(endpoints))) as pool:  # do not wait for one that does not answer
        for one, (ready, says) in zip(endpoints, pool.map(look_at, endpoints.values()), strict=True):
            rows.append({"kind": "endpoint", "name": one, "ready": ready, "says": says})
    if as_json:
        print_json(rows)
        return 0
    headings = (("kind", False), ("name", False), ("here", False), ("details", True))
    cells = [
        [str(row["kind"]), str(row["name"]), "ready" if row["ready"] else "missing", str(row["says"])] for row in rows
    ]
    table = Grid(columns=[Column(heading=text, wrap=wrap) for text, wrap in headings], rows=cells)
    for line in table.lines(terminal.columns(), colour=terminal.colours(sys.stdout)):
        print(line)
    print(f"\nplaces are read from {places_file(places) or '~/.config/assay/places.yaml, which does not exist'}")
    return 0


def _explain(name: str) -> int:
    from assay.errors import UsageError, did_you_mean

    known = systems.targets()
    if name not in known:
        raise UsageError(f"no target called `{name}`", did_you_mean(name, known))
    target = known[name]
    found = target.detect()
    print(f"{target.name}: {target.title}")
    print(f"  {'ready' if found.ready else 'missing'}: {found.says}")
    print(f"  its log is read by `{target.reader}`")
    for launcher, request in target.request.items():
        print(f"  on {launcher} it asks for {', '.join(f'{key}={value}' for key, value in request.items())}")
    for workload, recipe in target.recipes.items():
        _explain_recipe(workload, recipe)
    for code, remedy in systems.remedies(systems.of(name)):
        print(f"  {code}: {remedy}")
    if target.notes:
        print(f"  {target.notes}")
    if target.follows:
        print(f"  follows {target.follows}")
    return 0 if found.ready else 1


def _explain_recipe(workload: str, recipe: Recipe) -> None:
    print(f"  {workload}: {_shown(recipe)}")
    if recipe.compile:
        print(f"    first: {' '.join(map(str, recipe.compile))}, unless {recipe.makes} is there")
    lines = [f"with {key}={value}" for key, value in recipe.env.items()]
    lines += [f"{key} = {value} in a copy of the configuration file" for key, value in recipe.config.items()]
    for top, form in recipe.forms.items():
        lines.append(f"with `{top}` in that file: {_shown(form)}")
        lines += [f"  {key} = {value} in a copy of it" for key, value in form.config.items()]
    lines += [f"set up on a place by: {line}" for line in recipe.setup]
    lines += [f"needs {recipe.needs}"] if recipe.needs else []
    lines += [f"--mode {mode}: {other.about}" for mode, other in recipe.modes.items()]
    print("".join(f"    {line}\n" for line in lines), end="")


def _shown(recipe: Recipe) -> str:
    """The command, with what is only there when it is set in brackets."""
    return " ".join(word if isinstance(word, str) else f"[{' '.join(word)}]" for word in recipe.command)
