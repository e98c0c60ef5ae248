"""Searches all conversations: returns hits with their places, and facets."""

import time
from collections.abc import Iterator

from msgspec import structs

from chorus.base import config
from chorus.core.query.plain import plain
from chorus.find.index.port import Index
from chorus.find.provenance.commit_field import with_commits
from chorus.find.search.answers import Found, find
from chorus.keep.vault.files import FileVault
from chorus.show import wire
from chorus.show.server.services.facets import facets
from chorus.show.server.services.queries import Deadline, read
from chorus.show.transcripts.summary import Summaries


def search_all(
    index: Index,
    vault: FileVault,
    summaries: Summaries,
    text: str,
    *,
    below: int | None,
    is_ranked: bool,
    limit: int,
) -> wire.SearchAnswer:
    """Returns the entries that match the query; the first page has facets, if there is time to count them."""
    began = time.perf_counter()
    query = with_commits(read(text), index, vault)
    deadline = Deadline()
    answers = find(index, vault, query, limit=limit, below=below, is_ranked=is_ranked, is_late=deadline)
    counts: tuple[wire.Facet, ...] = ()
    counted = 0
    if below is None and answers.found and not answers.is_spread and not deadline.has_passed:
        counts, counted = facets(index, vault, answers.asked, deadline, config.workspace_names(vault.root))
    return wire.SearchAnswer(
        hits=tuple(_hits(index, summaries, answers.found)),
        groups=tuple(
            wire.HitGroup(conversation=each.conversation, count=each.count, is_at_least=each.is_at_least)
            for each in answers.groups
        ),
        described=summaries.of(index, answers.described),
        next=answers.next,
        is_partial=answers.is_partial,
        looked_to=answers.looked_to,
        is_spread=answers.is_spread,
        is_loose=answers.is_loose,
        looked_for=tuple(wire.LookedFor(**structs.asdict(each)) for each in answers.looked_for),
        facets=counts,
        counted=counted,
        took_ms=round((time.perf_counter() - began) * 1000, 1),
    )


def _hits(index: Index, summaries: Summaries, found: list[Found]) -> Iterator[wire.SearchHit]:
    rows = {each.conversation.name: each.conversation for each in found}
    known = dict(zip(rows, summaries.of(index, rows.values()), strict=True))
    for each in found:
        shown = each.snippet if each.kind == "call" else plain(each.snippet)
        yield wire.SearchHit(
            number=each.number,
            conversation=known[each.conversation.name],
            id=each.entry,
            key=(*each.order, each.entry),
            thread=each.thread,
            kind=each.kind,
            role=each.role,
            author=each.author,
            tool=each.tool,
            is_failed=each.is_failed,
            time=each.time,
            snippet=wire.Marked(text=shown.text, marks=tuple(shown.marks)),
            stands=wire.Stands(**structs.asdict(each.stands)) if each.stands else None,
            also=each.also,
        )
