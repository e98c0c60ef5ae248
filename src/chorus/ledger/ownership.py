"""Whose a message is, when forks and copies put it into several conversations, and what each has spent.

It belongs to the conversation that started first (then to the first by name), and used the most that any copy says of
each field. That depends on nothing but the copies themselves: any order of import ends in the same rows.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, structs

from chorus.conversation.tokens import Tokens
from chorus.ledger.rows import Spent, Usage
from chorus.ledger.sums import Sums

NEVER = "~"
"""Sorts after every time: a conversation that tells no time started after those that do."""


class Account(Struct, frozen=True):
    """What one conversation tells of its messages."""

    conversation: str
    started_at: str | None
    usages: Sequence[Usage]


Copy = tuple[str, str, Usage]
"""A message in one conversation: when that started (`NEVER` if it tells no time), its name, and what it tells."""


class Owned(Struct, frozen=True):
    """A message with the conversation that it counts for, and what it used by all accounts."""

    conversation: str
    usage: Usage


def settle(accounts: Iterable[Account]) -> dict[str, Owned]:
    """Every message of the accounts by its name, with its owner. Of several accounts of a conversation all count."""
    single: dict[str, Copy] = {}
    shared: dict[str, list[Copy]] = {}
    for account in accounts:
        started, conversation = account.started_at or NEVER, account.conversation
        for usage in account.usages:
            copy = (started, conversation, usage)
            first = single.setdefault(usage.message, copy)
            if first is not copy:
                shared.setdefault(usage.message, [first]).append(copy)
    settled = {message: Owned(conversation, usage) for message, (_, conversation, usage) in single.items()}
    settled.update((message, owned(copies)) for message, copies in shared.items())
    return settled


def owned(copies: Sequence[Copy]) -> Owned:
    """The owner of one message, of which there are these copies.

    What copies tell differently is believed in the order of ownership; a message is known to have ended if one says so.
    """
    ordered = sorted(copies, key=lambda copy: (copy[0], copy[1], _likeness(copy[2])))
    _, conversation, first = ordered[0]
    usages = [usage for _, _, usage in ordered]
    fields = zip(*(structs.astuple(usage.tokens) for usage in usages), strict=True)
    merged = Usage(
        message=first.message,
        thread=first.thread,
        at=next((usage.at for usage in usages if usage.at), None),
        model=next((usage.model for usage in usages if usage.model), None),
        tier=next((usage.tier for usage in usages if usage.tier), None),
        tokens=Tokens(*map(max, fields)),
        is_lower_bound=all(usage.is_lower_bound for usage in usages),
        is_per_turn=first.is_per_turn,
    )
    return Owned(conversation, merged)


def forks(accounts: Iterable[Account], settled: Mapping[str, Owned]) -> frozenset[str]:
    """The conversations that hold a message of an earlier one."""
    return frozenset(
        account.conversation
        for account in accounts
        if any(settled[usage.message].conversation != account.conversation for usage in account.usages)
    )


def spent(settled: Iterable[Owned]) -> list[Spent]:
    """What each conversation spent, in order of all that tells the rows apart."""
    sums = Sums()
    for each in settled:
        sums.take(each.conversation, each.usage)
    return sums.rows()


def _likeness(usage: Usage) -> tuple[str, ...]:
    """Orders copies in one conversation that differ, so that it does not matter which came first."""
    return tuple("" if part is None else str(part) for part in structs.astuple(usage))
