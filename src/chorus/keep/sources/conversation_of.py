"""Finds the conversation and workspace of a source: by its location, or else by its first records."""

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

from chorus.core.records.session_ids import name_without_id
from chorus.keep.sources.discover import Found, first_session_named, project_key_of
from chorus.keep.sources.ownership import first_session_and_folder, session_of
from chorus.keep.vault.keys import MAIN_STREAM, OBSERVED_AGENT, StreamKey, safe_name, workspace_id


def likely_conversation_of(found: Found) -> str:
    """Return the conversation of a source by its location or the first session it names.

    Usually the same as `ConversationLocator`.
    """
    return safe_name(found.session_id or first_session_named(found.path) or name_without_id(str(found.path.absolute())))


class ConversationLocator:
    """Remembers the workspace of each conversation, which is fixed when it is first seen."""

    def __init__(self, keys: Iterable[StreamKey], begun: Callable[[str], tuple[str, str] | None] | None = None) -> None:
        """`begun` returns the workspace and agent of a conversation that a run of Chorus started since then."""
        self._begun = begun or (lambda _session: None)
        self._homes = {key.conversation: (key.workspace, key.agent) for key in keys}
        self.workspaces: dict[str, str] = {}
        """Workspace id → what it was derived from: the working folder of a session, else the folder of its source."""
        self.folders: dict[Path, str] = {}
        """Source → the first working folder it names, for sources that were read and not removed from here since."""

    def key_of(self, found: Found, head: Iterable[bytes]) -> StreamKey:
        """Return the stream of a source, given its first bytes in pieces."""
        session, cwd = session_of(found, head)
        conversation = safe_name(session)
        place = cwd or project_key_of(found.path) or str(found.path.parent)
        if cwd:
            self.workspaces[workspace_id(cwd)] = cwd
            self.folders[found.path] = cwd
        workspace, agent = self._home(conversation, place)
        return StreamKey(workspace, agent, conversation, _stream_of(found))

    def is_placed(self, found: Found, head: Iterable[bytes]) -> bool:
        """Return whether the place of a source is known, from its first records or from its conversation."""
        if found.kind == "log":
            return first_session_and_folder(found, head, is_over=False)[0] is not None
        session, cwd = session_of(found, head)
        conversation = safe_name(session)
        return cwd is not None or conversation in self._homes or self._begun(conversation) is not None

    def key_in(self, conversation: str, place: str, stream: str) -> StreamKey:
        """Return a stream of a conversation that may be new; `place` is its working folder, or where it was found."""
        name = safe_name(conversation)
        workspace, agent = self._home(name, place)
        return StreamKey(workspace, agent, name, stream)

    def _home(self, conversation: str, place: str) -> tuple[str, str]:
        known = self._homes.get(conversation)
        if known is None:
            known = self._begun(conversation)
            if known is None:
                known = workspace_id(place), OBSERVED_AGENT
                self.workspaces[known[0]] = place
            self._homes[conversation] = known
        return known

    def learn(self, key: StreamKey) -> None:
        """Record the workspace of a stream that another process stores."""
        self._homes.setdefault(key.conversation, (key.workspace, key.agent))

    def knows(self, conversation: str) -> bool:
        return safe_name(conversation) in self._homes


def _stream_of(found: Found) -> str:
    if found.kind == "session":
        return MAIN_STREAM
    if found.kind == "agent":
        return safe_name(f"agent-{found.agent_id}")
    return "log-" + path_digest(str(found.path))


def path_digest(path: str) -> str:
    """Return the digest that distinguishes the streams of logs and copies."""
    return hashlib.sha256(path.encode("utf-8", "replace")).hexdigest()[:16]
