"""The base class of all structs of the HTTP API, the key of a row, and the error format."""

from msgspec import Struct

RowKey = tuple[str, int, str, int, int, str]
"""The position of a row in its conversation, compared element by element. As JSON text it is a page cursor."""


class Wire(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base class of everything that the server sends and accepts."""


class Problem(Wire, frozen=True):
    """The format of every error. The application branches on `kind`, never on the message."""

    kind: str
    """`bad_query`, `not_found`, `not_logged_in`, `too_many_tries`, `index_building`, `bad_request`, `internal` …"""
    message: str
    """What failed, where, and what to do next."""
    at: tuple[int, int] | None = None
    """The part of the query that is wrong: start and end, in characters."""
