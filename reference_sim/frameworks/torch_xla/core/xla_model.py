"""The XLA device is the CPU, which is always in step."""

from __future__ import annotations

from .. import device as xla_device
from .. import sync as mark_step

__all__ = ["mark_step", "xla_device"]
