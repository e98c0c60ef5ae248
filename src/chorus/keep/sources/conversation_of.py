"""Which conversation and workspace a source belongs to: by its place, else by what its first records say."""

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

from chorus.core.records.session_ids import name_without_id
from chorus.keep.sources.discover import Found, project_key_of, session_told
from chorus.keep.sources.ownership import session_of, told
from chorus.keep.vault.keys import MAIN_STREAM, OBSERVED_AGENT, StreamKey, safe_name, workspace_id


def conversation_at_a_glance(found: Found) -> str:
    """The conversation of a source by its place, or the first session it names: what `Belonging` finds, as a rule."""
    return safe_name(found.session_id or session_told(found.path) or name_without_id(str(found.path.absolute())))


class Belonging:
    """Remembers where each conversation lies: its workspace is fixed at first sight."""

    def __init__(self, keys: Iterable[StreamKey], begun: Callable[[str], tuple[str, str] | None] | None = None) -> None:
        """`begun` tells of conversations that a run of ours began since: their workspace and agent."""
        self._begun = begun or (lambda _session: None)
        self._homes = {key.conversation: (key.workspace, key.agent) for key in keys}
        self.workspaces: dict[str, str] = {}
        """What workspaces were made of, by their ids: the folder a session works in, else what its source lies in."""
        self.folders: dict[Path, str] = {}
        """Source → the working folder that it names first; of those looked at since they were last taken out."""

    def key_of(self, found: Found, head: Iterable[bytes]) -> StreamKey:
        """The stream that a source is, given its first bytes in pieces."""
        session, cwd = session_of(found, head)
        conversation = safe_name(session)
        place = cwd or project_key_of(found.path) or str(found.path.parent)
        if cwd:
            self.workspaces[workspace_id(cwd)] = cwd
            self.folders[found.path] = cwd
        workspace, agent = self._home(conversation, place)
        return StreamKey(workspace, agent, conversation, _stream_of(found))

    def is_placed(self, found: Found, head: Iterable[bytes]) -> bool:
        """Whether it is known where a source goes: its first records tell, or its conversation has its place."""
        if found.kind == "log":
            return told(found, head, is_over=False)[0] is not None
        session, cwd = session_of(found, head)
        conversation = safe_name(session)
        return cwd is not None or conversation in self._homes or self._begun(conversation) is not None

    def key_in(self, conversation: str, place: str, stream: str) -> StreamKey:
        """A stream of a conversation that may not be known yet; `place` is the folder it works in, or is found in."""
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
        """Another process keeps this stream: its conversation has its place."""
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
    """What tells the streams of logs and copies apart."""
    return hashlib.sha256(path.encode("utf-8", "replace")).hexdigest()[:16]
