"""Which conversation owns a message that forks and copies put into several ones, and what each conversation used.

Copies with the same content, time and usage are one message. It belongs to the conversation that started first (then to
the first by name). A copy with other content or usage is another message, even with the same id, and is counted in its
own conversation: no file raises what is counted. A true copy in a conversation that claims an earlier start moves the
message there, as the source of a fork has it. The result depends only on the copies themselves, so any order of import
gives the same rows.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import le

from msgspec import Struct, structs

from chorus.core.conversation.tokens import Tokens
from chorus.core.spending.rows import Spent, Usage
from chorus.core.spending.sums import Sums

NEVER = "~"
"""Sorts after every time: a conversation without times started after those that have them."""


class Account(Struct, frozen=True):
    """The usage of one conversation's messages."""

    conversation: str
    started_at: str | None
    usages: Sequence[Usage]


Copy = tuple[str, str, Usage]
"""A message in one conversation: start of the conversation (`NEVER` if it has no time), its name, and the usage."""


class Owned(Struct, frozen=True):
    """A message with the conversation that owns it, and its usage merged from all copies."""

    conversation: str
    usage: Usage


class MessageOwners:
    """The owner of every message of some conversations."""

    def __init__(self) -> None:
        self._single: dict[str, Owned] = {}
        self._shared: dict[str, list[tuple[Owned, frozenset[str]]]] = {}

    def values(self) -> list[Owned]:
        """Returns each message once."""
        return [*self._single.values(), *(each for found in self._shared.values() for each, _ in found)]

    def of(self, conversation: str, message: str) -> Owned | None:
        """Returns a message as one of the conversations contains it, or None."""
        for each, holders in self._shared.get(message, ()):
            if conversation in holders:
                return each
        return self._single.get(message)

    def seen_by(self, conversation: str) -> Callable[[str], Owned | None]:
        """Returns a function that finds a message of one conversation by its name."""
        return lambda message: self.of(conversation, message)

    def add(self, message: str, copies: Sequence["Copy"]) -> None:
        """Assigns an owner to one message, given all its copies."""
        if len(copies) == 1:
            self._single[message] = Owned(copies[0][1], copies[0][2])
            return
        self._shared[message] = [
            (merge_copies(group), frozenset(copy[1] for copy in group)) for group in group_copies(copies)
        ]


def assign_owners(accounts: Iterable[Account]) -> MessageOwners:
    """Returns the owner of every message of the accounts. A conversation may have several accounts; all count."""
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
    """Groups the copies with one id, so that each group is one message.

    All copies in one conversation are one message. A copy without a stop reason belongs to any copy with the same
    content and at least the same usage.
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
    """Groups copies with the same content by their usage."""
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
    """Returns the owner and the merged usage of one message, given its copies.

    If copies differ, time, model and tier come from the first one that has them, beginning with the owner's. Tokens are
    the maximum of each field. The message has ended if any copy says so.
    """
    ordered = sorted(copies, key=lambda copy: (copy[0], copy[1], _sort_key(copy[2])))
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
        turn=first.turn,
    )
    return Owned(conversation, merged)


def forks(accounts: Iterable[Account], owners: MessageOwners) -> frozenset[str]:
    """Returns the conversations that contain a message of an earlier one."""
    return frozenset(
        account.conversation
        for account in accounts
        for usage in account.usages
        if (each := owners.of(account.conversation, usage.message)) and each.conversation != account.conversation
    )


def spent(messages: Iterable[Owned]) -> list[Spent]:
    """Returns what each conversation used, sorted by all fields that distinguish the rows."""
    sums = Sums()
    for each in messages:
        sums.take(each.conversation, each.usage)
    return sums.rows()


def _sort_key(usage: Usage) -> tuple[str, ...]:
    """Returns a sort key for different copies in one conversation, so that their order of reading does not matter."""
    return tuple("" if part is None else str(part) for part in structs.astuple(usage))
