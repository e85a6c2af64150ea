"""SambaNova RDUs (DataScale SN30), through SambaFlow's BERT-large. Follows the centre's guide of 2024.

The SN30 is retired there: its documents were removed in April 2026, and the SN40L that followed serves models through
an OpenAI-style API. That is an endpoint, not a target: `assay run --on metis endpoint`, examples/places/endpoints.yaml.

The compile is a separate step on the host, which leaves a `.pef`; where one lies there already it is skipped, so a
duration that contains it says nothing about training. The number of tasks belongs to the request: 32 tasks of 16 a node
do not fit on one.
"""

from __future__ import annotations

from assay.systems.target import Found, Recipe, Target, by_tools


def _detect() -> Found:
    missing = "no `snfadm` and no /opt/sambaflow: log in to a sn30 node"
    return by_tools(("snfadm", "sntilestat"), ("/opt/sambaflow",), "a SambaFlow node", missing)


TARGET = Target(
    name="sambanova",
    title="SambaNova RDUs (DataScale SN30, retired)",
    detect=_detect,
    reader="sambanova",
    recipes={
        "bert-pretrain": Recipe(
            compile=("python", "transformers_hook.py", "compile", "--module_name", "mlm_ns", "--task_name", "mlm_ns",
                     "-b", "{batch_size}", "--max_seq_length", "128", "--pef-name", "bertlrg",
                     "--output-folder", "{run}"),
            makes="{run}/bertlrg/bertlrg.pef",
            command=("python", "transformers_hook.py", "run", "--module_name", "mlm_ns", "--task_name", "mlm_ns",
                     "-b", "{batch_size}", "--max_seq_length", "128", "-p", "{run}/bertlrg/bertlrg.pef",
                     ("--max_steps", "{max_steps}"), ("--learning_rate", "{lr}")),
            env={"SF_RNT_FSM_POLL_BUSY_WAIT": "1", "SF_RNT_DMA_POLL_BUSY_WAIT": "1", "OMP_NUM_THREADS": "16"},
            needs="transformers_hook.py of SambaFlow's examples",
        )
    },
    request={"slurm": {"gres": "rdu:8", "tasks": 16, "tasks_per_node": 16, "cpus": 8, "tasks_with": ("--mpi=pmi2",)}},
    notes="`training_sequences_per_second` counts tokens; the reader divides. The SN40L serves models: measure it "
    "as an endpoint, `assay run --on metis endpoint` with examples/places/endpoints.yaml",
    follows="the centre's guide of 2024; its documents on the SN30 were removed in April 2026",
)  # fmt: skip
