"""Routes for logging in by a one-time link, logging out, and the status of the server."""

from typing import Any

from litestar import Request, get, post
from litestar.params import JSONBody
from litestar.response import Response

from chorus.show import wire
from chorus.show.server.context import Context
from chorus.show.server.edge.cookies import cookie, no_cookie
from chorus.show.server.edge.edge import is_encrypted, login_of
from chorus.show.server.services.settings import shown


@post("/api/login", status_code=204)
async def login(server: Context, data: JSONBody[wire.Login]) -> Response[None]:
    """Exchanges the token of a one-time link for a session."""
    secret = await server.readers.in_thread(lambda: server.logins.redeem(data.token))
    return Response(None, status_code=204, headers={"set-cookie": cookie(server.port, secret)})


@post("/api/logout", status_code=204)
async def logout(server: Context, request: Request[Any, Any, Any]) -> Response[None]:
    """Ends the session permanently and closes its sockets."""
    who = login_of(request.scope)
    await server.readers.in_thread(lambda: server.logins.revoke(who))
    await server.readers.in_thread(lambda: server.notifications.drop_login(who))
    server.tickets.drop(who)
    await server.hub.close_login(who)
    return Response(
        None, status_code=204, headers={"set-cookie": no_cookie(server.port, is_tls=is_encrypted(request.scope))}
    )


@post("/api/ticket", status_code=200)
async def ticket(server: Context, request: Request[Any, Any, Any]) -> wire.Ticket:
    """Returns a ticket that opens one live socket within half a minute."""
    return wire.Ticket(ticket=server.tickets.give(login_of(request.scope)))


@get("/api/status")
async def status(server: Context) -> wire.ServerStatus:
    """Returns what the server does, what it watches and what its vault contains."""
    return await server.progress.status()


@get("/api/settings")
async def settings(server: Context, request: Request[Any, Any, Any]) -> wire.SettingsShown:
    """Returns the state of hooks, logins, prices and the client. Nothing of it can be changed here."""
    who = login_of(request.scope)
    return await server.readers.in_thread(lambda: shown(server.vault.root, server.logins, server.devices, who))
