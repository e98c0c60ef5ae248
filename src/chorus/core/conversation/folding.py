"""Records of many streams folded into as many conversations as they hold. Pure."""

from collections.abc import Callable

from chorus.core.conversation.authority import Standings
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.fold import Fold
from chorus.core.conversation.route import Router
from chorus.core.records.record import Record


class Folding:
    """Folds records of many streams into as many conversations as they hold."""

    def __init__(self, router_of: Callable[[str], Router] = Router, *, standings: Standings | None = None) -> None:
        """`router_of` tells the sessions of a stream apart, where more is known of it than its name.

        `standings` tell how much each stream counts; without them all count the same.
        """
        self._standings = standings
        self.folds: dict[str, Fold] = {}
        self.conversations: dict[str, Conversation] = {}
        self._router_of = router_of
        self._routers: dict[str, Router] = {}

    def feed(self, record: Record) -> None:
        """Take one record."""
        router = self._routers.get(record.stream)
        if router is None:
            router = self._routers[record.stream] = self._router_of(record.stream)
        for session_id, routed in router.route(record):
            self._take(session_id, routed)

    def finish(self) -> list[Conversation]:
        """The conversations in order of their start, after the last record: what waited is folded, titles are given."""
        for router in self._routers.values():
            for session_id, record in router.close():
                self._take(session_id, record)
        self._hand_out_titles()
        return sorted(
            self.conversations.values(),
            key=lambda conversation: (conversation.session.started_at or "", conversation.id),
        )

    def _hand_out_titles(self) -> None:
        """Old clients wrote a conversation's summary into the file of the next one: give it to whom it is about."""
        for known in self.folds.values():
            for leaf, texts in known.state.summaries.items():
                owner = next((other for other in self.folds.values() if other.owns(leaf)), None)
                if owner:
                    self.conversations[owner.session_id].apply(owner.entitle(*max(texts)))

    def _take(self, session_id: str, record: Record) -> None:
        known = self.folds.get(session_id)
        if known is None:
            known = self.folds[session_id] = Fold(session_id, standings=self._standings)
            self.conversations[session_id] = Conversation(session_id)
        self.conversations[session_id].apply(known.feed(record))
