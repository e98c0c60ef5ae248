"""Makes this process the writer of the index for a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from chorus.core.records.times import wire_time
from chorus.errors import ChorusError
from chorus.find.index.sqlite.searching import CostOf
from chorus.find.indexing.index_keeper import FOLDER, IndexKeeper
from chorus.find.indexing.lock import sole_writer
from chorus.keep.vault.files import FileVault

AT_WORK = timedelta(days=2)
"""A conversation without activity for longer than this is read from its start when it continues."""


@contextmanager
def index_writer(vault: FileVault, now: datetime, *, cost_of: CostOf | None = None) -> Iterator[IndexKeeper | None]:
    """Yields the IndexKeeper of the vault; None when another process is the writer, which also indexes what is new."""
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
        raise ChorusError(f"{vault.root / FOLDER}: {error.strerror or error}; the vault itself is intact") from error
