"""Which conversation and workspace a source belongs to: by its place, else by what its first records say."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import BinaryIO

from chorus.capture.discover import Found, project_key_of, session_told
from chorus.conversation.route import Router
from chorus.records.place import StreamId
from chorus.records.record import Record, Unread
from chorus.records.split import Splitter
from chorus.store.keys import MAIN_STREAM, OBSERVED_AGENT, StreamKey, safe_name, workspace_id

_FIRST_BYTES, _HEAD_BYTES = 16 << 10, 1 << 20
"""How much of a source is looked at to find out whose it is, first and at most; session ids stand on line 15 at the
latest.
"""


def head_of(source: BinaryIO) -> Iterator[bytes]:
    """The first bytes of a source in pieces: most sources say in the first whose they are."""
    yield source.read(_FIRST_BYTES)
    yield source.read(_HEAD_BYTES - _FIRST_BYTES)


def conversation_at_a_glance(found: Found) -> str:
    """The conversation of a source by its place, or the first session it names: what `Belonging` finds, as a rule."""
    return safe_name(found.session_id or session_told(found.path) or found.path.stem)


class Belonging:
    """Remembers where each conversation lies: its workspace is fixed at first sight."""

    def __init__(self, keys: Iterable[StreamKey], begun: Callable[[str], tuple[str, str] | None] | None = None) -> None:
        """`begun` tells of conversations that a run of ours began since: their workspace and agent."""
        self._begun = begun or (lambda _session: None)
        self._homes = {key.conversation: (key.workspace, key.agent) for key in keys}
        self.workspaces: dict[str, str] = {}
        """Folders in which sessions were seen to work, by the id of the workspace."""

    def key_of(self, found: Found, head: Iterable[bytes]) -> StreamKey:
        """The stream that a source is, given its first bytes in pieces."""
        session, cwd = _look(found, head)
        conversation = safe_name(found.session_id or session or found.path.stem)
        place = cwd or project_key_of(found.path) or str(found.path.parent)
        if cwd:
            self.workspaces[workspace_id(cwd)] = cwd
        workspace, agent = self._home(conversation, place)
        return StreamKey(workspace, agent, conversation, _stream_of(found))

    def is_placed(self, found: Found, head: Iterable[bytes]) -> bool:
        """Whether it is known where a session works: its first records tell, or its conversation has its place."""
        session, cwd = _look(found, head)
        conversation = safe_name(found.session_id or session or found.path.stem)
        return cwd is not None or conversation in self._homes or self._begun(conversation) is not None

    def key_in(self, conversation: str, place: str, stream: str) -> StreamKey:
        """A stream of a conversation that may not be known yet."""
        name = safe_name(conversation)
        workspace, agent = self._home(name, place)
        return StreamKey(workspace, agent, name, stream)

    def _home(self, conversation: str, place: str) -> tuple[str, str]:
        known = self._homes.get(conversation)
        if known is None:
            known = self._begun(conversation) or (workspace_id(place), OBSERVED_AGENT)
            self._homes[conversation] = known
        return known

    def learn(self, key: StreamKey) -> None:
        """Another process keeps this stream: its conversation has its place."""
        self._homes.setdefault(key.conversation, (key.workspace, key.agent))

    def knows(self, conversation: str) -> bool:
        return safe_name(conversation) in self._homes


def _stream_of(found: Found) -> str:
    if found.kind == "session":
        return MAIN_STREAM
    if found.kind == "agent":
        return safe_name(f"agent-{found.agent_id}")
    return "log-" + hashlib.sha256(str(found.path).encode("utf-8", "replace")).hexdigest()[:16]


def _look(found: Found, head: Iterable[bytes]) -> tuple[str | None, str | None]:
    """The session id that most records carry, and the first working folder."""
    splitter, router = Splitter(StreamId(found.path.name)), Router(found.path.name)
    counts: dict[str, int] = {}
    cwd: str | None = None
    for piece in chain.from_iterable(map(splitter.feed, head)):
        if not isinstance(piece, Record) or isinstance(piece, Unread):
            continue
        cwd = cwd or piece.value.cwd
        if cwd and found.session_id:
            # The file's place names the session: all that was to be found out is known.
            return None, cwd
        for session, _ in router.route(piece):
            counts[session] = counts.get(session, 0) + 1
    session = max(counts, key=lambda name: counts[name]) if counts else None
    return session, cwd
