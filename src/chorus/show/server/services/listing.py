"""The list of conversations in the requested order, and its facets."""

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
from chorus.find.provenance.commit_field import with_commits
from chorus.find.search.annotations import asks_for_archived, load_annotations
from chorus.find.search.query_forms import conversations
from chorus.keep.vault.files import FileVault
from chorus.show import wire
from chorus.show.server.services.queries import Deadline, read
from chorus.show.transcripts.summary import Summaries

Order = Literal["time", "cost", "tokens", "messages", "duration"]
_ALL = 1 << 40
"""A limit above any number of conversations."""
_MAX_VALUES = 12
_COUNT_S = 1.0
"""How long counting the results of a query may take."""


def list_conversations(
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
    """Returns conversations that match the query: the one with the newest matching entry, or with the highest value of
    `order`, comes first."""
    query = with_commits(read(text), index, vault)
    deadline = Deadline()
    # The position is read before the rows: a change in between is sent twice, and never missed.
    position = feed_position(index)
    if order == "time" and not is_rising:
        rows, has_more = conversations(
            index, vault, query, limit=limit, start=start, is_late=deadline, hides_archived=True
        )
    else:
        every, _ = conversations(index, vault, query, limit=_ALL, is_late=deadline, hides_archived=True)
        every = _in_order(every, _figure(order, summaries, index, every), is_rising=is_rising)
        rows, has_more = every[start : start + limit], len(every) > start + limit
    return wire.ConversationList(
        conversations=summaries.of(index, rows),
        has_more=has_more,
        is_partial=deadline.has_passed,
        epoch=index.epoch,
        seq=position,
    )


def conversation_facets(index: Index, vault: FileVault, text: str) -> wire.ConversationFacets:
    """Returns how many conversations match the query, counted by workspace, status and tag."""
    query = with_commits(read(text), index, vault)
    deadline = Deadline(_COUNT_S)
    rows, _ = conversations(index, vault, query, limit=_ALL, is_late=deadline, is_bounded=True)
    annotations, now = load_annotations(vault), datetime.now(UTC)
    archived = {name for name, each in annotations.items() if each.is_archived}
    hidden = set[str]() if asks_for_archived(query) else archived
    shown = [row for row in rows if row.name not in hidden]
    names = config.workspace_names(vault.root)
    folders = {row.workspace: row.session.cwd for row in reversed(shown)}
    workspaces = Counter(row.workspace for row in shown)
    statuses = Counter(activity(row.status, row.session.ended_at, now) for row in shown)
    about = [annotations[row.name] for row in shown if row.name in annotations]
    return wire.ConversationFacets(
        total=len(shown),
        is_partial=deadline.has_passed,
        archived=len(rows) - len(shown),
        workspaces=_values("workspace", workspaces, lambda value: names.of(value, folders[value])),
        statuses=_values("status", statuses, str.capitalize),
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
    """Returns the function that computes the sort value of a conversation, or None where it is not known."""
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
    """Sorts by the figure, then by the most recent, then by name, so that the order is stable. Unknown comes last."""
    sign = 1 if is_rising else -1
    newest = sorted(rows, key=lambda row: row.name)
    newest.sort(key=lambda row: row.session.ended_at or "", reverse=True)
    return sorted(newest, key=lambda row: (1, 0.0) if (value := figure(row)) is None else (0, sign * value))


def _duration(row: ConversationRow) -> float | None:
    """Returns how long a conversation took; None if only one moment of it is known."""
    began, ended = _ms(row.session.started_at), _ms(row.session.ended_at)
    return None if began is None or ended is None or ended <= began else ended - began


@lru_cache(1 << 16)
def _ms(time: str | None) -> float | None:
    moment = figures.moment(time, UTC)
    return moment.timestamp() * 1000 if moment else None


def _sum(tokens: Tokens) -> int:
    return tokens.input + tokens.output + tokens.cache_creation + tokens.cache_read


def feed_position(index: Index) -> int:
    """Returns the number of the last change in the feed. A query for an unknown epoch returns this and no events."""
    return index.feed("", 0).seq
