"""The index opened to be asked. Where there is none, or none that can be trusted, it is made first."""

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
"""How long another process that makes the index is waited for."""
_LOOK_AGAIN_S = 0.1
_Found = TypeVar("_Found")


class Making(Struct, frozen=True):
    """What is needed only when the index has to be made."""

    now: datetime
    progress: Callable[[], AbstractContextManager[Callable[[int], None]]]
    """Opened around the work; gives what to call with the number of bytes that were done."""
    says: Callable[[str], None]
    """Told once, when another process has to be waited for."""
    patience_s: float


def ask(
    vault: FileVault, act: Callable[[Index], _Found], making: Making, *, cost_of: CostOf | None = None
) -> _Found | None:
    """What `act` finds in the index of the vault; None when nothing is kept, and then no file is made.

    `act` is called again after the index was made anew because it turned out to be damaged. `ChorusError` when another
    process keeps the index, and there is none to be used within the time that one waits for it.
    """
    deadline: float | None = None
    is_made = False
    while True:
        index = _opened(vault, cost_of)
        if index is not None:
            try:
                return act(index)
            except IndexDamaged:
                if is_made:
                    raise
            finally:
                index.close()
        elif next(iter(vault.keys()), None) is None:
            return None
        elif is_made:
            raise IndexDamaged(f"{vault.root / FOLDER}: the index cannot be read right after it was made")
        is_made = _make(vault, making, is_distrusted=index is not None)
        if is_made:
            continue
        if deadline is None:
            making.says("waiting for another process that makes the index")
            deadline = time.monotonic() + making.patience_s
        if time.monotonic() > deadline:
            raise ChorusError(
                f"{vault.root / FOLDER}: there is no index that can be used, and another process has kept it to itself"
                f" for {making.patience_s:.0f} s; end that one (`chorus sync --watch`?), then run `chorus index`"
            )
        time.sleep(_LOOK_AGAIN_S)


def _opened(vault: FileVault, cost_of: CostOf | None) -> SqliteIndex | None:
    try:
        return SqliteIndex(vault.root / FOLDER, cost_of=cost_of)
    except IndexDamaged:
        return None


def _make(vault: FileVault, making: Making, *, is_distrusted: bool) -> bool:
    """Make the index; False when that is up to another process. One that opened, and was damaged, is made anew."""
    from chorus.find.indexing.writer import index_writer

    with index_writer(vault, making.now) as keeper:
        if keeper is None:
            return False
        with making.progress() as advance:
            if is_distrusted:
                keeper.rebuild(advance)
                return True
            try:
                keeper.catch_up(advance=advance)
            except IndexDamaged:
                keeper.rebuild(advance)
    return True
