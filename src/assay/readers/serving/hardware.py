"""Names of accelerators as people and tools write them, and the system that each belongs to."""

from __future__ import annotations

import re

_NVIDIA = (
    r"(?:NVIDIA[ -])?(?:GeForce[ -])?(?:(?:RTX|GTX) ?(?:PRO ?)?A?\d{4}(?: ?(?:Ti|SUPER|Ada|D))*(?: Laptop GPU)?|"
    r"(?:GB?[HB]?[12]00|[AHBV][1-4]00|GB10|GB300|B300|H20|H800|A800|L40S?|L4|L20|A[1-6]0(?:00)?|A10G?|T4|V100S?|P100)"
    r"(?:[ -](?:SXM\d?(?:-\d+GB)?|PCIe|NVL|\d+GB)){0,2})(?![\w.])"
)
_OTHERS = (
    ("sambanova", r"(?:SambaNova )?SN\d0L?\b"),
    ("groq", r"\bGroq(?:Chip|Card|Rack|Node)\w*"),
    ("cerebras", r"\b(?:Cerebras )?CS-[123]\b|\bWSE-?[23]\b"),
    ("graphcore", r"\b(?:Graphcore )?(?:Bow )?(?:IPU|GC200|POD\d+)\b"),
    ("rocm", r"(?:AMD )?(?:Instinct )?\bMI\d{3}[AX]?\b|Radeon (?:RX|Pro|AI PRO) ?\w{4,6}(?: XTX| XT)?"),
    ("ascend", r"\b(?:Ascend ?)?910[ABC]\d?\b"),
    ("gaudi", r"\b(?:Intel )?Gaudi ?[123]\b|\bHL-\d{3}\b"),
    ("tpu", r"\bTPU ?v\d\w*|\bTrillium\b"),
    ("metal", r"\bApple M[1-5](?: (?:Pro|Max|Ultra))?\b"),
)
_DEVICE = re.compile(rf"(?<![\w.-])(?:\d{{1,3}} ?[xX×*] ?)?(?P<name>{_NVIDIA}|{'|'.join(p for _, p in _OTHERS)})")
_SYSTEMS = tuple((name, re.compile(pattern)) for name, pattern in _OTHERS)
#: those that have a reader or a target of their own
_KNOWN = {"sambanova", "groq", "cerebras", "graphcore"}


def device_in(text: str) -> str | None:
    """The first accelerator that a text names."""
    found = _DEVICE.search(text[:2000])
    return found["name"].strip() if found else None


def devices_in(text: str) -> set[str]:
    return {found["name"].strip() for found in _DEVICE.finditer(text[:4000])}


def system_of(device: str) -> str:
    """`sambanova` for an SN40L, `cuda` for what NVIDIA makes; `generic` where we have no name for it."""
    for name, pattern in _SYSTEMS:
        if pattern.search(device):
            return name if name in _KNOWN else "generic"
    return "cuda" if re.search(_NVIDIA, device) else "generic"
