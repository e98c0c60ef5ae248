"""The index kept up to date beside the vault. What goes wrong with it is said, and stops nothing: it is disposable."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Self

import click

from chorus.errors import ChorusError, IndexDamaged
from chorus.indexing.keeping import IndexKeeper
from chorus.indexing.writing import index_writer
from chorus.store.files import FileVault


class Indexing:
    """Takes in what is kept, as long as this process is the one to do so."""

    def __init__(self, vault: FileVault) -> None:
        self._vault = vault
        self._stack = ExitStack()
        self._keeper: IndexKeeper | None = None
        self._has_failed = False

    def __enter__(self) -> Self:
        self._safely(self._open)
        return self

    def __exit__(self, *_: object) -> None:
        self._safely(self._stack.close)

    def begin(self, names: Iterable[str]) -> None:
        """Conversations were kept, and more are coming: begin with these."""
        self._mending(lambda keeper: keeper.begin(names))

    def take(self, names: Iterable[str]) -> None:
        """Conversations were kept: they can be found when this returns."""
        if names:
            self._mending(lambda keeper: keeper.take(names))

    def catch_up(self) -> None:
        """Take in everything that is kept, also where another process was the one to do so until now."""
        if self._keeper is None:
            self._safely(self._open)
        self._mending(lambda keeper: keeper.catch_up())

    def _open(self) -> None:
        self._keeper = self._stack.enter_context(index_writer(self._vault, datetime.now(UTC)))

    def _mending(self, act: Callable[[IndexKeeper], object]) -> None:
        """Do it; an index that turns out to be damaged is made anew."""
        keeper = self._keeper
        if keeper is None or self._has_failed:
            return

        def mend() -> None:
            try:
                act(keeper)
            except IndexDamaged:
                keeper.rebuild()

        self._safely(mend)

    def _safely(self, act: Callable[[], object]) -> None:
        try:
            act()
        except ChorusError as error:
            self._has_failed = True
            click.echo(f"chorus: the index is not up to date: {error}; `chorus index` tries again", err=True)
