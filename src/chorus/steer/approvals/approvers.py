"""`approvers.jsonl` in the vault's `state/`: the list of approvers, stored as a journal of signed changes."""

import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from chorus.errors import ChorusError, SourceUnreadable
from chorus.keep.vault.journal import Entry, Journal
from chorus.keep.vault.journal_line import START
from chorus.steer.approvals.trust import Approvers, Change, Listed, Rejected, Trust, fold, objection

NAME = "approvers.jsonl"
_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


class ApproversFile:
    """The file, with its last read content cached. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        """`folder` is the vault's `state/`; nothing is created."""
        self._journal = Journal(folder / NAME)
        self._listed: list[Listed] = []
        self._flaws: list[Rejected] = []
        self._generation = 0
        self._found: Approvers | None = None
        self._mutex = threading.RLock()

    def load(self) -> Approvers:
        """Returns the approvers of the current file.

        Raises `SourceUnreadable` if it cannot be read: then nobody can approve.
        """
        with self._mutex:
            if self._found is None or self._journal.has_changed():
                self._take(list(self._journal.news()))
            assert self._found is not None
            return self._found

    @property
    def loss(self) -> str | None:
        """What is missing from the file that was last read; None if no loss is known."""
        against = self._journal.objection
        return against.reason if against and against.is_loss else None

    def extend(self, trust: Trust) -> Approvers:
        """Loads the current list and passes it to `trust` in one step.

        So no thread can apply an older list after a newer one.
        """
        with self._mutex:
            found = self.load()
            trust.extend(found)
            return found

    def append(self, make: Callable[[Approvers, str], Change]) -> Approvers:
        """Appends the change that `make` returns and returns the new list of approvers.

        `make` receives the current approvers and the digest of the last line. It may ask a person, so it is called
        before the file is locked; if another change was written meanwhile, nothing is written. Raises `ChorusError`
        with the reason if the change is refused.
        """
        before = self.load()
        head = head_of(before)
        change = make(before, head)
        with self._mutex, self._journal.transaction() as held:
            self._take(list(held.news()))
            if self._journal.head != head:
                raise ChorusError(f"{self._journal.path}: another process changed it at the same time; try again")
            line = len(self._journal.lines) + 1
            found = self._found or before
            reason = objection(Listed(line, head, True, change), found.valid, found.ever)
            if reason is not None:
                raise ChorusError(f"{change.name or change.id}: {reason}")
            body = msgspec.json.encode(change)
            news = held.append(body)
            self._take(news)
            held.check(body, news)
        return self.load()

    def _take(self, entries: list[Entry]) -> None:
        if self._journal.generation != self._generation:
            self._generation = self._journal.generation
            self._listed.clear()
            self._flaws.clear()
        for entry in entries:
            try:
                change = _decoder.decode(entry.body)
            except _REFUSALS:
                self._flaws.append(Rejected(entry.line, "is not an entry that this version knows"))
                continue
            self._listed.append(Listed(entry.line, entry.prev, entry.follows, change))
        flaws = [Rejected(flaw.line, flaw.reason) for flaw in self._journal.flaws]
        self._found = fold(self._journal.lines, self._listed, [*flaws, *self._flaws])


def head_of(found: Approvers) -> str:
    """Returns the digest of the last line. A change must be signed over it."""
    return found.lines[-1] if found.lines else START


def load(folder: Path) -> Approvers:
    """Returns the approvers in the vault's `state/`; an empty list if there is no file."""
    return ApproversFile(folder).load()


def pin(folder: Path) -> Trust:
    """Returns a `Trust` in the current approvers. Call it once, before the agent starts.

    Raises `SourceUnreadable` if lines of the file are missing: one of them may have removed an approver.
    """
    file = ApproversFile(folder)
    found = file.load()
    if against := file.loss:
        raise SourceUnreadable(
            f"{folder / NAME}: {against}; nobody can approve until a person has looked at it: "
            f"`chorus doctor --accept {NAME}`"
        )
    return Trust(found)


_decoder = msgspec.json.Decoder(Change)
