"""Routes for the notifications of the device that asks: its rules, and its push subscription."""

from typing import Any

from litestar import Request, get, post
from litestar.params import JSONBody

from chorus.core.notifications.rules import NotificationRules
from chorus.show import wire
from chorus.show.server.context import Context
from chorus.show.server.edge.edge import login_of


@get("/api/notifications")
async def notifications(server: Context, request: Request[Any, Any, Any]) -> wire.NotificationSettings:
    """Returns the rules of this device, and the key to subscribe with."""
    who = login_of(request.scope)
    return await server.readers.in_thread(lambda: server.notifications.shown(who))


@post("/api/notifications", status_code=204)
async def change_notifications(
    server: Context, request: Request[Any, Any, Any], data: JSONBody[NotificationRules]
) -> None:
    """Replaces the rules of this device."""
    who = login_of(request.scope)
    await server.readers.in_thread(lambda: server.notifications.put_rules(who, data))


@post("/api/notifications/subscription", status_code=204)
async def subscribe(server: Context, request: Request[Any, Any, Any], data: JSONBody[wire.PushSubscription]) -> None:
    """From now on this device is notified by push."""
    who = login_of(request.scope)
    await server.readers.in_thread(lambda: server.notifications.subscribe(who, data))


@post("/api/notifications/unsubscribed", status_code=204)
async def unsubscribe(server: Context, request: Request[Any, Any, Any]) -> None:
    """From now on this device is notified only while a page is open."""
    who = login_of(request.scope)
    await server.readers.in_thread(lambda: server.notifications.unsubscribe(who))


@post("/api/notifications/trial", status_code=204)
async def try_out(server: Context, request: Request[Any, Any, Any]) -> None:
    """Sends a notification to this device now."""
    who = login_of(request.scope)
    await server.readers.in_thread(lambda: server.notifications.try_out(who))
