"""What agents do and wait for now, as messages for a phone. This is not part of the change feed."""

from collections.abc import Iterable

from chorus.show import wire
from chorus.show.server.context import ServerContext
from chorus.show.server.edge.scopes import AccessScope
from chorus.show.server.live.phone_feed import PhoneFeed
from chorus.show.wire.mobile.encoder import Encoded
from chorus.show.wire.mobile.outgoing import MobileSent, PermissionAsked, PermissionResolved, SessionState

_REQUEST, _STATE = "permission:", "state:"
_OVER = ("ended", "lost")
NO_SCOPE = (
    "This device may not answer requests. Answer on the computer, or pair this device again there: "
    "`chorus phone pair --scope approve`."
)


def session_states(server: ServerContext, feed: PhoneFeed) -> list[MobileSent]:
    """Returns the states of agents that changed since the phone was told."""
    running = {
        each.session: SessionState(conversation_id=each.session, state=each.status, run_id=None)
        for each in server.client_watcher.sessions()
    }
    running |= {
        each.session: SessionState(conversation_id=each.session, state=each.state, run_id=each.id)
        for each in sorted(server.run_watcher.all_runs(), key=lambda run: run.state not in _OVER)
        if each.state not in _OVER or each.session not in running
    }
    ended = {name.removeprefix(_STATE) for name in feed.known_ids(_STATE)} - running.keys()
    states = [*running.values(), *(SessionState(conversation_id=each, state="ended", run_id=None) for each in ended)]
    return feed.fresh(None, [Encoded(f"{_STATE}{each.conversation_id}", each) for each in states])


def requests(
    cards: Iterable[wire.ApprovalCard], feed: PhoneFeed, scopes: frozenset[AccessScope]
) -> tuple[list[MobileSent], tuple[str, ...]]:
    """Returns the permission requests that are new to the phone or resolved, and the ids of all that wait."""
    pending = {f"{_REQUEST}{each.id}": _asked(each, scopes) for each in cards if each.state == "pending"}
    gone = [name for name in feed.known_ids(_REQUEST) if name not in pending]
    resolved = [Encoded(name, PermissionResolved(request_id=name.removeprefix(_REQUEST))) for name in gone]
    asked = [Encoded(name, each) for name, each in pending.items()]
    return feed.fresh(None, [*resolved, *asked]), tuple(each.request_id for each in pending.values())


def _asked(card: wire.ApprovalCard, scopes: frozenset[AccessScope]) -> PermissionAsked:
    too_late = next((hint.words for hint in card.hints if hint.kind == "approver"), "")
    why_not = too_late if "approve" in scopes else NO_SCOPE
    return PermissionAsked(
        request_id=card.id,
        digest=card.digest,
        tool=card.tool,
        kind=card.kind,
        title=card.title,
        input=card.input,
        hints=tuple(hint.words for hint in card.hints),
        is_answerable=not why_not,
        why_not=why_not,
        created_at=card.created_at,
        deadline_at=card.deadline_at,
        suggestions=tuple(offer.words for offer in card.offers),
        conversation_id=card.session,
    )
