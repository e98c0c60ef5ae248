"""Values of facets: how many results have each value."""

from chorus.show.wire.base import Wire


class FacetValue(Wire, frozen=True):
    value: str
    label: str
    count: int
    term: str
    """The term to add to the query to get only these results."""
