"""The connections of a server that have not shown a login yet. They get a small share, so that they keep nobody out."""

from collections.abc import Callable

Close = Callable[[], None]


class UnknownConnections:
    """Connections without a login, oldest first. Beyond `limit` the oldest is closed to make room for a new one.

    A browser sends its cookie with the first request, a few milliseconds after it connects. Only connections that
    hold back their request stay here long enough to become the oldest.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._close: dict[object, Close] = {}

    def __len__(self) -> int:
        return len(self._close)

    def add(self, connection: object, close: Close) -> None:
        """A new connection; `close` is called if it has to make room."""
        while len(self._close) >= self._limit:
            oldest = next(iter(self._close))
            self._close.pop(oldest)()
        self._close[connection] = close

    def remove(self, connection: object) -> None:
        """The connection showed a login, or is closed."""
        self._close.pop(connection, None)
