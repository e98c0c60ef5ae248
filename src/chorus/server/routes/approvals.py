"""Permission requests: the cards, the answers, and who may give them."""

from typing import Annotated

from litestar import get, post
from litestar.params import FromPath, JSONBody, QueryParameter

from chorus import wire
from chorus.server.served import Here

_Settled = Annotated[int, QueryParameter(ge=0, le=100)]


@get("/api/approvals")
async def approvals(served: Here, settled: _Settled = 0) -> wire.Approvals:
    """Those that wait, the oldest first; and so many of those that are settled, the newest first."""
    return await served.readers.aside(lambda: served.desk.approvals(settled=settled))


@post("/api/approvals/{request_id:str}", status_code=200)
async def answer(served: Here, request_id: FromPath[str], data: JSONBody[wire.ApprovalAnswer]) -> wire.ApprovalCard:
    """Decides a request, once. Anybody may deny; to allow takes an approver's signature of exactly this."""
    return await served.readers.aside(lambda: served.desk.answer(request_id, data))


@get("/api/approvers")
async def approvers(served: Here) -> wire.Approvers:
    """Who may approve, and who would like to."""
    return await served.readers.aside(served.desk.approvers)


@post("/api/approvers", status_code=200)
async def enrol(served: Here, data: JSONBody[wire.EnrolmentAsked]) -> wire.Approvers:
    """Makes this browser the first approver, or lets it wait until one signs for it."""
    return await served.readers.aside(lambda: served.desk.enrol(data))


@post("/api/approvers/changes", status_code=200)
async def change(served: Here, data: JSONBody[wire.ApproverChange]) -> wire.Approvers:
    """Lets in who waits, or lets an approver go: signed by an approver."""
    return await served.readers.aside(lambda: served.desk.change(data))
