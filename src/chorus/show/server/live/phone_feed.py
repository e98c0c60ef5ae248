"""Reads the change feed for one phone: which messages a step of the feed means, and which of them it has already."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import blake2b

import msgspec
from msgspec import Struct

from chorus.core.conversation import items
from chorus.core.views.progress import current_progress
from chorus.find.index.port import MAX_ENTRIES, Index
from chorus.find.index.rows import ConversationRow, Entry, FeedEvent, Key
from chorus.find.payloads.loader import Loader
from chorus.find.payloads.reviver import items_of
from chorus.keep.vault.files import FileVault
from chorus.show import wire
from chorus.show.server.services.listing import list_conversations
from chorus.show.transcripts.summary import Summaries
from chorus.show.wire.mobile.encoder import Encoded, MobileEncoder
from chorus.show.wire.mobile.incoming import MAX_PLACE_CHARS
from chorus.show.wire.mobile.outgoing import (
    MobileBody,
    MobileGap,
    MobileProject,
    MobileSent,
    MobileSession,
    ProjectList,
    SessionList,
)
from chorus.show.wire.mobile.progress import encoded_progress, is_over, is_progress

STRETCH = 200
"""The maximum number of events in one step."""
MAX_MISSED = 20_000
"""The maximum number of events for a phone that comes back; one that missed more begins again."""
_LISTED = 100
_MAX_KNOWN = 5_000
_MAX_AGAIN = 1_000
"""How many entries of a conversation are compared after so much of it changed that the feed names no entries."""
_END: Key = (("\U0010ffff", 0, "", 0, 0), "")
"""A key after every entry."""


def utc_now() -> datetime:
    return datetime.now(UTC)


class PhoneStep(Struct):
    """A part of the change feed as messages."""

    seq: int
    is_broken: bool = False
    """Whether the feed has no continuation: the phone must begin again."""
    messages: list[MobileSent] = []
    partials: list[MobileSent] = []
    """Texts that are still being written."""


class Replay:
    """How far a conversation was sent from its start."""

    def __init__(self, row: ConversationRow, after: Key | None) -> None:
        self.row = row
        self.encoder = MobileEncoder(row.id)
        self.after = after
        self.is_over = False

    @property
    def place(self) -> str | None:
        """Where it can be continued, as a text; None at the start, or if the text would be too long."""
        place = None if self.after is None else msgspec.json.encode(self.after).decode()
        return place if place is not None and len(place) <= MAX_PLACE_CHARS else None


class PhoneFeed:
    """What one phone has, and what it is to be sent. Runs in reader threads, one call at a time."""

    def __init__(self, vault: FileVault, summaries: Summaries, known: Mapping[str, str]) -> None:
        """`known` are the revisions that the phone has: conversation, space, id → revision."""
        self._vault = vault
        self._summaries = summaries
        self._known = OrderedDict(known)
        self._under_way: dict[str, set[str]] = {}
        """By conversation, the ids of progress messages that the phone was not told the end of."""
        for conversation, _, name in (key.partition(" ") for key in known):
            if is_progress(name):
                self._note_progress(conversation, name, has_ended=False)
        self._workspaces: set[str] = set()

    def lists(self, index: Index, *, is_whole: bool) -> list[MobileSent]:
        """Returns the projects and, with `is_whole`, the most recent sessions."""
        recent = list_conversations(index, self._vault, self._summaries, "", start=0, limit=_LISTED).conversations
        names = {each.workspace: each.workspace_name for each in recent}
        self._workspaces = set(names)
        projects = ProjectList(
            projects=tuple(MobileProject(project_id=each, name=name) for each, name in names.items())
        )
        found = self.fresh(None, [Encoded("projects", projects)])
        if is_whole:
            sessions = SessionList(sessions=tuple(map(_session, recent)), gone=(), is_whole=True)
            found.append(_sent(None, None, sessions))
        return found

    def step(self, index: Index, epoch: str, since: int, follows: Iterable[str]) -> PhoneStep:
        """Returns the next part of the feed after `since`."""
        feed = index.feed(epoch, since, limit=STRETCH)
        if feed.is_broken or feed.epoch != epoch:
            return PhoneStep(feed.seq, is_broken=True)
        step = PhoneStep(feed.events[-1].seq if feed.events else since)
        if not feed.events:
            return step
        for name in dict.fromkeys(event.conversation for event in feed.events if event.conversation in follows):
            row = index.conversation(name)
            if row is not None:
                changed = self._changed(index, row, [event for event in feed.events if event.conversation == name])
                step.messages += [each for each in changed if not each.is_partial]
                step.partials += [each for each in changed if each.is_partial]
        step.messages += self._sessions(index, dict.fromkeys(event.conversation for event in feed.events))
        return step

    def begin_replay(self, index: Index, name: str, place: str | None = None) -> "Replay | None":
        """Returns a replay of a conversation from its start, or from a place that an earlier replay had reached.

        None if there is no such conversation.
        """
        row = index.conversation(name)
        return None if row is None else Replay(row, _key_at(place))

    def replay(self, index: Index, replay: "Replay") -> list[MobileSent]:
        """Returns the messages of the next page of a replay, without those that the phone has."""
        row = replay.row
        page = index.page(row.name, after=replay.after)
        if not page:
            replay.is_over = True
            return self._progress(row)
        replay.after = page[-1].key
        loader = self._loader(row)
        loader.read_ahead(page)
        return self.fresh(row.name, [each for entry in page for each in replay.encoder.take(_whole(entry, loader))])

    def begin_again(self, names: Iterable[str], known: Mapping[str, str]) -> None:
        """Notes that of these conversations the phone has only what is `known`, whatever was sent before: it may have
        dropped them."""
        for name in names:
            mine = f"{name} "
            self._known = OrderedDict((key, value) for key, value in self._known.items() if not key.startswith(mine))
            self._known.update((key, value) for key, value in known.items() if key.startswith(mine))

    def pass_over(self, index: Index, name: str, epoch: str, seq: int) -> None:
        """Notes the end of a conversation as known, except for what changed after `seq`: the phone asked only for what
        comes from there on."""
        row = index.conversation(name)
        if row is None:
            return
        # The entries are read before the feed: what changes in between is sent, and never passed over.
        entries = index.page(name, before=_END, limit=MAX_ENTRIES)
        later = {event.item for event in index.feed(epoch, seq).events if event.conversation == name}
        if None not in later:
            self.fresh(name, self._encoded(row, [entry for entry in entries if entry.id not in later]))

    def fresh(self, conversation: str | None, encoded: Iterable[Encoded]) -> list[MobileSent]:
        """Returns the messages that the phone does not have, and notes that it has them now."""
        found: list[MobileSent] = []
        for each in encoded:
            sent = _sent(conversation, each.id, each.message, is_partial=each.is_partial)
            key, revision = f"{conversation or ''} {each.id}", sent.revision or ""
            if self._known.get(key) != revision:
                found.append(sent)
            if not each.is_partial:
                self._known[key] = revision
                self._known.move_to_end(key)
                if is_progress(each.id):
                    self._note_progress(conversation or "", each.id, has_ended=is_over(each))
        while len(self._known) > _MAX_KNOWN:
            self._known.popitem(last=False)
        return found

    def gone_quiet(self, index: Index, follows: Iterable[str]) -> list[MobileSent]:
        """Returns what is over without a record that says so, because nothing was written for long."""
        rows = [index.conversation(name) for name in follows if self._under_way.get(name)]
        return [each for row in rows if row is not None for each in self._progress(row)]

    def known_ids(self, prefix: str) -> list[str]:
        """Returns the ids of messages outside of conversations that the phone has and that begin so."""
        return [key[1:] for key in self._known if key.startswith(f" {prefix}")]

    def _progress(self, row: ConversationRow) -> list[MobileSent]:
        """Returns how far the turn and its sub-agents are, and what is over of that which the phone has."""
        now = current_progress(row.progress, row.status, row.session.ended_at, utc_now())
        return self.fresh(row.name, encoded_progress(now, self._under_way.get(row.name, ())))

    def _note_progress(self, conversation: str, name: str, *, has_ended: bool) -> None:
        under_way = self._under_way.setdefault(conversation, set())
        (under_way.discard if has_ended else under_way.add)(name)

    def _changed(self, index: Index, row: ConversationRow, events: list[FeedEvent]) -> list[MobileSent]:
        if any(event.item is None for event in events):
            found = self._again(index, row)
        else:
            keys = {event.item: event.order for event in events if event.item is not None and event.order is not None}
            there = [entry for name, order in keys.items() for entry in _at(index, row.name, (order, name))]
            found = self.fresh(row.name, self._encoded(row, sorted(there, key=lambda entry: entry.key)))
        return [*found, *self._progress(row)]

    def _again(self, index: Index, row: ConversationRow) -> list[MobileSent]:
        """Compares the end of a conversation with what the phone has; a gap if all that is compared is new to it."""
        entries: list[Entry] = []
        before = _END
        while page := index.page(row.name, before=before, limit=MAX_ENTRIES):
            entries = [*page, *entries]
            before = page[0].key
            encoded = self._encoded(row, page)
            if any(f"{row.name} {each.id}" in self._known for each in encoded):
                break
            if len(entries) >= _MAX_AGAIN:
                return [_sent(row.name, None, MobileGap(conversation=row.name))]
        return self.fresh(row.name, self._encoded(row, entries))

    def _encoded(self, row: ConversationRow, entries: list[Entry]) -> list[Encoded]:
        encoder, loader = MobileEncoder(row.id), self._loader(row)
        loader.read_ahead(entries)
        return [each for entry in entries for each in encoder.take(_whole(entry, loader))]

    def _loader(self, row: ConversationRow) -> Loader:
        return Loader(self._vault, row.workspace, row.agent, row.id)

    def _sessions(self, index: Index, names: Iterable[str]) -> list[MobileSent]:
        rows = {name: index.conversation(name) for name in names}
        summaries = self._summaries.of(index, [row for row in rows.values() if row is not None])
        gone = tuple(name for name, row in rows.items() if row is None)
        changed = SessionList(sessions=tuple(map(_session, summaries)), gone=gone, is_whole=False)
        is_new = any(each.workspace not in self._workspaces for each in summaries)
        return [*(self.lists(index, is_whole=False) if is_new else []), _sent(None, None, changed)]


def _whole(entry: Entry, loader: Loader) -> Iterator[items.Item]:
    """Yields the items of an entry; the cost of a turn is what the client reported."""
    for item in items_of(entry, loader):
        yield entry.item if isinstance(item, items.Turn) and isinstance(entry.item, items.Turn) else item


def _key_at(place: str | None) -> Key | None:
    """Returns what `Replay.place` said; None for any other text: then a replay begins at the start."""
    try:
        return None if place is None else msgspec.json.decode(place, type=Key)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def _at(index: Index, name: str, key: Key) -> list[Entry]:
    """Returns the entry with this key, if it is still there."""
    order, item = key
    return [entry for entry in index.page(name, after=(order, ""), limit=MAX_ENTRIES) if entry.id == item][:1]


def _session(summary: wire.ConversationSummary) -> MobileSession:
    return MobileSession(
        conversation=summary.name,
        conversation_id=summary.id,
        project_id=summary.workspace,
        title=summary.title,
        status=summary.status,
        started_at=summary.started_at,
        ended_at=summary.ended_at,
    )


def _sent(conversation: str | None, name: str | None, body: MobileBody, *, is_partial: bool = False) -> MobileSent:
    digest = blake2b(msgspec.json.encode(body), digest_size=6).hexdigest() if name else None
    return MobileSent(conversation=conversation, id=name, revision=digest, is_partial=is_partial, message=body)
