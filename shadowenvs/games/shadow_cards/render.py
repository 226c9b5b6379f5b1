"""A table of Shadow Cards as text and as SVG."""

from __future__ import annotations

import numpy as np


def text(state: np.ndarray, seat: int | None) -> str:
    return ""


def svg(state: np.ndarray, seat: int | None) -> str:
    return ""
