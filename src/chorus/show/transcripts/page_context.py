"""Facts about the whole conversation, for the rows of a page."""

from msgspec import Struct, field

from chorus.core.conversation import items
from chorus.core.records.place import Place
from chorus.core.views.conversation_facts import highest_count
from chorus.show.transcripts.transcript import OpenTranscript


class PageFacts(Struct):
    """Implements `ConversationFacts` with an open transcript."""

    opened: OpenTranscript
    lost_places: dict[str, Place] = field(default_factory=dict)
    """Maps parts that the vault lost to the places where they were stored."""

    def is_abandoned(self, message: str) -> bool:
        return self.opened.branching.is_abandoned(message)

    def continues(self, message: str) -> str | None:
        return self.opened.branching.continues(message)

    def cost_of(self, turn: str) -> float | None:
        return self.opened.links.cost_of(turn, self.opened.row.session.versions)

    def permission_of(self, call: str) -> str | None:
        return self.opened.links.permission_of(call)

    def agent(self, name: str) -> items.Agent | None:
        return self.opened.links.agents.get(name)

    def entries(self, agent: str, call: str | None) -> int:
        return self.opened.entries(agent, call)

    def last_said(self, turn: items.Turn) -> str | None:
        found = self.opened.last_said(turn.id)
        return found.id if found else None

    def failures(self, notice: str) -> tuple[str, int]:
        known = self.opened.sketches.get(notice)
        if known is None or not self.opened.is_row(known):
            return notice, 0
        series = self.opened.failures(known)
        return series[-1].id, highest_count(each.link or "" for each in series)

    def lost(self, part: str) -> Place | None:
        return self.lost_places.get(part)
