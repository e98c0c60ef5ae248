"""A request as the person who decides sees it: built from its row, and from nothing else. Pure.

Every text is made visible before it is laid out, so that no view can lose what is hidden in it; and whatever a view
leaves out is listed beside it, with the whole input at the end unless all of it is drawn.
"""

import json
import re
from collections.abc import Iterator

from msgspec import Raw, Struct, structs

from chorus.core.conversation.tool_facts import PLAN_TOOL, kind_of
from chorus.core.views import content
from chorus.core.views.blocks import Block, Json, Note
from chorus.core.views.tools import view
from chorus.steer.approvals import inputs
from chorus.steer.approvals.complete_cards import are_all
from chorus.steer.approvals.model import Request, Row
from chorus.steer.approvals.offers import Offer, offers
from chorus.steer.approvals.risks import Hint, hints
from chorus.steer.approvals.visible_text import seen_line

_SHOWN = {
    "Bash": {"command", "description"},
    "PowerShell": {"command", "description"},
    "Edit": {"file_path", "old_string", "new_string"},
    "Write": {"file_path", "content"},
}
"""The fields that the view of a tool draws; all others of theirs are listed."""
_NO_PLAN = "Leave plan mode and begin to work; the request holds no plan: read it in the conversation."
_UNSHOWN = re.compile(r"\]:|\]\(|\||^[ \t>]*(?:```|~~~)[^\n]*?\S[ \t][^\n]*\S|<", re.MULTILINE)
"""What Markdown may not show all of."""
_LISTED_CHARS = 200


class Card(Struct, frozen=True, kw_only=True):
    """What to show. Every text in it is harmless as it is."""

    id: str
    digest: str
    title: str
    """The tool, and what its view calls the request."""
    blocks: tuple[Block, ...]
    """What would run or be written."""
    whole: Json
    """The whole input."""
    hints: tuple[Hint, ...]
    offers: tuple[Offer, ...]
    facts: tuple[tuple[str, str], ...]
    """Who asks and where, as pairs of a name and a text."""


def card_of(row: Row) -> Card:
    """The card of a row; where a person changed the input, that of what would run is `card_of(edited(row, text))`."""
    request = row.request
    raw = inputs.visible(request.input)
    drawn = view(request.tool, raw, None, None)
    whole = _whole(raw)
    is_all = whole.text in map(_json, drawn.asked) or are_all(bytes(raw).decode(), drawn.asked)
    blocks = drawn.asked if is_all else (*drawn.asked, *_others(request.tool, raw))
    said: tuple[Block, ...] = tuple(_plans(request))
    if said:
        blocks = () if request.input.strip() == "{}" else blocks
    elif _lacks_its_plan(request):
        said = (Note(text=_NO_PLAN, level="warning"),)
    # The title of a command is what the model says about it: that is no description to put above it.
    named = "" if kind_of(request.tool) == "command" else drawn.title
    title = " ".join(part for part in (seen_line(drawn.label or request.tool), seen_line(named)) if part)
    return Card(
        id=request.id,
        digest=row.digest,
        title=title,
        blocks=(*said, *(blocks or (() if request.plans else (whole,)))),
        whole=whole,
        hints=hints(request),
        offers=offers(request.suggestions),
        facts=tuple((name, seen_line(text)) for name, text in _facts(row) if text),
    )


def edited(row: Row, text: str) -> Row:
    """The row as if its input were `text`: to show what a person is about to approve instead."""
    return structs.replace(row, request=structs.replace(row.request, input=text))


def _facts(row: Row) -> tuple[tuple[str, str | None], ...]:
    request = row.request
    said = inputs.fields(request.input).get("description") if kind_of(request.tool) == "command" else None
    return (
        ("folder", request.cwd),
        ("conversation", request.conversation),
        ("session", request.session),
        ("run", request.run),
        ("sub-agent", request.agent),
        ("agent says", said if isinstance(said, str) else None),
        ("client says", request.description if request.description != said else None),
        ("asked", request.created_at),
        ("until", request.deadline_at),
    )


def _plans(request: Request) -> Iterator[Block]:
    """The plans that were found for a request that does not say its own, with their text where Markdown may hide some.

    They are part of what is signed.
    """
    for plan in request.plans:
        where = f"The plan in {plan.path}" if plan.path else "The plan, as the agent's call says it"
        yield Note(text=seen_line(where), level="info")
        raw = inputs.visible(json.dumps({"plan": plan.text}, ensure_ascii=False))
        yield from view(PLAN_TOOL, raw, None, None).asked
        if _UNSHOWN.search(plan.text):
            yield structs.replace(_whole(raw), title="the plan's text")


def _lacks_its_plan(request: Request) -> bool:
    """Whether it asks to leave plan mode without a word of the plan; some clients keep that to themselves."""
    plan = inputs.fields(request.input).get("plan")
    return kind_of(request.tool) == "plan" and (plan is None or (isinstance(plan, str) and not plan.strip()))


def _whole(raw: Raw) -> Json:
    data = bytes(raw)
    return Json(text=content.indented(data) or data.decode("utf-8", "replace"), title="whole input", is_bulk=True)


def _json(block: Block) -> str | None:
    return block.text if isinstance(block, Json) else None


def _others(tool: str, raw: Raw) -> tuple[Block, ...]:
    """The fields that the tool's view does not draw, one line each."""
    drawn = _SHOWN.get(tool)
    if drawn is None:
        # Its view may leave out anything.
        return (_whole(raw),)
    given = inputs.fields(bytes(raw).decode())
    left = {name: value for name, value in given.items() if name not in drawn}
    return tuple(Note(text=seen_line(f"{name}: {_short(value)}"), level="warning") for name, value in left.items())


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LISTED_CHARS else f"{text[:_LISTED_CHARS]}… (see the whole input)"
