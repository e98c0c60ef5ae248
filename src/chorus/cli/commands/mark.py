"""`chorus mark`: the annotations of a conversation. The recorded conversation does not change."""

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
@click.option("--title", metavar="TEXT", help='Set its title; "" restores the original title.')
@click.option("--star/--unstar", "is_starred", default=None, help="Star it, or remove the star.")
@click.option("--archive/--unarchive", "is_archived", default=None, help="Hide it from lists, or show it again.")
@click.option("--tag", "added", metavar="TAG", multiple=True, help="Add a tag; may be repeated.")
@click.option("--untag", "removed", metavar="TAG", multiple=True, help="Remove a tag; may be repeated.")
@click.option("--note", metavar="TEXT", help='Set its note; "" removes the note.')
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
    """Set the title, star, tags or note of a conversation, or archive it; without options, show them.

    Queries find them: is:starred, is:archived, tag:TAG, and the words of titles and notes. The recorded conversation
    does not change.
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
    annotation = known.of(kept.name)
    if change != Change():
        annotation = known.change(kept.name, change, time=wire_time(datetime.now(UTC)))
    if as_json:
        print_json(_as_json(kept.id, annotation))
    else:
        click.echo("\n".join([kept.id, *(f"  {line}" for line in _lines(annotation))]))


def _tags(annotation: Annotation, added: Iterable[str], removed: Iterable[str]) -> tuple[str, ...]:
    gone = {tag_of(tag).lower() for tag in removed}
    if missing := gone - {tag.lower() for tag in annotation.tags}:
        raise ChorusError(f"{', '.join(sorted(missing))}: not a tag of this conversation")
    return (*(tag for tag in annotation.tags if tag.lower() not in gone), *added)


def _lines(annotation: Annotation) -> list[str]:
    lines = [f"title: {safe_line(annotation.title)}"] if annotation.title else []
    states = [
        word for word, is_set in (("starred", annotation.is_starred), ("archived", annotation.is_archived)) if is_set
    ]
    lines += [", ".join(states)] if states else []
    lines += ["tags: " + ", ".join(map(safe_line, annotation.tags))] if annotation.tags else []
    lines += [
        f"note: {line}" if not n else f"      {line}" for n, line in enumerate(safe(annotation.note or "").split("\n"))
    ]
    return [line for line in lines if line != "note: "] or ["no annotations"]


def _as_json(conversation: str, annotation: Annotation) -> dict[str, object]:
    """Return the documented form of `chorus mark --json`."""
    return {
        "conversation": conversation,
        "title": annotation.title,
        "starred": annotation.is_starred,
        "archived": annotation.is_archived,
        "tags": list(annotation.tags),
        "note": annotation.note,
    }
