"""`assay doctor`"""

from __future__ import annotations

import click

from assay import systems
from assay.cli.output import print_json
from assay.launchers.doctor import look
from assay.launchers.places import load_places, places_file


@click.command()
@click.argument("name", required=False, metavar="[TARGET]")
@click.option("--places", metavar="FILE", help="Your places (else $ASSAY_PLACES, ./places.yaml, ~/.config/assay/).")
@click.option("--json", "as_json", is_flag=True, help="A list of targets and places, and nothing else.")
def command(name: str | None, places: str | None, as_json: bool) -> int:
    """Say for every target and place whether it can be used from here, or what is missing.

    With a TARGET, how a workload starts there, what it asks a scheduler for, and its known failures.
    """
    if name is not None:
        return _explain(name)
    rows = [{"kind": "target", "name": one.name, **vars(one.detect())} for one in systems.targets().values()]
    for place in load_places(places).values():
        ready, says = look(place)
        kind = "place" if place.name == place.launcher else f"place ({place.launcher})"
        rows.append({"kind": kind, "name": place.name, "ready": ready, "says": says})
    if as_json:
        print_json(rows)
        return 0
    width = max(len(str(row["name"])) for row in rows)
    for row in rows:
        print(f"{row['kind']:<14} {row['name']:<{width}}  {'ready  ' if row['ready'] else 'missing'}  {row['says']}")
    print(f"\nplaces are read from {places_file(places) or '~/.config/assay/places.yaml, which is not there'}")
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
        words = " ".join(word if isinstance(word, str) else f"[{' '.join(word)}]" for word in recipe.command)
        print(f"  {workload}: {words}")
        if recipe.compile:
            print(f"    first: {' '.join(map(str, recipe.compile))}, unless {recipe.makes} is there")
        for key, value in recipe.env.items():
            print(f"    with {key}={value}")
        for key, value in recipe.config.items():
            print(f"    {key} = {value} in a copy of the configuration file")
        if recipe.needs:
            print(f"    needs {recipe.needs}")
        for mode, other in recipe.modes.items():
            print(f"    --mode {mode}: {other.about}")
    for code, remedy in systems.remedies(systems.of(name)):
        print(f"  {code}: {remedy}")
    if target.notes:
        print(f"  {target.notes}")
    return 0 if found.ready else 1
