"""Limits connections that have not shown a login yet, so that they cannot use up all connections of the server."""

from collections.abc import Callable

Close = Callable[[], None]


class UnknownConnections:
    """The connections without a login, oldest first. Above `limit`, a new connection closes the oldest one.

    A browser sends its cookie with the first request, a few milliseconds after it connects. Only connections that
    delay their request stay here long enough to become the oldest.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._close: dict[object, Close] = {}

    def __len__(self) -> int:
        return len(self._close)

    def add(self, connection: object, close: Close) -> None:
        """Adds a new connection; `close` is called when it has to make room for a newer one."""
        while len(self._close) >= self._limit:
            oldest = next(iter(self._close))
            self._close.pop(oldest)()
        self._close[connection] = close

    def remove(self, connection: object) -> None:
        """Removes a connection that showed a login or was closed."""
        self._close.pop(connection, None)
