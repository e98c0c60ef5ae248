"""Folds the records of many streams into all conversations that they contain. Pure."""

from collections.abc import Callable

from chorus.core.conversation.authority import StreamAuthorities
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.route import Router
from chorus.core.records.record import Record


class Folding:
    """Folds the records of many streams into all conversations that they contain."""

    def __init__(
        self,
        router_of: Callable[[str], Router] = Router,
        *,
        authorities: StreamAuthorities | None = None,
        authorities_of: Callable[[str], StreamAuthorities | None] | None = None,
    ) -> None:
        """`router_of` creates the router of a stream, if more is known about the stream than its name.

        `authorities` (or `authorities_of`, for each session) says which stream wins when streams disagree. Without it
        all streams have equal authority.
        """
        self._authorities_of = authorities_of or (lambda _session: authorities)
        self.folds: dict[str, Fold] = {}
        self.conversations: dict[str, Conversation] = {}
        self._router_of = router_of
        self._routers: dict[str, Router] = {}

    def feed(self, record: Record) -> None:
        """Feeds one record."""
        router = self._routers.get(record.stream)
        if router is None:
            router = self._routers[record.stream] = self._router_of(record.stream)
        for session_id, routed in router.route(record):
            self._take(session_id, routed)

    def finish(self) -> list[Conversation]:
        """Folds the records that wait, assigns titles, and returns the conversations in order of their start.

        Call it after the last record.
        """
        for router in self._routers.values():
            for session_id, record in router.close():
                self._take(session_id, record)
        self._assign_titles()
        return sorted(
            self.conversations.values(),
            key=lambda conversation: (conversation.session.started_at or "", conversation.id),
        )

    def _assign_titles(self) -> None:
        """Assigns summaries: old clients wrote the summary of a conversation into the file of the next one."""
        for known in self.folds.values():
            for leaf, texts in known.state.summaries.items():
                owner = next((other for other in self.folds.values() if other.owns(leaf)), None)
                if owner:
                    self.conversations[owner.session_id].apply(owner.set_summary_title(*max(texts)))

    def _take(self, session_id: str, record: Record) -> None:
        known = self.folds.get(session_id)
        if known is None:
            known = self.folds[session_id] = Fold(session_id, authorities=self._authorities_of(session_id))
            self.conversations[session_id] = Conversation(session_id)
        self.conversations[session_id].apply(known.feed(record))
