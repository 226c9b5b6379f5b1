import numpy as np

from shadowenvs.jit import kernel


@kernel
def heuristic(table: np.recarray, obs: np.recarray, mask: np.ndarray, seed: np.uint64) -> int:
    for a in range(len(mask)):
        if mask[a]:
            return a
    return 0
