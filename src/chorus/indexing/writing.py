"""Who keeps the index up to date, for as long as it does."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from chorus.errors import ChorusError
from chorus.index.sqlite.searching import CostOf
from chorus.indexing.keeping import FOLDER, IndexKeeper
from chorus.indexing.lock import sole_writer
from chorus.records.times import wire_time
from chorus.store.files import FileVault

AT_WORK = timedelta(days=2)
"""A conversation that was quiet for longer is read anew, should it go on."""


@contextmanager
def index_writer(vault: FileVault, now: datetime, *, cost_of: CostOf | None = None) -> Iterator[IndexKeeper | None]:
    """The keeper of the vault's index; None when another process is, which takes in all that is kept."""
    try:
        with sole_writer(vault.root / FOLDER) as is_ours:
            if not is_ours:
                yield None
                return
            keeper = IndexKeeper(vault, saved_since=wire_time(now - AT_WORK), cost_of=cost_of)
            try:
                yield keeper
            finally:
                keeper.close()
    except OSError as error:
        raise ChorusError(f"{vault.root / FOLDER}: {error.strerror or error}; the vault itself is whole") from error
