"""Whose a message is, when forks and copies put it into several conversations, and what each has spent.

Copies that say the same at the same time and used the same are one message. It belongs to the conversation that started
first (then to the first by name). A copy that says or used something else is another message, whatever id it bears, and
counts where it stands: nobody's file moves or raises what another conversation used. All that depends on nothing but
the copies themselves: any order of import ends in the same rows.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import le

from msgspec import Struct, structs

from chorus.core.conversation.tokens import Tokens
from chorus.core.spending.rows import Spent, Usage
from chorus.core.spending.sums import Sums

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


class MessageOwners:
    """Every message of some conversations with its owner."""

    def __init__(self) -> None:
        self._single: dict[str, Owned] = {}
        self._shared: dict[str, list[tuple[Owned, frozenset[str]]]] = {}

    def values(self) -> list[Owned]:
        """Each message once."""
        return [*self._single.values(), *(each for found in self._shared.values() for each, _ in found)]

    def of(self, conversation: str, message: str) -> Owned | None:
        """The message as one of the conversations holds it."""
        for each, holders in self._shared.get(message, ()):
            if conversation in holders:
                return each
        return self._single.get(message)

    def seen_by(self, conversation: str) -> Callable[[str], Owned | None]:
        """The messages by their names, as one of the conversations holds them."""
        return lambda message: self.of(conversation, message)

    def add(self, message: str, copies: Sequence["Copy"]) -> None:
        """Settle one message, of which there are these copies."""
        if len(copies) == 1:
            self._single[message] = Owned(copies[0][1], copies[0][2])
            return
        self._shared[message] = [
            (merge_copies(group), frozenset(copy[1] for copy in group)) for group in group_copies(copies)
        ]


def assign_owners(accounts: Iterable[Account]) -> MessageOwners:
    """Every message of the accounts by its name, with its owner. Of several accounts of a conversation all count."""
    found: dict[str, list[Copy]] = {}
    for account in accounts:
        started, conversation = account.started_at or NEVER, account.conversation
        for usage in account.usages:
            found.setdefault(usage.message, []).append((started, conversation, usage))
    owners = MessageOwners()
    for message, copies in found.items():
        owners.add(message, copies)
    return owners


def group_copies(copies: Sequence[Copy]) -> list[list[Copy]]:
    """The copies of one id, those together that are copies of one message.

    Of one conversation all are. What a copy tells that does not know how the message ended is part of any that used as
    much or more, and says the same.
    """
    by_conversation: dict[str, list[Copy]] = {}
    for copy in copies:
        by_conversation.setdefault(copy[1], []).append(copy)
    if len(by_conversation) == 1:
        return [list(copies)]
    by_start: dict[int, list[tuple[Usage, list[Copy]]]] = {}
    for own in by_conversation.values():
        merged = merge_copies(own).usage
        by_start.setdefault(merged.start_digest, []).append((merged, own))
    return [group for found in by_start.values() for group in _by_usage(found)]


def _by_usage(found: list[tuple[Usage, list[Copy]]]) -> list[list[Copy]]:
    ended: dict[tuple[int, ...], list[Copy]] = {}
    for merged, own in found:
        if not merged.is_lower_bound:
            ended.setdefault(structs.astuple(merged.tokens), []).extend(own)
    unended: list[Copy] = []
    for merged, own in found:
        if merged.is_lower_bound:
            tokens = structs.astuple(merged.tokens)
            fitting = [key for key in ended if all(map(le, tokens, key))]
            (ended[min(fitting)] if fitting else unended).extend(own)
    return [*ended.values(), *([unended] if unended else [])]


def merge_copies(copies: Sequence[Copy]) -> Owned:
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
        start_digest=first.start_digest,
    )
    return Owned(conversation, merged)


def forks(accounts: Iterable[Account], owners: MessageOwners) -> frozenset[str]:
    """The conversations that hold a message of an earlier one."""
    return frozenset(
        account.conversation
        for account in accounts
        for usage in account.usages
        if (each := owners.of(account.conversation, usage.message)) and each.conversation != account.conversation
    )


def spent(owners: Iterable[Owned]) -> list[Spent]:
    """What each conversation spent, in order of all that tells the rows apart."""
    sums = Sums()
    for each in owners:
        sums.take(each.conversation, each.usage)
    return sums.rows()


def _likeness(usage: Usage) -> tuple[str, ...]:
    """Orders copies in one conversation that differ, so that it does not matter which came first."""
    return tuple("" if part is None else str(part) for part in structs.astuple(usage))
