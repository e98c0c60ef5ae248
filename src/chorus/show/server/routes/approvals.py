"""Routes for permission requests: their cards, their answers, and the approvers."""

from typing import Annotated, Any

from litestar import Request, get, post
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec import structs

from chorus.base import config
from chorus.errors import IndexDamaged
from chorus.find.index.port import Index
from chorus.find.search.annotations import load_annotations
from chorus.find.search.titles import titles
from chorus.show import wire
from chorus.show.server.context import Context, ServerContext
from chorus.show.server.edge.edge import device_of
from chorus.steer.approvals.visible_text import make_visible_line

_Settled = Annotated[int, QueryParameter(ge=0, le=100)]


@get("/api/approvals")
async def approvals(server: Context, settled: _Settled = 0) -> wire.Approvals:
    """Returns the pending requests, oldest first, and up to `settled` settled ones, newest first."""
    found = await server.readers.in_thread(lambda: server.approvals.approvals(settled=settled))
    return structs.replace(found, cards=await _titled(server, found.cards))


@post("/api/approvals/{request_id:str}", status_code=200)
async def answer(server: Context, request_id: FromPath[str], data: JSONBody[wire.ApprovalAnswer]) -> wire.ApprovalCard:
    """Decides a request, once. Any login may deny; to allow needs an approver's signature of exactly this request."""
    card = await server.readers.in_thread(lambda: server.approvals.answer(request_id, data))
    return (await _titled(server, (card,)))[0]


@get("/api/approvers")
async def approvers(server: Context) -> wire.Approvers:
    """Returns the approvers, and the browsers that wait to become approvers."""
    return await server.readers.in_thread(server.approvals.approvers)


@post("/api/approvers", status_code=200)
async def enrol(
    server: Context, request: Request[Any, Any, Any], data: JSONBody[wire.EnrolmentAsked]
) -> wire.Approvers:
    """Makes this browser the first approver; if there is one already, it waits until an approver signs for it."""
    device = device_of(request.scope)
    return await server.readers.in_thread(lambda: server.approvals.enrol(data, device))


@post("/api/approvers/changes", status_code=200)
async def change(server: Context, data: JSONBody[wire.ApproverChange]) -> wire.Approvers:
    """Admits a waiting browser or removes an approver; an approver must have signed the change."""
    return await server.readers.in_thread(lambda: server.approvals.change(data))


async def _titled(server: ServerContext, cards: tuple[wire.ApprovalCard, ...]) -> tuple[wire.ApprovalCard, ...]:
    """Adds the titles of conversations and the names of workspaces to cards; without an index there are no titles."""
    names = {card.conversation for card in cards if card.conversation is not None}

    def look(index: Index) -> dict[str, str]:
        annotations = load_annotations(server.vault)
        return {name: make_visible_line(title) for name, title in titles(index, names, annotations).items()}

    if not names:
        return cards
    workspaces = await server.readers.in_thread(lambda: config.workspace_names(server.vault.root))
    try:
        found = await server.readers.run(look)
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
