"""Values of facets: how many results have each value."""

from chorus.show.wire.base import Wire


class FacetValue(Wire, frozen=True):
    """One value of a facet, with the number of hits and the term that narrows a query to it."""

    value: str
    label: str
    count: int
    term: str
    """The term to add to the query to get only these results."""
