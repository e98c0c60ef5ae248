"""The list of conversations, in the order that is asked for, and how it divides."""

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Literal

from chorus.base import config
from chorus.core.conversation.tokens import Tokens
from chorus.core.query.describe import value_text
from chorus.core.views import figures
from chorus.core.views.activity import activity
from chorus.find.index.port import Index
from chorus.find.index.rows import ConversationRow
from chorus.find.search.annotations import asks_for_archived, load_annotations
from chorus.find.search.query_forms import conversations
from chorus.keep.vault.files import FileVault
from chorus.show import wire
from chorus.show.server.services.queries import Late, read
from chorus.show.transcripts.summary import Summaries

Order = Literal["time", "cost", "tokens", "messages", "duration"]
_ALL = 1 << 40
"""More conversations than there are."""
_MAX_VALUES = 12
_COUNT_S = 1.0
"""How long it may take to count what a query finds."""


def listed(
    index: Index,
    vault: FileVault,
    summaries: Summaries,
    text: str,
    *,
    start: int,
    limit: int,
    order: Order = "time",
    is_rising: bool = False,
) -> wire.ConversationList:
    """Conversations that answer the query: the one with the newest such entry first, or the one with the most of it."""
    query = read(text)
    late = Late()
    # The place of the feed comes first: what changes while rows are read is told again, never missed.
    place = place_of(index)
    if order == "time" and not is_rising:
        rows, has_more = conversations(index, vault, query, limit=limit, start=start, is_late=late, hides_archived=True)
    else:
        every, _ = conversations(index, vault, query, limit=_ALL, is_late=late, hides_archived=True)
        every = _in_order(every, _figure(order, summaries, index, every), is_rising=is_rising)
        rows, has_more = every[start : start + limit], len(every) > start + limit
    return wire.ConversationList(
        conversations=summaries.of(index, rows),
        has_more=has_more,
        is_partial=late.has_passed,
        epoch=index.epoch,
        seq=place,
    )


def divided(index: Index, vault: FileVault, text: str) -> wire.ConversationFacets:
    """How many conversations answer the query, and how they divide."""
    query = read(text)
    late = Late(_COUNT_S)
    rows, _ = conversations(index, vault, query, limit=_ALL, is_late=late, is_bounded=True)
    said, now = load_annotations(vault), datetime.now(UTC)
    hidden = set[str]() if asks_for_archived(query) else {name for name, each in said.items() if each.is_archived}
    shown = [row for row in rows if row.name not in hidden]
    names = config.workspace_names(vault.root)
    folders = {row.workspace: row.session.cwd for row in reversed(shown)}
    places = Counter(row.workspace for row in shown)
    doing = Counter(activity(row.status, row.session.ended_at, now) for row in shown)
    about = [said[row.name] for row in shown if row.name in said]
    return wire.ConversationFacets(
        total=len(shown),
        is_partial=late.has_passed,
        archived=len(rows) - len(shown),
        workspaces=_values("workspace", places, lambda value: names.of(value, folders[value])),
        statuses=_values("status", doing, str.capitalize),
        tags=_values("tag", Counter(tag for each in about for tag in each.tags), str),
        starred=sum(each.is_starred for each in about),
    )


def _values(field: str, counted: Counter[str], label: Callable[[str], str]) -> tuple[wire.FacetValue, ...]:
    return tuple(
        wire.FacetValue(value=value, label=label(value), count=count, term=f"{field}:{value_text(field, value)}")
        for value, count in counted.most_common(_MAX_VALUES)
    )


_Figure = Callable[[ConversationRow], float | None]


def _figure(order: Order, summaries: Summaries, index: Index, rows: Iterable[ConversationRow]) -> _Figure:
    """What conversations are ordered by; None where it is not known."""
    match order:
        case "time":
            return lambda row: _ms(row.session.ended_at)
        case "messages":
            return lambda row: row.session.messages
        case "duration":
            return _duration
        case "tokens":
            used = summaries.costs.figures(index, rows)
            return lambda row: _sum(used[row.name].tokens)
        case "cost":
            spent = summaries.costs.figures(index, rows)

            def cost(row: ConversationRow) -> float | None:
                known = spent[row.name]
                return known.cost_usd if known.cost_usd is not None else known.reported_usd

            return cost


def _in_order(rows: list[ConversationRow], figure: _Figure, *, is_rising: bool) -> list[ConversationRow]:
    """By the figure, then the one that went on last, then by name: always the same. Unknown ones come last."""
    sign = 1 if is_rising else -1
    newest = sorted(rows, key=lambda row: row.name)
    newest.sort(key=lambda row: row.session.ended_at or "", reverse=True)
    return sorted(newest, key=lambda row: (1, 0.0) if (value := figure(row)) is None else (0, sign * value))


def _duration(row: ConversationRow) -> float | None:
    began, ended = _ms(row.session.started_at), _ms(row.session.ended_at)
    return None if began is None or ended is None else max(0.0, ended - began)


@lru_cache(1 << 16)
def _ms(time: str | None) -> float | None:
    moment = figures.moment(time, UTC)
    return moment.timestamp() * 1000 if moment else None


def _sum(tokens: Tokens) -> int:
    return tokens.input + tokens.output + tokens.cache_creation + tokens.cache_read


def place_of(index: Index) -> int:
    """Where the feed ends now: to ask for an epoch that never was tells only that."""
    return index.feed("", 0).seq
