"""Which conversation owns each message of a recorded conversation, for `chorus cost --explain`."""

from chorus.cli.progress import progress
from chorus.core.conversation.authority import StreamAuthorities
from chorus.core.conversation.stream_gate import revised_authorities
from chorus.core.spending.evidence import Evidence, gather
from chorus.core.spending.ownership import Account, MessageOwners, assign_owners
from chorus.errors import IndexDamaged
from chorus.find.costs.shared_messages import sharers
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.index.sqlite.opening import FOLDER
from chorus.keep.archive.listing import Kept, conversations
from chorus.keep.archive.manifest import manifest_of
from chorus.keep.archive.opening import records_of
from chorus.keep.archive.stream_authority import authorities_in
from chorus.keep.vault.files import FileVault


def evidence_of(vault: FileVault, kept: Kept) -> Evidence | None:
    """Fold a recorded conversation and return the places of its figures; None if nothing can be read."""
    authorities: StreamAuthorities | None = authorities_in(kept, manifest_of(vault, kept))
    evidence: Evidence | None = None
    while authorities is not None:
        found = gather(records_of(vault, kept, authorities), kept.router, authorities=authorities)
        evidence = next((evidence for session, evidence in found.items() if kept.holds(session)), None)
        authorities = revised_authorities(evidence.fold.state.comparison, authorities) if evidence else None
    return evidence


def owners(vault: FileVault, kept: Kept, evidence: Evidence) -> MessageOwners:
    """Return the owner of every message of the conversation, considering all conversations that may share it."""
    own = evidence.account(kept.name)
    messages = {usage.message for usage in own.usages}
    accounts = [own]
    others = _others(vault, kept)
    with progress("Counting", [str(vault.path(key)) for other in others for key in other.content]) as advance:
        for other in others:
            if (found := evidence_of(vault, other)) is not None:
                account = found.account(other.name)
                shared = [usage for usage in account.usages if usage.message in messages]
                accounts.append(Account(account.conversation, account.started_at, shared))
            advance(other.size_bytes)
    return assign_owners(accounts)


def _others(vault: FileVault, kept: Kept) -> list[Kept]:
    """Return the conversations that may share messages with this one; without an index, all others."""
    every = list(conversations(vault))
    try:
        index = SqliteIndex(vault.root / FOLDER)
        try:
            return sharers(index, kept, every)
        finally:
            index.close()
    except IndexDamaged:
        return [each for each in every if each.name != kept.name]
