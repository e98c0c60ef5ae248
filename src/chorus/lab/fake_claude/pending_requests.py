"""Requests of the caller that wait for a reply: requests sent together are answered in the recorded order."""

from collections.abc import Sequence

from msgspec import Struct

from chorus.lab.fake_claude.replies import Reply

PATIENCE_S = 0.1
"""How long a reply waits for requests whose replies were recorded before it."""


class PendingRequest(Struct):
    """A request whose recorded reply was found."""

    reply: Reply
    request_id: str
    since: float | None = None


class PendingRequests:
    """The real client replies out of order; a caller that sends several requests at once sees the recorded order.

    A caller that waits for each reply must not wait for ever. So a reply whose turn does not come is given after
    `PATIENCE_S`.
    """

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.replies = replies
        self._asked: list[PendingRequest] = []

    def __bool__(self) -> bool:
        return bool(self._asked)

    def ask(self, reply: Reply, request_id: str) -> None:
        reply.is_used = True
        self._asked.append(PendingRequest(reply, request_id))

    def ready(self, now: float, gap: int) -> tuple[list[PendingRequest], float | None]:
        """Returns the replies to give now, in order, and the time to check again. `gap` is the gap between turns, -1 in
        a turn.
        """
        ready: list[PendingRequest] = []
        for asked in sorted(self._asked, key=lambda asked: self._place(asked.reply)):
            if asked.since is None:
                asked.since = now
            waits = asked.reply.gap == gap and self._is_early(asked.reply) and now < asked.since + PATIENCE_S
            if not waits:
                ready.append(asked)
        self._asked = [asked for asked in self._asked if asked not in ready]
        return ready, min((asked.since or now for asked in self._asked), default=None)

    def _is_early(self, reply: Reply) -> bool:
        """Whether an earlier reply of the same gap has not been requested yet."""
        before = self.replies[: self._place(reply)]
        return any(other.gap == reply.gap and not other.is_used for other in before)

    def _place(self, reply: Reply) -> int:
        return next(place for place, other in enumerate(self.replies) if other is reply)
