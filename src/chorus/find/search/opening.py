"""Opens the index for queries. If there is none, or it cannot be trusted, it is built first."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TypeVar

from msgspec import Struct

from chorus.errors import ChorusError, IndexDamaged
from chorus.find.index.port import Index
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.index.sqlite.opening import FOLDER as FOLDER
from chorus.find.index.sqlite.searching import CostOf
from chorus.keep.vault.files import FileVault

PATIENCE_S = 60.0
"""How long to wait for another process that builds the index."""
_LOOK_AGAIN_S = 0.1
_Found = TypeVar("_Found")


class BuildOptions(Struct, frozen=True):
    """What is needed only if the index must be built."""

    now: datetime
    progress: Callable[[], AbstractContextManager[Callable[[int], None]]]
    """Opened around the build; yields a function to call with the number of bytes that were done."""
    report: Callable[[str], None]
    """Called once with a text, if another process must be waited for."""
    patience_s: float


def ask(
    vault: FileVault, act: Callable[[Index], _Found], options: BuildOptions, *, cost_of: CostOf | None = None
) -> _Found | None:
    """Returns what `act` finds in the index of the vault; None when the vault is empty, and then no file is created.

    If the index turns out to be damaged, it is rebuilt and `act` is called again. Raises `ChorusError` when another
    process holds the index, and no usable index appears within the waiting time.
    """
    deadline: float | None = None
    is_built = False
    while True:
        index = _opened(vault, cost_of)
        if index is not None:
            try:
                return act(index)
            except IndexDamaged:
                if is_built:
                    raise
            finally:
                index.close()
        elif next(iter(vault.keys()), None) is None:
            return None
        elif is_built:
            raise IndexDamaged(f"{vault.root / FOLDER}: the index cannot be read right after it was built")
        is_built = _build(vault, options, is_damaged=index is not None)
        if is_built:
            continue
        if deadline is None:
            options.report("waiting for another process that builds the index")
            deadline = time.monotonic() + options.patience_s
        if time.monotonic() > deadline:
            raise ChorusError(
                f"{vault.root / FOLDER}: there is no usable index, and another process has held its lock"
                f" for {options.patience_s:.0f} s; stop that process (`chorus sync --watch`?), then run `chorus index`"
            )
        time.sleep(_LOOK_AGAIN_S)


def look(vault: FileVault, act: Callable[[Index], _Found]) -> _Found | None:
    """Returns what `act` finds in the index as it is; None if there is none that can be read. Nothing is built."""
    index = _opened(vault, None)
    if index is None:
        return None
    try:
        return act(index)
    except IndexDamaged:
        return None
    finally:
        index.close()


def _opened(vault: FileVault, cost_of: CostOf | None) -> SqliteIndex | None:
    try:
        return SqliteIndex(vault.root / FOLDER, cost_of=cost_of)
    except IndexDamaged:
        return None


def _build(vault: FileVault, options: BuildOptions, *, is_damaged: bool) -> bool:
    """Builds the index; False when another process does. An index that opened and was damaged is rebuilt."""
    from chorus.find.indexing.writer import index_writer

    with index_writer(vault, options.now) as keeper:
        if keeper is None:
            return False
        with options.progress() as advance:
            if is_damaged:
                keeper.rebuild(advance)
                return True
            try:
                keeper.catch_up(advance=advance)
            except IndexDamaged:
                keeper.rebuild(advance)
    return True
