"""What schedulers and inference tools call their settings and figures, in every language side by side."""

from __future__ import annotations

TERMS = {
    "step_ms": "step time | step times | iteration time | iteration times | time per step | time per iteration",
    "ngl": "ngl | gpu layers | layers on the gpu | layers offloaded | offloaded layers | layers in vram | "
    "schichten auf der gpu | gpu schichten | capas en la gpu | couches sur le gpu",
    "cpu_eff": "cpu efficiency | cpu effizienz | eficiencia de cpu | efficacité cpu",
    "mem_eff": "memory efficiency | mem efficiency | speichereffizienz | eficiencia de memoria",
}
