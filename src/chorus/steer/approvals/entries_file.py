"""A journal of typed changes in the vault's `state/`: what was read of it, what could not be read, and appending."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Generic

import msgspec

from chorus.errors import ChorusError
from chorus.keep.vault.journal import Journal, JournalEntry
from chorus.steer.approvals.trust import ChangeT, Listed, Rejected

_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


class EntriesFile(Generic[ChangeT]):
    """The readable changes of a file, in order. Hold `lock` while you use several of its members together."""

    def __init__(self, path: Path, change_type: type[ChangeT], *, keeps_what_it_read: bool) -> None:
        """Nothing is created.

        `keeps_what_it_read`: if the file is rewritten while this object lives, the changes from before stay, and the
        new content is ignored. Otherwise the new content replaces them.
        """
        self.lock = threading.RLock()
        self.listed: list[Listed[ChangeT]] = []
        self._journal = Journal(path)
        self._keeps_what_it_read = keeps_what_it_read
        self._unknown: list[Rejected] = []
        self._generation = 0
        self._version = 0
        self._decoder = msgspec.json.Decoder(change_type)

    @property
    def lines(self) -> list[str]:
        """The digest of every line, in order."""
        return self._journal.lines

    @property
    def head(self) -> str:
        """The digest of the last line that was read. A change is signed over it."""
        return self._journal.head

    @property
    def flaws(self) -> list[Rejected]:
        """The lines that are damaged, or are no change that this version knows."""
        return [*(Rejected(flaw.line, flaw.reason) for flaw in self._journal.flaws), *self._unknown]

    @property
    def is_rewritten(self) -> bool:
        """Whether the file was rewritten or removed since this object first read it."""
        return self._journal.generation > 0

    @property
    def loss(self) -> str | None:
        """What was missing from the file when it was first read; None if no loss is known."""
        against = self._journal.objection
        return against.reason if against and against.is_loss else None

    def tampering(self, rewritten: str) -> str | None:
        """Returns what is wrong with the whole file: `rewritten` if it was rewritten, or that lines are missing."""
        if self.is_rewritten:
            return rewritten
        return f"{self.loss}; `chorus doctor --accept {self._journal.path.name}`" if self.loss else None

    def refresh(self) -> int:
        """Reads what is new. Returns a version from 1 that increases whenever anything was read.

        Raises `SourceUnreadable`.
        """
        with self.lock:
            if not self._version or self._journal.has_changed():
                self._take(list(self._journal.news()))
            return self._version

    def append(
        self, change: ChangeT, objection: Callable[[Listed[ChangeT]], str | None], *, after: str | None = None
    ) -> None:
        """Appends a change, unless `objection` gives a reason against it at its place in the file.

        `after` is the digest of the line that the change must follow; None if it can follow any. Raises `ChorusError`
        with the reason if the change is refused, or if another process was faster.
        """
        with self.lock, self._journal.transaction() as held:
            self._take(list(held.news()))
            if after is not None and self.head != after:
                raise ChorusError(f"{self._journal.path}: another process changed it at the same time; try again")
            reason = objection(Listed(len(self.lines) + 1, self.head, True, change))
            if reason is not None:
                raise ChorusError(reason)
            body = msgspec.json.encode(change)
            news = held.append(body)
            self._take(news)
            held.check(body, news)

    def _take(self, entries: list[JournalEntry]) -> None:
        self._version += 1
        if self._journal.generation != self._generation:
            if self._keeps_what_it_read:
                return  # A rewritten file says nothing about what people want now.
            self._generation = self._journal.generation
            self.listed.clear()
            self._unknown.clear()
        for entry in entries:
            try:
                change = self._decoder.decode(entry.body)
            except _REFUSALS:
                self._unknown.append(Rejected(entry.line, "is not an entry that this version knows"))
                continue
            self.listed.append(Listed(entry.line, entry.prev, entry.follows, change))
