"""Logging in by a one-time link, and out; the state of the server."""

from typing import Any

from litestar import Request, get, post
from litestar.params import JSONBody
from litestar.response import Response

from chorus.show import wire
from chorus.show.server.context import Here
from chorus.show.server.edge.cookies import cookie, no_cookie
from chorus.show.server.edge.edge import login_of
from chorus.show.server.services.settings import shown


@post("/api/login", status_code=204)
async def login(served: Here, data: JSONBody[wire.Login]) -> Response[None]:
    """A session for the token of a one-time link, which is used up by that."""
    secret = await served.readers.aside(lambda: served.logins.redeem(data.token))
    return Response(None, status_code=204, headers={"set-cookie": cookie(served.port, secret)})


@post("/api/logout", status_code=204)
async def logout(served: Here, request: Request[Any, Any, Any]) -> Response[None]:
    """Ends the session, everywhere and for good."""
    who = login_of(request.scope)
    await served.readers.aside(lambda: served.logins.revoke(who))
    served.tickets.drop(who)
    await served.hub.close_login(who)
    return Response(None, status_code=204, headers={"set-cookie": no_cookie(served.port)})


@post("/api/ticket", status_code=200)
async def ticket(served: Here, request: Request[Any, Any, Any]) -> wire.Ticket:
    """What opens a live socket, once and soon."""
    return wire.Ticket(ticket=served.tickets.give(login_of(request.scope)))


@get("/api/status")
async def status(served: Here) -> wire.ServerStatus:
    """What the server does and holds."""
    return await served.progress.status()


@get("/api/settings")
async def settings(served: Here, request: Request[Any, Any, Any]) -> wire.SettingsShown:
    """How hooks, logins, prices and the client stand. Nothing of it can be changed here."""
    who = login_of(request.scope)
    return await served.readers.aside(lambda: shown(served.vault.root, served.logins, who))
