"""The XLA device is the CPU, which is always in step."""

from __future__ import annotations

import torch


def device() -> torch.device:
    return torch.device("cpu")


def sync() -> None:
    """Nothing is pending."""
