"""`approvers.jsonl` in the vault's `state/`: who may approve, as a journal of signed changes."""

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
    """The file, and what was last read of it. May be used from several threads."""

    def __init__(self, folder: Path) -> None:
        """`folder` is the vault's `state/`; nothing is made."""
        self._journal = Journal(folder / NAME)
        self._listed: list[Listed] = []
        self._flaws: list[Rejected] = []
        self._generation = 0
        self._found: Approvers | None = None
        self._mutex = threading.RLock()

    def load(self) -> Approvers:
        """What it says now. `SourceUnreadable` when it cannot be read: then nobody can approve."""
        with self._mutex:
            if self._found is None or self._journal.has_changed():
                self._take(list(self._journal.news()))
            assert self._found is not None
            return self._found

    @property
    def loss(self) -> str | None:
        """What is missing of the file that was last read; None when nothing is known to be."""
        against = self._journal.objection
        return against.reason if against and against.is_loss else None

    def extend(self, trust: Trust) -> Approvers:
        """What it says now, taken by `trust` in the same step: nobody takes an older list after a newer one."""
        with self._mutex:
            found = self.load()
            trust.extend(found)
            return found

    def append(self, make: Callable[[Approvers, str], Change]) -> Approvers:
        """Add the change that `make` gives for the approvers and the last line's digest of that moment.

        `make` may ask a person, so it is called before the file is held; if another change came first, nothing is
        written. `ChorusError` says why not.
        """
        before = self.load()
        head = head_of(before)
        change = make(before, head)
        with self._mutex, self._journal.transaction() as held:
            self._take(list(held.news()))
            if self._journal.head != head:
                raise ChorusError(f"{self._journal.path}: somebody else changed it just now; try again")
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
                self._flaws.append(Rejected(entry.line, "is no entry that this version knows"))
                continue
            self._listed.append(Listed(entry.line, entry.prev, entry.follows, change))
        flaws = [Rejected(flaw.line, flaw.reason) for flaw in self._journal.flaws]
        self._found = fold(self._journal.lines, self._listed, [*flaws, *self._flaws])


def head_of(found: Approvers) -> str:
    """The digest of the last line: what a change has to be signed with."""
    return found.lines[-1] if found.lines else START


def load(folder: Path) -> Approvers:
    """What the file in the vault's `state/` says; nobody when there is none."""
    return ApproversFile(folder).load()


def pin(folder: Path) -> Trust:
    """The approvers of this moment: to be called once, before the agent starts.

    `SourceUnreadable` where lines of the file are gone: one of them may have said who is no approver any more.
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
