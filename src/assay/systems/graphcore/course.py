"""Of the course: PopTorch's MNIST tutorial, whose steps give its batch size away."""

from __future__ import annotations

from assay.systems.system import Course

IMAGES, DEVICE_ITERATIONS = 60_000, 50
COURSE = Course(
    about=f"the MNIST tutorial: {IMAGES:,} images at {DEVICE_ITERATIONS} device iterations, which give its batch size",
    ten_classes="accuracy on test set:",
)


def batch_of(steps_per_epoch: int) -> int | None:
    """The tutorial's batch size by its number of steps, where only one fits."""
    per_step = IMAGES // DEVICE_ITERATIONS
    fitting = [size for size in range(1, per_step + 1) if per_step // size == steps_per_epoch]
    return fitting[0] if len(fitting) == 1 else None
