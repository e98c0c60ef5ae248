"""The card of a request: what a person sees before deciding. It is built from the row alone. Pure.

Hidden characters of every text are made visible before the text is laid out, so that no view can lose them. Every field
that a view leaves out is listed below it, and the whole input follows unless all of it is drawn.
"""

import json
import re
from collections.abc import Iterator

from msgspec import Raw, Struct, structs

from chorus.core.conversation.tool_facts import PLAN_TOOL, kind_of
from chorus.core.views import content
from chorus.core.views.blocks import Block, Json, Note
from chorus.core.views.tools import view
from chorus.core.views.tools.call import View
from chorus.steer.approvals import inputs
from chorus.steer.approvals.complete_cards import shows_whole_input
from chorus.steer.approvals.model import Request, Row
from chorus.steer.approvals.offers import Offer, offers
from chorus.steer.approvals.risks import Hint, hints
from chorus.steer.approvals.visible_text import make_visible_line

_SHOWN = {
    "Bash": {"command", "description"},
    "PowerShell": {"command", "description"},
    "Edit": {"file_path", "old_string", "new_string"},
    "Write": {"file_path", "content"},
}
"""The fields that the view of a tool draws; the other fields of its input are listed below it."""
_NO_PLAN = "Leave plan mode and begin to work; the request holds no plan: read it in the conversation."
_TITLES = {"plan": "Plan to approve", "question": "Questions for you"}
"""The titles of requests whose tools have names that say nothing to a person, by the kind of tool."""
_UNSHOWN = re.compile(r"\]:|\]\(|\||^[ \t>]*(?:```|~~~)[^\n]*?\S[ \t][^\n]*\S|<", re.MULTILINE)
"""Text that Markdown may not show completely."""
_LISTED_CHARS = 200


class Card(Struct, frozen=True, kw_only=True):
    """What a person sees before deciding. Every text in it is safe to print."""

    id: str
    digest: str
    title: str
    """What is asked for in plain words; else the tool, and the title that its view gives to the request."""
    blocks: tuple[Block, ...]
    """What would run or be written."""
    whole: Json
    """The whole input."""
    hints: tuple[Hint, ...]
    offers: tuple[Offer, ...]
    facts: tuple[tuple[str, str], ...]
    """Who asks and where, as pairs of a name and a text."""


def card_of(row: Row) -> Card:
    """Returns the card of a row. If a person changed the input, use `card_of(edited(row, text))` for what would run."""
    request = row.request
    raw = inputs.visible_json(request.input)
    drawn = view(request.tool, raw, None, None)
    whole = _whole(raw)
    is_all = whole.text in map(_json, drawn.asked) or shows_whole_input(bytes(raw).decode(), drawn.asked)
    blocks = drawn.asked if is_all else (*drawn.asked, *_others(request.tool, raw))
    said: tuple[Block, ...] = tuple(_plans(request))
    if said:
        blocks = () if request.input.strip() == "{}" else blocks
    elif _lacks_its_plan(request):
        said = (Note(text=_NO_PLAN, level="warning"),)
    return Card(
        id=request.id,
        digest=row.digest,
        title=_title(request.tool, drawn),
        blocks=(*said, *(blocks or (() if request.plans else (whole,)))),
        whole=whole,
        hints=hints(request),
        offers=offers(request.suggestions),
        facts=tuple((name, make_visible_line(text)) for name, text in _facts(row) if text),
    )


def _title(tool: str, drawn: View) -> str:
    kind = kind_of(tool)
    if kind in _TITLES:
        return _TITLES[kind]
    # The title of a command is the model's own description of it, which may be wrong: do not print it above the
    # command.
    named = "" if kind == "command" else drawn.title
    return " ".join(part for part in (make_visible_line(drawn.label or tool), make_visible_line(named)) if part)


def edited(row: Row, text: str) -> Row:
    """Returns the row with `text` as its input, to show what a person is about to approve instead."""
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
    """Yields the plans found for a request that does not contain its plan, with their raw text if Markdown may hide a
    part.

    The plans are part of what is signed.
    """
    for plan in request.plans:
        where = f"The plan in {plan.path}" if plan.path else "The plan in the agent's call"
        yield Note(text=make_visible_line(where), level="info")
        raw = inputs.visible_json(json.dumps({"plan": plan.text}, ensure_ascii=False))
        yield from view(PLAN_TOOL, raw, None, None).asked
        if _UNSHOWN.search(plan.text):
            yield structs.replace(_whole(raw), title="the plan's text")


def _lacks_its_plan(request: Request) -> bool:
    """Returns whether it asks to leave plan mode without any text of the plan; some clients do not send the plan."""
    plan = inputs.fields(request.input).get("plan")
    return kind_of(request.tool) == "plan" and (plan is None or (isinstance(plan, str) and not plan.strip()))


def _whole(raw: Raw) -> Json:
    data = bytes(raw)
    return Json(text=content.indented(data) or data.decode("utf-8", "replace"), title="whole input", is_bulk=True)


def _json(block: Block) -> str | None:
    return block.text if isinstance(block, Json) else None


def _others(tool: str, raw: Raw) -> tuple[Block, ...]:
    """Returns the fields that the view of the tool does not draw, one line each."""
    drawn = _SHOWN.get(tool)
    if drawn is None:
        # The view of any other tool may leave out any field.
        return (_whole(raw),)
    given = inputs.fields(bytes(raw).decode())
    left = {name: value for name, value in given.items() if name not in drawn}
    return tuple(
        Note(text=make_visible_line(f"{name}: {_short(value)}"), level="warning") for name, value in left.items()
    )


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LISTED_CHARS else f"{text[:_LISTED_CHARS]}… (see the whole input)"
