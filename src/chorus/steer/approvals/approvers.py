"""`approvers.jsonl` in the vault's `state/`: the list of approvers, stored as a journal of signed changes."""

from collections.abc import Callable
from pathlib import Path

from chorus.errors import SourceUnreadable
from chorus.keep.vault.journal_line import START
from chorus.steer.approvals.entries_file import EntriesFile
from chorus.steer.approvals.trust import Approvers, Change, Listed, Trust, fold, objection

NAME = "approvers.jsonl"


class ApproversFile:
    """The file, with its last read content cached. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        """`folder` is the vault's `state/`; nothing is created."""
        self._entries = EntriesFile(folder / NAME, Change, keeps_what_it_read=False)
        self._version = 0
        self._found = Approvers()

    def load(self) -> Approvers:
        """Returns the approvers of the current file.

        Raises `SourceUnreadable` if it cannot be read: then nobody can approve.
        """
        with self._entries.lock:
            version = self._entries.refresh()
            if version != self._version:
                self._version, self._found = version, self._folded()
            return self._found

    @property
    def loss(self) -> str | None:
        """What is missing from the file that was last read; None if no loss is known."""
        return self._entries.loss

    def extend(self, trust: Trust) -> Approvers:
        """Loads the current list and passes it to `trust` in one step.

        So no thread can apply an older list after a newer one.
        """
        with self._entries.lock:
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

        def reason_against(listed: Listed[Change]) -> str | None:
            change, found = listed.change, self._folded()
            reason = objection(listed, found.valid, found.ever)
            return None if reason is None else f"{change.name or change.id}: {reason}"

        self._entries.append(make(before, head), reason_against, after=head)
        return self.load()

    def _folded(self) -> Approvers:
        return fold(self._entries.lines, self._entries.listed, self._entries.flaws)


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
