"""Which conversation asks, in words: its title and its workspace, for the lists and cards of requests."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from chorus.base import config
from chorus.cli.one_line import shortened
from chorus.cli.short_ids import SHOWN
from chorus.errors import ChorusError, IndexDamaged
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.index.sqlite.opening import FOLDER
from chorus.find.search.titles import titles
from chorus.keep.archive.annotations import annotations_of
from chorus.keep.archive.listing import name_of
from chorus.keep.vault.keys import is_safe_name
from chorus.steer.approvals.cards import Card, card_of
from chorus.steer.approvals.model import Request, Row
from chorus.steer.approvals.visible_text import make_visible_line
from chorus.steer.runs.run_folders import RunFolder

_LONGEST = 120
"""Characters of a title."""
_DRAWN_AS_TITLE = "conversation"


class Whose(NamedTuple):
    """Who asks. Both texts are one line that is safe to print."""

    title: str
    """The conversation's title; the beginning of its id where no title is known."""
    workspace: str
    """What people call the workspace; empty where no conversation is known."""


def whose(state: Path, rows: Iterable[Row]) -> dict[str, Whose]:
    """Who asks, by the ids of the requests in the ledger in `state`.

    The index is read as it is: where there is none, a title is known from the run or from the person who gave it.
    """
    root = state.parent
    asked = [(row.id, row.request, _conversation(root, row.request)) for row in rows]
    names = {name for _, _, name in asked if name is not None}
    known = _titles(root, names)
    workspaces = config.workspace_names(root)
    found: dict[str, Whose] = {}
    for id_, request, name in asked:
        title = known.get(name or "") or _title_of_run(root, request)
        short = (name or request.session).rpartition("/")[2][:SHOWN]
        folder = workspaces.of(name.partition("/")[0], request.cwd) if name else ""
        found[id_] = Whose(_line(title) or _line(short), _line(folder))
    return found


def named_card(state: Path, row: Row) -> Card:
    """The card of a request with the conversation's title and workspace in place of its name in the vault."""
    card = card_of(row)
    asker = whose(state, [row])[row.id]
    named = [("workspace", asker.workspace), (_DRAWN_AS_TITLE, asker.title)]
    facts = [each for each in card.facts if each[0] != _DRAWN_AS_TITLE]
    at = 1 if facts and facts[0][0] == "folder" else 0
    facts[at:at] = [(name, text) for name, text in named if text]
    return structs.replace(card, facts=tuple(facts))


def _conversation(root: Path, request: Request) -> str | None:
    """The conversation's name in the vault; None for what can be none, as the ledger may hold anybody's text."""
    name = request.conversation or name_of(root, request.session)
    parts = name.split("/") if name else []
    return name if len(parts) == len(("workspace", "agent", "session")) and all(map(is_safe_name, parts)) else None


def _titles(root: Path, names: Iterable[str]) -> dict[str, str]:
    said = annotations_of(root).all()
    wanted = set(names)
    given = {name: each.title for name in wanted if (each := said.get(name)) is not None and each.title}
    if not wanted:
        return given
    try:
        index = SqliteIndex(root / FOLDER)
    except IndexDamaged:
        return given
    try:
        return titles(index, wanted, said) | given
    except IndexDamaged:
        return given
    finally:
        index.close()


def _title_of_run(root: Path, request: Request) -> str:
    """What the run began with: its conversation may not be in the index while it is at work."""
    if request.run is None or not is_safe_name(request.run):
        return ""
    try:
        run = RunFolder(config.home_of(root) / "runs" / request.run).read()
    except ChorusError:
        # Settings that cannot be read are told elsewhere.
        return ""
    return run.title if run is not None else ""


def _line(text: str) -> str:
    """A text of a transcript on one line. It stands beside what is decided: hidden characters are shown first."""
    return shortened(make_visible_line(" ".join(text.split())), _LONGEST)
