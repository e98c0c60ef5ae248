"""`chorus search`: find what was said and done."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import click

from chorus.base import config
from chorus.cli.hits import PREFIX_WIDTH, HitLines, ending, search_notes
from chorus.cli.output import complain, print_json, say
from chorus.cli.pager import paged
from chorus.cli.query_options import Deadline, ask, read_query
from chorus.cli.query_words import QUERY_SETTINGS, refuse_mistyped_options
from chorus.cli.table import terminal_width
from chorus.cli.vault_ids import open_vault, vault_option
from chorus.core.query.tree import Query
from chorus.core.views.workspace_names import WorkspaceNames
from chorus.errors import ChorusError, IndexDamaged
from chorus.find.costs.conversation_costs import Costs, Figures
from chorus.find.index.port import MAX_HITS, Index
from chorus.find.index.rows import ConversationRow
from chorus.find.provenance.commit_field import with_commits
from chorus.find.search.answers import Answers, Found, find, find_on, joined
from chorus.find.search.last_search import LastSearch, Remembered, remember
from chorus.keep.vault.files import FileVault

_MANY = 20
_WIDTH = 160
"""Columns if the output is not a terminal."""
_NARROWEST = 40


@click.command(context_settings=QUERY_SETTINGS)
@click.argument("words", metavar="QUERY…", nargs=-1, required=True)
@click.option("--rank", "is_ranked", is_flag=True, help="Best of the newest 5,000 hits first; else newest first.")
@click.option(
    "--limit",
    type=click.IntRange(1, MAX_HITS),
    default=_MANY,
    show_default=True,
    metavar="N",
    help="At most N hits.",
)
@click.option("--page", type=click.IntRange(min=1), metavar="N", help="Show page N of the hits.")
@click.option("--after", "below", type=int, metavar="CURSOR", help="Continue after an answer: the value of its `next`.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@vault_option
@click.pass_context
@paged
def search(
    ctx: click.Context,
    words: tuple[str, ...],
    *,
    is_ranked: bool,
    limit: int,
    page: int | None,
    below: int | None,
    as_json: bool,
    vault: str | None,
) -> None:
    """Find what was said and done in all conversations, newest first.

    QUERY consists of words, "phrases in quotes", begin*, -without, a OR b, and fields such as role:user, tool:Bash,
    is:error, file:src/*.py, workspace:shop, after:7d, cost>1; docs/guide/queries.md lists all. Your shell removes
    quotes, so write '"a phrase"'. `chorus show N` opens the N-th hit, `chorus context N` shows what surrounds it.
    """
    refuse_mistyped_options(ctx, words)
    if below is not None and (page or is_ranked):
        raise click.UsageError("--after cannot be used with --page or --rank", ctx)
    query = read_query(words)
    kept_in = open_vault(vault)
    costs = Costs(config.home(vault))
    skip, columns = ((page or 1) - 1) * limit, terminal_width()
    shown = HitLines(first=skip + 1, now=datetime.now(UTC), columns=columns, names=config.workspace_names(kept_in.root))

    def act(index: Index) -> tuple[Answers, dict[str, Figures]]:
        known: dict[str, Figures] = {}
        asked = with_commits(query, index, kept_in)
        whole = Answers([])
        width = max(_NARROWEST, columns or _WIDTH) - PREFIX_WIDTH
        if is_ranked or skip:
            found = iter([find(index, kept_in, asked, limit=limit, skip=skip, is_ranked=is_ranked, width=width)])
        else:
            found = find_on(index, kept_in, asked, limit=limit, below=below, late=Deadline, width=width)
        for answers in found:
            known |= _costs(
                index, costs, [each.conversation for each in answers.found if each.conversation.name not in known]
            )
            whole = joined(whole, answers)
            if not as_json:
                # Store the hits before printing: a person may quit the pager early and then name a hit by its number.
                _remember(kept_in, query, whole, first=skip + 1)
                if answers.found and (notes := search_notes(answers)) and not whole.found[len(answers.found) :]:
                    say(notes)
                    click.echo()
                for line in shown.lines(answers, known):
                    click.echo(line)
        return whole, known

    answers, known = ask(kept_in, act, cost_of=costs.cost_of) or (Answers([]), {})
    if as_json:
        print_json(_as_json(query.text, answers, known, config.workspace_names(kept_in.root), first=skip + 1))
        return
    if not answers.found and (notes := search_notes(answers)):
        say(notes)
    say(ending(answers, page=page, below=below))


def _remember(vault: FileVault, query: Query, answers: Answers, *, first: int) -> None:
    """Store the hits by number. A search without hits leaves the previous ones in place."""
    if answers.found:
        hits = [Remembered(each.conversation.name, each.entry, each.number) for each in answers.found]
        remember(vault.root, LastSearch(query=query.text, first=first, hits=hits))


def _costs(index: Index, costs: Costs, rows: Iterable[ConversationRow]) -> dict[str, Figures]:
    """Return the costs of the conversations. A price file with errors is reported and does not stop the search."""
    try:
        return costs.figures(index, rows)
    except IndexDamaged:
        raise
    except ChorusError as error:
        complain(str(error))
        return {}


def _as_json(
    text: str, answers: Answers, costs: dict[str, Figures], names: WorkspaceNames, *, first: int
) -> dict[str, Any]:
    """Return the documented form of `chorus search --json`."""
    return {
        "query": text,
        "hits": [_hit(number, each, costs, names) for number, each in enumerate(answers.found, first)],
        "next": answers.next,
        "partial": answers.is_partial,
        "spread": answers.is_spread,
        "loose": answers.is_loose,
        "looked_for": [
            {
                "term": each.term,
                "how": each.how,
                "words": list(each.words),
                "id": each.is_id,
                "excluded": each.is_excluded,
            }
            for each in answers.looked_for
        ],
        "groups": [
            {"conversation": each.conversation.rpartition("/")[2], "count": each.count, "at_least": each.is_at_least}
            for each in answers.groups
        ],
        "described": [
            {"conversation": row.id, "title": row.title, "workspace_name": names.of(row.workspace, row.session.cwd)}
            for row in answers.described
        ],
    }


def _hit(number: int, found: Found, costs: dict[str, Figures], names: WorkspaceNames) -> dict[str, Any]:
    row = found.conversation
    spent = costs.get(row.name, Figures())
    return {
        "n": number,
        "conversation": row.id,
        "title": row.title,
        "workspace": row.workspace,
        "workspace_name": names.of(row.workspace, row.session.cwd),
        "agent": row.agent,
        "cwd": row.session.cwd,
        "cost_usd": spent.cost_usd,
        "is_lower_bound": spent.is_at_least,
        "reported_usd": spent.reported_usd,
        "item": found.entry,
        "kind": found.kind,
        "role": found.role,
        "tool": found.tool,
        "failed": found.is_failed,
        "thread": found.thread,
        "time": found.time,
        "snippet": {"text": found.snippet.text, "marks": found.snippet.marks},
        "also": found.also,
    }
