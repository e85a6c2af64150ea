"""Which settings distinguish runs: not the seed, the name, or where files are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from assay.quantities import settings

#: what makes a repeat, or only says where a run put its files; not what someone compares
_NOT_TELLING = re.compile(
    r"(?i)(?:.*[_.])?seed|repeat|trial|run_?(?:id|name)?|(?:.*[_.])?(?:local_?|node_?)?rank|pid|(?:.*[_.])?port|job(?:_?id)?|name|id|gpu_?ids?"
    r"|(?:.*[_.])?(?:dir|path|file|folder|filename|prefix|url|uri|addr|host)|steps_per_epoch|device_ids?|hostname"
    r"|timestamp|date|(?:.*[_.])?log_\w+|wandb\w*|num_workers_seen|(?:.*[_.])?(?:out|output|save|save_to|logs?|results?)"
    r"|(?:exp|experiment|project|job|session)_?name|exp|experiment|project|group|tags?|notes?|comments?|description"
    r"|verbose|verbosity|debug|quiet|silent|progress|(?:disable_)?tqdm|print_(?:freq|every|interval)|log\w*_(?:freq|every|interval|steps|level)"
    r"|(?:save|checkpoint|ckpt)_(?:freq|every|interval|steps|path|dir|name)|config(?:_name|_path|_file|_dir)?|resume\w*"
    r"|master_(?:addr|port)|rdzv_\w+|CUDA_VISIBLE_DEVICES|PYTHON\w*|\w*PATH|TOKENIZERS_PARALLELISM|HYDRA_FULL_ERROR"
    r"|TF_CPP_MIN_LOG_LEVEL|NCCL_DEBUG|hydra\..*|help|version|served_as"
)
#: what is worked on: a path to it tells runs apart by its last part
_INPUT = re.compile(
    r"(?i)(?:.*[_.])?(?:model|data|data_?set|train|tokenizer|arch|architecture|corpus|task|net|network|backbone)"
    r"(?:_(?:name|path|file|id|type|name_or_path))*"
)
#: which server was asked: an address tells runs apart as a whole, unlike the places where files are
_SERVER = "url"
_ORDER = {one.name: at for at, one in enumerate(settings())}


def tells(name: str, values: Iterable[object] = ()) -> bool:
    """Whether runs that differ in this setting are different work, as far as name and values say."""
    if _is_input(name) or name == _SERVER:
        return True
    if _is_aside(name):
        return False
    return not any(isinstance(value, str) and "/" in value for value in values)


@lru_cache(maxsize=4096)  # thousands of runs have a few names between them
def _is_input(name: str) -> bool:
    return _INPUT.fullmatch(name) is not None


@lru_cache(maxsize=4096)
def _is_aside(name: str) -> bool:
    return _NOT_TELLING.fullmatch(name) is not None


def last_part(name: str, value: object) -> object:
    """The value that distinguishes runs; for a path to a model or to data, its last part."""
    return value.rstrip("/").rpartition("/")[2] if isinstance(value, str) and _is_input(name) else value


def varying(told: Sequence[Mapping[str, object]]) -> list[str]:
    """The settings of several runs that differ among those that have them; a switch, also where some have none."""
    found: dict[str, set[str]] = {}
    switches: dict[str, int] = {}
    for one in told:
        for name, value in one.items():
            found.setdefault(name, set()).add(str(last_part(name, value)))
            if isinstance(value, bool):
                switches[name] = switches.get(name, 0) + 1
    some = {name for name, count in switches.items() if count < len(told)}
    names = [name for name, values in found.items() if (len(values) > 1 or name in some) and tells(name, values)]
    return most_telling_first(names)


def most_telling_first(names: Iterable[str]) -> list[str]:
    """Settings of the table in its order, batch size first; then the others as they come."""
    return sorted(dict.fromkeys(names), key=lambda name: _ORDER.get(name, len(_ORDER)))


def is_known(name: str) -> bool:
    """Whether the table has this setting."""
    return name in _ORDER
