"""How what was found divides."""

from chorus.show.wire.base import Wire


class FacetValue(Wire, frozen=True):
    value: str
    label: str
    count: int
    term: str
    """What to add to the query to see only these."""
