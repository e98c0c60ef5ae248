"""The title and the workspace of the conversation that made a request, for lists and cards of requests."""

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
from chorus.keep.sources.discover import config_folder
from chorus.keep.vault.keys import is_safe_name
from chorus.steer.approvals.cards import Card, card_of
from chorus.steer.approvals.model import Request, Row
from chorus.steer.approvals.visible_text import make_visible_line
from chorus.steer.clients.sub_agents import sub_agent_name
from chorus.steer.runs.run_folders import RunFolder

_LONGEST = 120
"""Maximum characters of a title."""
_DRAWN_AS_TITLE = "conversation"
_SUB_AGENT = "sub-agent"


class Asker(NamedTuple):
    """The conversation that made a request. Both texts are one line and safe to print."""

    title: str
    """The title of the conversation; the beginning of its id if no title is known."""
    workspace: str
    """The display name of the workspace; empty if the conversation is unknown."""


def askers_of(state: Path, rows: Iterable[Row]) -> dict[str, Asker]:
    """Return the asker of each request, by request id, for the ledger in the folder `state`.

    The index is not brought up to date. Without an index, titles come from annotations and from the run.
    """
    root = state.parent
    asked = [(row.id, row.request, _conversation(root, row.request)) for row in rows]
    names = {name for _, _, name in asked if name is not None}
    known = _titles(root, names)
    workspaces = config.workspace_names(root)
    found: dict[str, Asker] = {}
    for id_, request, name in asked:
        title = known.get(name or "") or _title_of_run(root, request)
        short = (name or request.session).rpartition("/")[2][:SHOWN]
        folder = workspaces.of(name.partition("/")[0], request.cwd) if name else ""
        found[id_] = Asker(_line(title) or _line(short), _line(folder))
    return found


def named_card(state: Path, row: Row) -> Card:
    """Return the card of a request, with names instead of ids: of the conversation, its workspace and the sub-agent."""
    card = card_of(row)
    asker = askers_of(state, [row])[row.id]
    named = [("workspace", asker.workspace), (_DRAWN_AS_TITLE, asker.title)]
    facts = [
        (name, _sub_agent(row.request) if name == _SUB_AGENT else text)
        for name, text in card.facts
        if name != _DRAWN_AS_TITLE
    ]
    at = 1 if facts and facts[0][0] == "folder" else 0
    facts[at:at] = [(name, text) for name, text in named if text]
    return structs.replace(card, facts=tuple(facts))


def _sub_agent(request: Request) -> str:
    """Return the type and description of the sub-agent that asks; its id if they are not known."""
    agent = request.agent or ""
    return _line(sub_agent_name([config_folder()], request.session, agent) or agent)


def _conversation(root: Path, request: Request) -> str | None:
    """Return the vault name of the conversation; None if it is not valid, because the ledger is untrusted."""
    name = request.conversation or name_of(root, request.session)
    parts = name.split("/") if name else []
    return name if len(parts) == len(("workspace", "agent", "session")) and all(map(is_safe_name, parts)) else None


def _titles(root: Path, names: Iterable[str]) -> dict[str, str]:
    annotations = annotations_of(root).all()
    wanted = set(names)
    given = {name: each.title for name in wanted if (each := annotations.get(name)) is not None and each.title}
    if not wanted:
        return given
    try:
        index = SqliteIndex(root / FOLDER)
    except IndexDamaged:
        return given
    try:
        return titles(index, wanted, annotations) | given
    except IndexDamaged:
        return given
    finally:
        index.close()


def _title_of_run(root: Path, request: Request) -> str:
    """Return the title of the run: while it works, its conversation may not be in the index yet."""
    if request.run is None or not is_safe_name(request.run):
        return ""
    try:
        run = RunFolder(config.home_of(root) / "runs" / request.run).read()
    except ChorusError:
        # Other code reports settings that cannot be read.
        return ""
    return run.title if run is not None else ""


def _line(text: str) -> str:
    """Return text of a transcript as one line, with hidden characters made visible: a person decides next to it."""
    return shortened(make_visible_line(" ".join(text.split())), _LONGEST)
