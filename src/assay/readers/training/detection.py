"""Detectors: detectron2, YOLOv5 and Ultralytics.

    [09/02 02:43:17 d2.utils.events]:  eta: 0:00:00  iter: 299  total_loss: 0.3553  …  lr: 0.00024917  max_mem: 2940M
    [09/02 02:43:17 d2.engine.hooks]: Overall training speed: 298 iterations in 0:06:13 (1.2533 s / it)
          1/100      2.61G      1.153      1.398      1.192         81        640: 100%|███| 8/8 [00:05<00:00]
    100 epochs completed in 0.034 hours.
    /content/train.py: … 50 epochs completed in 0.217 hours.

The trap: precision, recall and mAP are no accuracy, and of several losses none is the loss. YOLOv5 counts its epochs
from 0 to 49, so `49/49` is the fiftieth; Ultralytics counts from 1.
"""

from __future__ import annotations

import re

from assay.core.dates import clock_seconds
from assay.readers.sizes import FACTORS, PEAK
from assay.readers.told import Form, Told

_SPEED = re.compile(r"Overall training speed: \d+ iterations in (?P<clock>(?:\d+ days?, )?[\d:.]+)")
_EPOCH = re.compile(r"^(?P<epoch>\d+)/(?P<total>\d+) +(?P<memory>[\d.]+)G +[\d.]+ +[\d.]+ ")
_HOURS = re.compile(r"(?<!\d)(?P<epochs>\d{1,9}) epochs completed in (?P<hours>[\d.]+) hours")
_DAYS = re.compile(r"(?P<days>\d+) days?, ")


def _speed(found: re.Match[str]) -> Told:
    days = _DAYS.match(found["clock"])
    clock = found["clock"][days.end() :] if days else found["clock"]
    seconds = clock_seconds(clock) + (86400 * int(days["days"]) if days else 0)
    return Told(results={"train_s": seconds}, completed=True)


def _epoch(found: re.Match[str]) -> Told:
    return Told(facts={"epoch": int(found["epoch"]), PEAK: float(found["memory"]) * FACTORS["g"]})


def _hours(found: re.Match[str]) -> Told:
    seconds = round(float(found["hours"]) * 3600, 3)
    return Told(results={"train_s": seconds, "epochs": int(found["epochs"])}, completed=True)


FORMS = (
    Form("Overall training speed", _SPEED, _speed),
    Form("G ", _EPOCH, _epoch),
    Form("epochs completed in", _HOURS, _hours),
)
