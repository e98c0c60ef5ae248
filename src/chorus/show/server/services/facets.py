"""Counts the newest hits of a search by workspace, role, tool, model and day.

If the full-text index can answer the query, one count for each value is run: that takes a tenth of the time of reading
each hit. For queries that read entries anyway (a regex, a sequence) the entries are counted, but fewer of them.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import tzinfo
from itertools import groupby

from chorus.base.zone import local_zone
from chorus.core.conversation import items
from chorus.core.query.describe import value_text
from chorus.core.query.joining import all_of
from chorus.core.query.tree import VALUES, Field, FieldName, Node, Query, Sequence
from chorus.core.views import figures
from chorus.core.views.workspace_names import WorkspaceNames
from chorus.find.index.port import MAX_HITS, Index, IsLate
from chorus.find.index.rows import Entry, Hit
from chorus.find.index.times import iso_at
from chorus.find.search.entry_kinds import kind_of
from chorus.find.search.entry_texts import Texts
from chorus.find.search.query_forms import looks_at_each
from chorus.keep.vault.port import Vault
from chorus.show import wire

FIELDS = ("workspace", "role", "tool", "model", "day")
MAX_LOOKED_AT = 200
_MAX_VALUES = 20
_MAX_ASKED = 200
"""The maximum number of values of one field that are counted."""
_MAX_DAYS = 20
_MINUTE_MS = 60_000
Counts = dict[str, Counter[str]]


def facets(
    index: Index, vault: Vault, query: Query, is_late: IsLate, names: WorkspaceNames
) -> tuple[tuple[wire.Facet, ...], int]:
    """Returns the facets of the newest hits, and how many hits were counted."""
    if looks_at_each(query.root):
        texts_of = Texts(index, vault).texts
        hits = index.search(query, limit=MAX_LOOKED_AT, texts_of=texts_of, is_late=is_late).hits
        counts = _counted_by_reading(index, hits)
    else:
        hits = index.search(query, limit=MAX_HITS).hits
        counts = _counted_by_query(index, query.root, hits)
    for hit in hits:
        counts["workspace"][hit.conversation.partition("/")[0]] += 1
    return tuple(_facet(field, counts[field], names) for field in FIELDS if counts[field]), len(hits)


def _counted_by_reading(index: Index, hits: list[Hit]) -> Counts:
    counts = {field: Counter[str]() for field in FIELDS}
    zone = local_zone()
    for entry in index.entries({hit.number for hit in hits}).values():
        for field, value in _values(entry, zone):
            counts[field][value] += 1
    return counts


def _values(entry: Entry, zone: tzinfo) -> Iterator[tuple[str, str]]:
    yield "role", kind_of(entry)[1]
    item = entry.item
    if isinstance(item, items.Call):
        yield "tool", item.name
    if isinstance(item, items.Message) and item.model:
        yield "model", item.model
    if moment := figures.moment(entry.dated, zone):
        yield "day", f"{moment:%Y-%m-%d}"


def _counted_by_query(index: Index, root: Node | Sequence | None, hits: list[Hit]) -> Counts:
    assert not isinstance(root, Sequence)
    counts = {field: Counter[str]() for field in FIELDS}
    oldest = min((hit.number for hit in hits), default=0)

    def count(node: Node) -> int:
        return index.count(Query(all_of([root, node]) if root is not None else node, ""), since=oldest)

    known: dict[FieldName, list[str] | tuple[str, ...]] = {
        "role": VALUES["role"],
        "tool": index.names("tool"),
        "model": index.names("model"),
    }
    for field, values in known.items():
        for value in values[:_MAX_ASKED]:
            counts[field][value] = count(Field(field, value))
        counts[field] += Counter()
    counts["day"] = _days(hits)
    return counts


def _days(hits: list[Hit]) -> Counter[str]:
    """Counts the hits of each of the newest days, in the time zone of this machine."""
    zone = local_zone()
    days = Counter[str]()
    # Days begin and end at a full minute, in any zone: neighbouring hits share the work.
    times = (hit.time_ms for hit in hits if hit.time_ms)
    for _, some in groupby(times, lambda ms: ms // _MINUTE_MS):
        minute = list(some)
        moment = figures.moment(iso_at(minute[0]), zone)
        day = f"{moment:%Y-%m-%d}" if moment else None
        if day is not None and (day in days or len(days) < _MAX_DAYS):
            days[day] += len(minute)
    return days


def _facet(field: str, counted: Counter[str], names: WorkspaceNames) -> wire.Facet:
    key = "on" if field == "day" else field
    most = counted.most_common(_MAX_VALUES)
    if field == "day":
        most.sort(reverse=True)
    values = tuple(
        wire.FacetValue(
            value=value,
            label=names.of(value) if field == "workspace" else value,
            count=count,
            term=f"{key}:{value_text(key, value)}",
        )
        for value, count in most
    )
    return wire.Facet(field=field, values=values)
