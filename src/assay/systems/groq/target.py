"""GroqChips, through GroqFlow's proof points. Follows the centre's guide of August 2026.

A model that was built before is taken from the build cache unless its inputs changed; `state.yaml` in it tells. On-chip
latency is an estimate from cycles, the same for every run of one build.
"""

from __future__ import annotations

from assay.systems.target import Found, Recipe, Target, by_tools


def _detect() -> Found:
    missing = "no `groq-compiler` and no /opt/groq: log in to a groq-r01-gn node"
    return by_tools(("groq-compiler", "groqit"), ("/opt/groq",), "a GroqFlow node", missing)


_NEEDS = "{cwd}/requirements.txt"
TARGET = Target(
    name="groq",
    title="GroqChips",
    detect=_detect,
    reader="groq",
    recipes={
        "bert-classify": Recipe(
            command=("python", "bert_tiny.py"),
            env={"GROQFLOW_CACHE_DIR": "{run}/groqflow_cache"},
            setup=(f"[ ! -f {_NEEDS} ] || python -m pip install -q -r {_NEEDS}",),
            needs="bert_tiny.py of the proof points, and the packages of the requirements.txt beside it",
        )
    },
    request={"pbs": {"select": "1", "arrange": "excl"}},
    notes="a whole node by PBS; at a place, `pip install -r requirements.txt` of the proof point runs before each job",
    follows="the centre's guide of August 2026",
)
