"""Pictures of pixels mode: what a seat sees of the shadow, and the nine objects by dot (SM-77, SM-78)."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from shadowenvs import rng
from shadowenvs.games.shadow_master.spec import (
    GRAINS,
    NUM_DOTS,
    OBJECT_SIDE,
    PIXELS,
    SHADOW_SIDE,
    STREAM_GRAIN,
    ShadowMasterOptions,
)
from shadowenvs.jit import cached, for_kernels, kernel

BLACK, GREY, WHITE = 255, 128, 0
SHAPES: dict[str, tuple[int, ...]] = {
    "shadow": (1, SHADOW_SIDE, SHADOW_SIDE),
    "objects": (NUM_DOTS, OBJECT_SIDE, OBJECT_SIDE),
}
"""Shape of each picture of one seat, channels first."""

_ONE = np.float64(1.0)
_TWO_32 = np.float64(1 << 32)


def picture_shapes(options: ShadowMasterOptions) -> dict[str, tuple[int, ...]]:
    """Returns the shapes of the pictures that a seat is shown, by name."""
    return SHAPES if options.mode == "pixels" else {}


def pictures(tables: np.recarray, states: np.recarray, seats: NDArray[np.integer]) -> dict[str, NDArray[np.uint8]]:
    """Returns what seats see in pixels mode, {} in evidence mode.

    Args:
        tables: The tables record [1].
        states: B states of one environment.
        seats: Integers [B], who looks at each.

    Returns:
        ``shadow`` uint8 [B, 1, 96, 96] and ``objects`` uint8 [B, 9, 48, 48]: 255 black, 0 white, 128 not seen yet.
        After the end of a game all is white.
    """
    if len(states) == 0 or states["options"]["mode"][0] != PIXELS:
        return {}
    table = tables[0]
    done = states["done"]
    shadows = np.unpackbits(table["shadows"][states["card"]], axis=1)
    shown = np.where(done[:, None], WHITE, shadows * np.uint8(BLACK)).astype(np.uint8)
    if states["options"]["detail"][0] == GRAINS:
        hide_unseen(cast(np.recarray, for_kernels(states)), np.asarray(seats, np.int64), shown)
    letters = table["letters"][states["card"], states["colour"]]
    packed = table["pictures"][letters[:, None], states["objects"]]
    objects = np.unpackbits(packed, axis=2) * np.uint8(BLACK)
    objects[done] = WHITE
    return {
        "shadow": shown.reshape(-1, *SHAPES["shadow"]),
        "objects": objects.reshape(-1, *SHAPES["objects"]),
    }


@cached
def hide_unseen(states: np.recarray, seats: np.ndarray, shown: np.ndarray) -> None:
    """SM-78: greys the pixels, uint8 [B, 9216], that each seat has not seen yet."""
    for b in range(len(seats)):
        state = states[b]
        if not state.done:
            hide_from_seat(state, seats[b], shown[b])


@kernel
def hide_from_seat(state: np.recarray, seat: int, shown: np.ndarray) -> None:
    """Greys the pixels, uint8 [9216], that a seat has not seen yet.

    A pixel appears in tick g with chance r (1 - r) ** (g - 1): up to the present tick if its 32 random bits lie below
    1 - (1 - r) ** tick. In a sampled world the seat sees no more than when the world was drawn (SM-76).
    """
    seed, tick = state.seed, int(state.tick)
    if state.grain_seat == seat:
        seed, tick = state.grain_seed, min(tick, int(state.grain_stop))
    unseen = _ONE
    for _ in range(tick):
        unseen *= _ONE - np.float64(state.options.grain_rate)
    limit = np.uint64(np.int64((_ONE - unseen) * _TWO_32))
    place = 8 * int(state.round_no) + seat
    for quarter in range(SHADOW_SIDE * SHADOW_SIDE // 4):
        words = rng.block(seed, STREAM_GRAIN, place, quarter)
        for part in range(4):
            if words[part] >= limit:
                shown[4 * quarter + part] = GREY
