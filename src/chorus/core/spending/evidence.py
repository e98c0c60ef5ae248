"""The records that contain the usage of a message, the cost of a turn, or the total of a session file."""

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct, field

from chorus.core.conversation.agents import agent_of
from chorus.core.conversation.authority import StreamAuthorities
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import Item, Notice, Remove, Turn
from chorus.core.conversation.route import Router
from chorus.core.records.decode import Refused, decode
from chorus.core.records.model import Value
from chorus.core.records.model.session import CostState, EmbeddedLine, Progress
from chorus.core.records.model.stream import StreamEvent, TranscriptMirror
from chorus.core.records.model.turns import Assistant
from chorus.core.records.place import Place
from chorus.core.records.record import Record
from chorus.core.spending.counting import usages_of
from chorus.core.spending.ownership import Account


class Evidence(Struct):
    """The fold of a conversation, with the places of the records that contain its numbers."""

    fold: Fold
    items: set[str] = field(default_factory=set)
    turns: dict[str, Turn] = field(default_factory=dict)
    messages: dict[str, list[Place]] = field(default_factory=dict)
    """Message id, or uuid or place of a line if its message has none → the records with its usage."""
    states: list[Place] = field(default_factory=list)
    """Records with the total of the session file; the last one is valid."""

    def take(self, record: Record) -> None:
        """Feeds one record of the conversation."""
        authorities = self.fold.authorities
        is_set_aside = authorities is not None and authorities.of(record.stream).is_foreign
        for change in self.fold.feed(record):
            is_set_aside = is_set_aside or (isinstance(change, Notice) and change.source is not None)
            if isinstance(change, Remove):
                self.items.discard(change.id)
                self.turns.pop(change.id, None)
            elif isinstance(change, Item):
                self.items.add(change.id)
                if isinstance(change, Turn):
                    self.turns[change.id] = change
        if is_set_aside:
            return
        for message in _messages_with_usage(record, record.value, self.fold):
            self.messages.setdefault(message, []).append(record.place)
        if isinstance(record.value, CostState) and record.value.totalCostUSD is not None:
            self.states.append(record.place)

    def account(self, name: str) -> Account:
        """Returns the usage of the conversation's messages, under its name."""
        return Account(name, self.fold.state.session.started_at, usages_of(self.fold, name, self.turns.values()))

    def of(self, message: str) -> list[Place]:
        """Returns the records with the usage of a message, by its name in the fold."""
        if message in self.messages:
            return self.messages[message]
        # A message without an id is named by its line; for a sub-agent with the agent id in front.
        return [place for own, found in self.messages.items() if message.endswith(f"/{own}") for place in found]


def gather(
    records: Iterable[Record],
    router_of: Callable[[str], Router] = Router,
    *,
    authorities: StreamAuthorities | None = None,
) -> dict[str, Evidence]:
    """Returns session id → evidence. `router_of` creates the router of a stream."""
    routers: dict[str, Router] = {}
    found: dict[str, Evidence] = {}

    def feed(routed: Iterable[tuple[str, Record]]) -> None:
        for session, record in routed:
            (found.get(session) or found.setdefault(session, Evidence(Fold(session, authorities=authorities)))).take(
                record
            )

    for record in records:
        if record.stream not in routers:
            routers[record.stream] = router_of(record.stream)
        feed(routers[record.stream].route(record))
    for router in routers.values():
        feed(router.close())
    return found


def _messages_with_usage(record: Record, value: Value, fold: Fold) -> Iterator[str]:
    """Yields the messages whose usage is in the record."""
    match value:
        case Assistant() if value.message and value.message.usage:
            yield value.message.id or value.uuid or f"{record.stream}@{record.offset}"
        case Progress() if value.data and value.data.type == "agent_progress":
            inner = value.data.message
            if isinstance(inner, EmbeddedLine) and inner.type == "assistant" and inner.message and inner.message.usage:
                yield inner.message.id or inner.uuid or f"{record.stream}@{record.offset}"
        case TranscriptMirror():
            for raw in value.entries or ():
                try:
                    yield from _messages_with_usage(record, decode(bytes(raw)), fold)
                except Refused:
                    continue
        case StreamEvent() if value.event:
            event = value.event
            if event.type == "message_start" and event.message and event.message.id and event.message.usage:
                yield event.message.id
            elif event.type == "message_delta" and event.usage:
                stream = fold.state.streams[record.stream]
                message = value.api_message_id or stream.open_message.get(agent_of(stream, value, record.stream))
                if message:
                    yield message
        case _:
            return
