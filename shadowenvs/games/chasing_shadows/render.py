"""A table of Chasing Shadows as text and as SVG."""

from __future__ import annotations

import numpy as np

from shadowenvs.games.chasing_shadows.spec import ChasingShadowsOptions


def text(options: ChasingShadowsOptions, state: np.recarray, seat: int | None) -> str:
    return ""


def svg(options: ChasingShadowsOptions, state: np.recarray, seat: int | None) -> str:
    return ""
