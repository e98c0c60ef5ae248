"""How much of anything there may be at once."""

from msgspec import Struct


class Limits(Struct, frozen=True, kw_only=True):
    """Bounds of a server; beyond them is refused, never waited for."""

    headers_bytes: int = 16 << 10
    body_bytes: int = 2 << 20
    message_bytes: int = 24 << 20
    """Of a request that may bring pictures for an agent."""
    connections: int = 200
    unknown_connections: int = 50
    """Of these, the ones that have not shown a login; the oldest is closed when one more comes."""
    sockets_per_login: int = 10
    frame_bytes: int = 64 << 10
    """Of what an application says over the socket."""
    head_s: float = 10.0
    """A connection that has not sent the head of a request by then is closed."""
    body_s: float = 30.0
    """A request that has not sent its body by then is refused."""
    unknown_body_s: float = 5.0
    """The same for a request without a login, which has little to say."""
    waiting_reads: int = 256
    """Requests that wait for a reader."""
    readers: int = 4
    queue_frames: int = 1_000
    queue_bytes: int = 8 << 20
    stalled_s: float = 10.0
    """A socket that takes nothing for so long after a gap is closed."""
    hello_s: float = 10.0
    """A socket says hello by then."""
    followed: int = 8
    """Conversations that a socket is told row by row."""
