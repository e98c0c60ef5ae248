"""`chorus mark`: what a person says about a conversation. The conversation itself stays as it was recorded."""

from collections.abc import Iterable
from datetime import UTC, datetime

import click
from msgspec import UNSET

from chorus.cli.output import print_json
from chorus.cli.vault_ids import open_vault, the_one, vault_option
from chorus.core.records.times import wire_time
from chorus.core.views.safe import safe, safe_line
from chorus.errors import ChorusError
from chorus.keep.archive.annotations import Annotation, Change, annotations_of, tag_of


@click.command()
@click.argument("what", metavar="ID|N|QUERY")
@click.option("--title", metavar="TEXT", help='What to call it; "" for the title that it had.')
@click.option("--star/--unstar", "is_starred", default=None, help="Star it, or take the star away.")
@click.option("--archive/--unarchive", "is_archived", default=None, help="Leave it out of lists, or bring it back.")
@click.option("--tag", "added", metavar="TAG", multiple=True, help="Add a tag; may be given several times.")
@click.option("--untag", "removed", metavar="TAG", multiple=True, help="Take a tag away.")
@click.option("--note", metavar="TEXT", help='Note something about it; "" takes the note away.')
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@vault_option
def mark(
    what: str,
    *,
    title: str | None,
    is_starred: bool | None,
    is_archived: bool | None,
    added: tuple[str, ...],
    removed: tuple[str, ...],
    note: str | None,
    as_json: bool,
    vault: str | None,
) -> None:
    """Rename, star, tag or archive a conversation, or note something about it; without options, show what was said.

    Queries find it: is:starred, is:archived, tag:TAG, and the words of titles and notes. Nothing that was recorded
    changes.
    """
    kept_in = open_vault(vault)
    kept, known = the_one(what, kept_in), annotations_of(kept_in.root)
    change = Change(
        title=UNSET if title is None else title,
        is_starred=UNSET if is_starred is None else is_starred,
        is_archived=UNSET if is_archived is None else is_archived,
        tags=_tags(known.of(kept.name), added, removed) if added or removed else UNSET,
        note=UNSET if note is None else note,
    )
    said = known.of(kept.name)
    if change != Change():
        said = known.change(kept.name, change, time=wire_time(datetime.now(UTC)))
    if as_json:
        print_json(_as_json(kept.id, said))
    else:
        click.echo("\n".join([kept.id, *(f"  {line}" for line in _lines(said))]))


def _tags(said: Annotation, added: Iterable[str], removed: Iterable[str]) -> tuple[str, ...]:
    gone = {tag_of(tag).lower() for tag in removed}
    if missing := gone - {tag.lower() for tag in said.tags}:
        raise ChorusError(f"{', '.join(sorted(missing))}: no tag of this conversation")
    return (*(tag for tag in said.tags if tag.lower() not in gone), *added)


def _lines(said: Annotation) -> list[str]:
    lines = [f"title: {safe_line(said.title)}"] if said.title else []
    states = [word for word, holds in (("starred", said.is_starred), ("archived", said.is_archived)) if holds]
    lines += [", ".join(states)] if states else []
    lines += ["tags: " + ", ".join(map(safe_line, said.tags))] if said.tags else []
    lines += [f"note: {line}" if not n else f"      {line}" for n, line in enumerate(safe(said.note or "").split("\n"))]
    return [line for line in lines if line != "note: "] or ["nothing was said about it"]


def _as_json(conversation: str, said: Annotation) -> dict[str, object]:
    """The documented shape of `chorus mark --json`."""
    return {
        "conversation": conversation,
        "title": said.title,
        "starred": said.is_starred,
        "archived": said.is_archived,
        "tags": list(said.tags),
        "note": said.note,
    }
