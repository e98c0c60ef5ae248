"""`chorus cost`: tokens and dollars, next to what the client reported."""

from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chorus.base.prices import PRICES_FILE, load_prices
from chorus.cli.pager import paged
from chorus.cli.query_words import QUERY_SETTINGS, refuse_mistyped_options
from chorus.core.spending.grouping import GROUPINGS
from chorus.errors import ChorusError, SourceUnreadable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chorus.core.spending.books import Books
    from chorus.core.spending.rates import Prices


@click.command(context_settings=QUERY_SETTINGS)
@click.argument("sources", metavar="[SOURCE…|QUERY]", nargs=-1)
@click.option(
    "--by", type=click.Choice((*GROUPINGS, "commit")), default="day", show_default=True, help="What each row is about."
)
@click.option("--since", metavar="DAY", help="First day: 2026-02-03, 2026-02, monday, or 7d for seven days ago.")
@click.option("--until", metavar="DAY", help="Last day, or a month or year, inclusive.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@click.option("--no-index", is_flag=True, help="Count directly from the files that SOURCE names.")
@click.option("--explain", metavar="ID", help="Explain the cost of one conversation, message by message.")
@click.option("--prices", metavar="FILE", help="Prices that override those of Chorus; else prices.json in its home.")
@click.option(
    "--vault",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Home of Chorus; else $CHORUS_HOME, else ~/.chorus.",
)
@click.pass_context
@paged
def cost(
    ctx: click.Context,
    sources: tuple[str, ...],
    *,
    by: str,
    since: str | None,
    until: str | None,
    as_json: bool,
    no_index: bool,
    explain: str | None,
    prices: str | None,
    vault: str | None,
) -> None:
    """Show what was spent, and what the client reported.

    SOURCE is the id of a conversation in the vault, a file, a folder (every *.jsonl below it) or - for standard input.
    Without a source, everything in the vault is counted. QUERY counts the conversations that answer it, as in `chorus
    list`; it is an error if there are none. Each message is counted once, even if several files contain it.
    """
    refuse_mistyped_options(ctx, sources)
    known = _prices(prices, vault)
    if explain is not None:
        _explain(explain, sources, known, vault, as_json=as_json)
        return
    from chorus.core.spending.report import report

    failures: list[SourceUnreadable] = []
    first, last = _period(since, until)
    if by == "commit" and no_index:
        raise click.UsageError("--by commit needs the recorded conversations: leave --no-index out")
    books, counted = _books(sources, vault, failures, no_index=no_index)
    if by == "commit":
        from chorus.cli.cost_commits import with_commits

        books = with_commits(books, vault)
    result = report(books, known, by=by, since=first, until=last)
    if as_json:
        _print_json(result.as_json())
    elif not (sources or books.spent or books.reported):
        click.echo("Nothing is recorded here yet: `chorus sync` records your sessions.")
    else:
        from chorus.cli.cost_table import cost_table

        click.echo(cost_table(result, counted=counted), nl=False)
    if failures:
        from chorus.cli.output import FAILED_SOURCE, complain

        for failure in failures:
            complain(str(failure))
        ctx.exit(FAILED_SOURCE)


def _prices(file: str | None, vault: str | None) -> "Prices":
    """Return the prices of Chorus, overridden by the prices of the user."""
    from chorus.base import config

    path = Path(file) if file else config.guarded_home(vault) / PRICES_FILE
    return load_prices(path, may_be_missing=file is None)


def _period(since: str | None, until: str | None) -> tuple[date | None, date | None]:
    """Return the first and the last day that count."""
    if not since and not until:
        return None, None
    from chorus.base.zone import local_zone
    from chorus.core.spending.named_days import days_named

    now = datetime.now(local_zone())
    return (days_named(since, now=now)[0] if since else None, days_named(until, now=now)[1] if until else None)


def _books(
    sources: tuple[str, ...], vault: str | None, failures: list[SourceUnreadable], *, no_index: bool
) -> tuple["Books", str]:
    """Return the books of the named files or conversations, or of the whole vault; and what a query chose, in words."""
    if no_index:
        if not sources:
            raise click.UsageError("--no-index needs files: name them")
        return _file_books(sources, failures), ""
    from chorus.base import config
    from chorus.cli.cost_index import index_books

    root = config.vault_for(vault, Path.cwd())
    if not sources:
        return index_books(root), ""
    from chorus.cli.named_by_query import all_by_query
    from chorus.cli.vault_ids import is_named, named, open_vault

    kept_in = open_vault(vault)
    words = [source for source in sources if not is_named(source, kept_in)]
    if words:
        if len(words) < len(sources):
            raise ChorusError(
                f"{' '.join(words)}: a query cannot be combined with other sources; name only ids or files"
            )
        found = all_by_query(words, kept_in)
        if not found:
            raise SourceUnreadable(f"{' '.join(words)}: no file, and no conversation in {root} answers this")
        return index_books(root, found), _chosen(len(found), " ".join(words))
    chosen = named(sources, kept_in)
    if chosen.files and chosen.kept:
        raise ChorusError("name either files or recorded conversations: a message in both would be counted twice")
    if chosen.files:
        return _file_books(chosen.files, failures), ""
    return index_books(root, (kept.name for kept in chosen.kept)), ""


def _chosen(number: int, query: str) -> str:
    from chorus.cli.output import counted
    from chorus.core.views.safe import safe_line

    return f"Counted: {counted(number, 'conversation')} that answer{'s' if number == 1 else ''} `{safe_line(query)}`"


def _file_books(sources: "Sequence[str]", failures: list[SourceUnreadable]) -> "Books":
    from chorus.cli.output import complain
    from chorus.cli.progress import progress
    from chorus.lab.census.books import books_of
    from chorus.lab.census.sources import streams_of

    names = streams_of(sources, complain)
    with progress("Counting", names) as advance:
        return books_of(names, advance=advance, failed=failures.append)


def _explain(wanted: str, sources: tuple[str, ...], prices: "Prices", vault: str | None, *, as_json: bool) -> None:
    from chorus.cli.cost_explained import explain_files, explain_kept, explained
    from chorus.cli.output import complain
    from chorus.cli.vault_ids import open_vault, the_one
    from chorus.core.spending.explain import as_json as documented
    from chorus.lab.census.sources import streams_of

    if sources or Path(wanted).exists():
        session = wanted if sources else Path(wanted).stem
        explanation, line_of = explain_files(streams_of(sources or (wanted,), complain), session, prices)
    else:
        kept_in = open_vault(vault)
        explanation, line_of = explain_kept(kept_in, the_one(wanted, kept_in), prices)
    if as_json:
        _print_json(documented(explanation, line_of))
    else:
        click.echo(explained(explanation, line_of), nl=False)


def _print_json(value: Any) -> None:
    """Do the same as `output.print_json`, without the cost of importing `json`."""
    import sys

    import msgspec

    from chorus.core.views.safe import safe_json

    try:
        text = msgspec.json.format(msgspec.json.encode(value), indent=2)
    except UnicodeEncodeError:
        # A file name is not valid UTF-8.
        from chorus.cli.output import encoded

        text = encoded(value, indent=2)
    sys.stdout.buffer.write(safe_json(text.decode()).encode() + b"\n")
    sys.stdout.buffer.flush()
