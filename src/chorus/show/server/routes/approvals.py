"""Permission requests: the cards, the answers, and who may give them."""

from typing import Annotated

from litestar import get, post
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec import structs

from chorus.base import config
from chorus.errors import IndexDamaged
from chorus.find.index.port import Index
from chorus.find.search.annotations import said_of
from chorus.find.search.titles import titles
from chorus.show import wire
from chorus.show.server.context import Here, Served
from chorus.steer.approvals.visible_text import make_visible_line

_Settled = Annotated[int, QueryParameter(ge=0, le=100)]


@get("/api/approvals")
async def approvals(served: Here, settled: _Settled = 0) -> wire.Approvals:
    """Those that wait, the oldest first; and so many of those that are settled, the newest first."""
    found = await served.readers.aside(lambda: served.approvals.approvals(settled=settled))
    return structs.replace(found, cards=await _titled(served, found.cards))


@post("/api/approvals/{request_id:str}", status_code=200)
async def answer(served: Here, request_id: FromPath[str], data: JSONBody[wire.ApprovalAnswer]) -> wire.ApprovalCard:
    """Decides a request, once. Anybody may deny; to allow takes an approver's signature of exactly this."""
    card = await served.readers.aside(lambda: served.approvals.answer(request_id, data))
    return (await _titled(served, (card,)))[0]


@get("/api/approvers")
async def approvers(served: Here) -> wire.Approvers:
    """Who may approve, and who would like to."""
    return await served.readers.aside(served.approvals.approvers)


@post("/api/approvers", status_code=200)
async def enrol(served: Here, data: JSONBody[wire.EnrolmentAsked]) -> wire.Approvers:
    """Makes this browser the first approver, or lets it wait until one signs for it."""
    return await served.readers.aside(lambda: served.approvals.enrol(data))


@post("/api/approvers/changes", status_code=200)
async def change(served: Here, data: JSONBody[wire.ApproverChange]) -> wire.Approvers:
    """Lets in who waits, or lets an approver go: signed by an approver."""
    return await served.readers.aside(lambda: served.approvals.change(data))


async def _titled(served: Served, cards: tuple[wire.ApprovalCard, ...]) -> tuple[wire.ApprovalCard, ...]:
    """The cards with the names of their conversations and workspaces; without an index, as far as they are known."""
    names = {card.conversation for card in cards if card.conversation is not None}

    def look(index: Index) -> dict[str, str]:
        said = said_of(served.vault)
        return {name: make_visible_line(title) for name, title in titles(index, names, said).items()}

    if not names:
        return cards
    workspaces = await served.readers.aside(lambda: config.workspace_names(served.vault.root))
    try:
        found = await served.readers.run(look)
    except IndexDamaged:
        found = {}
    return tuple(
        card
        if card.conversation is None
        else structs.replace(
            card,
            conversation_title=found.get(card.conversation),
            workspace_name=make_visible_line(workspaces.of(card.conversation.partition("/")[0], _folder(card))),
        )
        for card in cards
    )


def _folder(card: wire.ApprovalCard) -> str | None:
    return next((fact.text for fact in card.facts if fact.name == "folder"), None)
