"""The books of a vault, for `chorus cost`."""

import re
from collections.abc import Iterable, Iterator

from chorus.archive.kept import LOG_PREFIX, Kept, conversations
from chorus.archive.opening import records_of
from chorus.cli.progress import progress
from chorus.ledger.books import Books, Facts
from chorus.ledger.counting import usages_of
from chorus.ledger.evidence import Evidence, gather, main_of
from chorus.ledger.ownership import Account, Owned, forks, settle, spent
from chorus.ledger.reported import reported_of
from chorus.ledger.rows import Reported
from chorus.store.files import FileVault

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class KeptBooks:
    """The books of a vault, made by folding all of it: whose a message is depends on every conversation."""

    def __init__(self, vault: FileVault) -> None:
        every = list(conversations(vault))
        self._accounts: list[Account] = []
        self._reported: list[Reported] = []
        self._facts: dict[str, Facts] = {}
        with progress("Counting", [str(vault.path(key)) for kept in every for key in kept.content]) as advance:
            for kept, evidence in _evidence(vault, every):
                self._take(kept, evidence)
                advance(kept.size_bytes)
        self.settled: dict[str, Owned] = settle(self._accounts)
        """Every message by its name, with its owner."""
        self.forks = forks(self._accounts, self.settled)

    def books(self, names: Iterable[str] | None = None) -> Books:
        """The books of all conversations, or of those named."""
        wanted = set(self._facts if names is None else names)
        facts = {
            name: Facts(known.id, known.workspace, known.agent, known.title, is_fork=name in self.forks)
            for name, known in self._facts.items()
            if name in wanted
        }
        owned = (each for each in self.settled.values() if each.conversation in wanted)
        return Books(spent(owned), [row for row in self._reported if row.conversation in wanted], facts)

    def _take(self, kept: Kept, evidence: Evidence) -> None:
        session, turns = evidence.fold.state.session, evidence.turns.values()
        self._accounts.append(Account(kept.name, session.started_at, usages_of(evidence.fold, kept.name, turns)))
        self._reported += reported_of(evidence.fold, turns, kept.name)
        self._facts[kept.name] = Facts(kept.id, kept.workspace, kept.agent, session.title)


def evidence_of(vault: FileVault, kept: Kept) -> Evidence | None:
    """A kept conversation through the fold, with the places its figures were read at; None when nothing is readable."""

    def file_name(stream: str) -> str:
        # A log may hold several sessions and tells them apart itself.
        is_named_inside = stream.rpartition("/")[2].startswith(LOG_PREFIX) and _UUID.fullmatch(kept.id)
        return stream if is_named_inside else kept.id

    return main_of(gather(records_of(vault, kept), file_name), kept.id)


def _evidence(vault: FileVault, every: Iterable[Kept]) -> Iterator[tuple[Kept, Evidence]]:
    for kept in every:
        if (evidence := evidence_of(vault, kept)) is not None:
            yield kept, evidence
