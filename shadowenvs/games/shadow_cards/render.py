"""A table of Shadow Cards as text and as SVG."""

from __future__ import annotations

import numpy as np

from shadowenvs.games.shadow_cards.spec import ShadowCardsOptions


def text(options: ShadowCardsOptions, state: np.recarray, seat: int | None) -> str:
    return ""


def svg(options: ShadowCardsOptions, state: np.recarray, seat: int | None) -> str:
    return ""
