"""Compilation of game kernels with Numba, and a compile cache that cannot go stale.

A *kernel* is a plain function over scalars, NumPy arrays and records that Numba compiles. Kernels never raise, keep no
state of their own and run uncompiled too (``NUMBA_DISABLE_JIT=1``), for debuggers and coverage.

A *template* is a loop written once with free names for the kernels of a game; :func:`specialise` makes one compiled
function per game of it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import tempfile
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config
from numba.core.dispatcher import Dispatcher

Function = TypeVar("Function", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parent


def is_compiled() -> bool:
    """Returns whether kernels are machine code (False under ``NUMBA_DISABLE_JIT=1``)."""
    return not config.DISABLE_JIT


def kernel(function: Function) -> Function:
    """Compiles a kernel on its first call.

    Kernels release the interpreter lock, divide like NumPy (no exception on zero) and follow IEEE arithmetic strictly.
    """
    return cast(Function, numba.njit(nogil=True, error_model="numpy")(function))


def specialise(template: Callable[..., Any], name: str, **kernels: Callable[..., Any]) -> Callable[..., Any]:
    """Binds kernels to the free names of a template and compiles the result into the disk cache.

    Numba's disk cache takes neither closures nor kernels passed as arguments. So this makes a new function of the
    template's code object whose globals hold the kernels, with a qualified name of its own.

    Args:
        template: A plain Python function that calls its kernels by global names.
        name: Distinguishes this specialisation (the game's name and version).
        **kernels: The kernels, by the names that the template uses.

    Returns:
        The compiled function (the plain one when compilation is off).
    """
    bound = types.FunctionType(
        template.__code__, {**template.__globals__, **kernels}, f"{template.__name__}_{name}", template.__defaults__
    )
    bound.__qualname__ = bound.__name__
    bound.__module__ = template.__module__
    return _compile_cached(bound, tuple(_source_folder(function) for function in kernels.values()))


def for_kernels(records: np.ndarray) -> np.ndarray:
    """Returns a structured array in the form that kernels take: uncompiled they need a recarray's attributes."""
    return records if is_compiled() else records.view(np.recarray)


def direct(function: Callable[..., Any], *examples: Any) -> Callable[..., Any]:
    """Compiles a function for the types of the examples and returns its machine code as a callable.

    Calling it skips Numba's look-up of the argument types, which takes several microseconds for arrays of records. The
    caller must pass arguments of exactly these types from then on.
    """
    if not isinstance(function, Dispatcher):
        return function  # compilation is off
    signature = tuple(numba.typeof(example) for example in examples)
    function.compile(signature)
    return cast(Callable[..., Any], function.overloads[signature].entry_point)


def cached(function: Function) -> Function:
    """Compiles a kernel that Python calls directly, and keeps the machine code on disk."""
    return cast(Function, _compile_cached(function, ()))


def _compile_cached(function: Callable[..., Any], folders: tuple[Path, ...]) -> Callable[..., Any]:
    directory = cache_directory(*folders)
    if directory is None or config.DISABLE_JIT:
        return kernel(function)
    # Numba reads the directory once, while it decorates.
    before = config.CACHE_DIR
    config.CACHE_DIR = str(directory)
    try:
        return cast(Callable[..., Any], numba.njit(nogil=True, error_model="numpy", cache=True)(function))
    finally:
        config.CACHE_DIR = before


def _source_folder(function: Callable[..., Any]) -> Path:
    return Path(getattr(function, "py_func", function).__code__.co_filename).parent


@functools.cache
def cache_directory(*folders: Path) -> Path | None:
    """Returns the folder for machine code, made if need be, or None where nothing can be written.

    Numba notices edits only in the file of the cached function itself. The folder's name is therefore a hash over the
    sources that may hold kernels: those of one game, and those of the core that import this module. An edited kernel
    finds an empty folder.

    Args:
        *folders: Folders with kernel sources, beside the core's.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for folder in sorted({_PACKAGE, *folders}):
        for path in sorted(folder.glob("*.py")):
            source = path.read_bytes()
            if folder == _PACKAGE and b"shadowenvs.jit" not in source and path.name != "jit.py":
                continue  # an environment's shell: no kernel, and none of its business
            digest.update(path.name.encode())
            digest.update(source)
    # Code compiled with bounds checks must not be taken for code without.
    digest.update(str(config.BOUNDSCHECK).encode())
    key = digest.hexdigest()[:16]
    for base in _cache_bases():
        try:
            directory = base / key
            directory.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=directory):
                return directory
        except OSError:
            continue
    return None


def _cache_bases() -> list[Path]:
    bases = [Path(os.environ[name]) for name in ("NUMBA_CACHE_DIR",) if os.environ.get(name)]
    home = os.environ.get("XDG_CACHE_HOME")
    with contextlib.suppress(RuntimeError):  # no home folder at all
        bases.append((Path(home) if home else Path.home() / ".cache") / "shadowenvs")
    user = os.getuid() if hasattr(os, "getuid") else "user"
    bases.append(Path(tempfile.gettempdir()) / f"shadowenvs-{user}")
    return bases
