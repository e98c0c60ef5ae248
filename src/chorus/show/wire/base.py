"""What all of it is made of: the base of the structs, the place of a row, and the one shape of an error."""

from msgspec import Struct

RowKey = tuple[str, int, str, int, int, str]
"""The place of a row in its conversation: compares element by element. As JSON text it is the cursor of a page."""


class Wire(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of what is sent and taken."""


class Problem(Wire, frozen=True):
    """The one shape of an error. The application branches on `kind`, never on the words."""

    kind: str
    """`bad_query`, `not_found`, `not_logged_in`, `too_many_tries`, `index_building`, `bad_request`, `internal` …"""
    message: str
    """What went wrong, where, and what to do next."""
    at: tuple[int, int] | None = None
    """The part of a query that is meant, in characters."""
