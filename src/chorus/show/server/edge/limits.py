"""The limits of a server."""

from msgspec import Struct


class Limits(Struct, frozen=True, kw_only=True):
    """The limits of a server. A request above a limit is refused and does not wait."""

    headers_bytes: int = 16 << 10
    body_bytes: int = 2 << 20
    message_bytes: int = 24 << 20
    """The limit for the body of a request that may contain pictures for an agent."""
    connections: int = 200
    unknown_connections: int = 50
    """How many of these may be without a login; one more closes the oldest of them."""
    sockets_per_login: int = 10
    frame_bytes: int = 64 << 10
    """The limit for one frame that the web application sends over the socket."""
    head_s: float = 10.0
    """A connection that has not sent the head of a request after this time is closed."""
    body_s: float = 30.0
    """A request that has not sent its body after this time is refused."""
    unknown_body_s: float = 5.0
    """The same for a request without a login, whose body is small."""
    waiting_reads: int = 256
    """How many requests may wait for a reader thread."""
    readers: int = 4
    queue_frames: int = 1_000
    queue_bytes: int = 8 << 20
    stalled_s: float = 10.0
    """A socket that receives nothing for this time after a gap is closed."""
    hello_s: float = 10.0
    """A socket that has not sent its hello after this time is closed."""
    followed: int = 8
    """How many conversations one socket may follow row by row."""
