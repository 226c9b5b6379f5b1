"""A table of Shadow Games as text and as SVG."""

from __future__ import annotations

import numpy as np

from shadowenvs.games.shadow_games.spec import ShadowGamesOptions


def text(options: ShadowGamesOptions, state: np.recarray, seat: int | None) -> str:
    return ""


def svg(options: ShadowGamesOptions, state: np.recarray, seat: int | None) -> str:
    return ""
