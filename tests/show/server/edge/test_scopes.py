"""Tests what paired devices may do, route by route."""

import re
from typing import cast

from litestar import get
from litestar.routes import HTTPRoute

from chorus.show.server import app
from chorus.show.server.context import ServerContext
from chorus.show.server.edge.asgi import App
from chorus.show.server.edge.edge import Edge
from chorus.show.server.edge.limits import Limits
from chorus.show.server.edge.scopes import DECLARED, AccessScope, scopes_of
from tests.show.server.edge.test_edge import OPEN, _routes
from tests.show.server.outside import PORT, Outside, name, own

READS_BY_POST = {
    *("/api/logout", "/api/ticket", "/api/notifications", "/api/notifications/subscription"),
    *("/api/notifications/unsubscribed", "/api/notifications/trial"),
}
"""What a device that only reads may post: what belongs to its own login."""
NOT_READ_BY_DEVICES = {
    *("/api/devices", "/api/rules/suggestions", "/api/conversations/workspace/agent/conversation/leaving"),
}
"""What is read on the computer alone."""
_ONE = "/api/conversations/workspace/agent/conversation"
NOT_POSTED_BY_DEVICES = {
    *("/api/approvers/changes", "/api/budgets", "/api/budgets/test", "/api/rules", "/api/rules/test"),
    *("/api/devices/pairing", "/api/devices/pairing/answer", "/api/devices/device_id/rename"),
    *("/api/devices/device_id/revoke", f"{_ONE}/changes/undo", f"{_ONE}/changes/undo/preview"),
    *(f"{_ONE}/export", f"{_ONE}/export/preview", f"{_ONE}/forget"),
}
"""What is posted on the computer alone, whatever the scope of a device is."""


class Reached(Exception):  # noqa: N818 - no error
    """The request passed the check of its scope."""


def _context() -> ServerContext:
    raise Reached


def _statuses(tmp_path, scope: frozenset[AccessScope] | None, *more) -> dict[tuple[str, str], int]:
    """Returns what each route answers to a device with these scopes; 500 means that it was let in."""
    api = app.make(_context, *more)
    outside = Outside(cast("App", api), tmp_path)
    outside.edge = Edge(
        cast("App", api),
        cast("App", api),
        outside.logins,
        port=PORT,
        limits=Limits(),
        device_scopes=lambda _device: scope,
    )
    cookie = (b"cookie", f"{name(PORT)}={outside.logins.begin('phone')}".encode())
    return {
        (method, path): outside.ask(kind, method, path, own(kind, method, cookie))
        for kind, method, path in _routes(api)
        if kind == "http" and method != "OPTIONS" and (method, path) not in OPEN
    }


def test_a10_a_device_that_reads_can_only_read(tmp_path):
    """A10: every route that posts, except what belongs to its own login, is closed to a device that reads."""
    found = _statuses(tmp_path, frozenset({"read"}))
    assert len(found) > 60
    posting = {path: status for (method, path), status in found.items() if method == "POST"}
    assert {path for path, status in posting.items() if status != 403} == READS_BY_POST
    reading = {path: status for (method, path), status in found.items() if method == "GET"}
    assert {path for path, status in reading.items() if status == 403} == NOT_READ_BY_DEVICES


def test_a10_scopes_grow_one_by_one(tmp_path):
    """A10: a device that steers may do more than one that reads, and one that approves more, and none everything."""
    allowed = []
    for number, scopes in enumerate((["read"], ["read", "steer"], ["read", "steer", "approve"])):
        found = _statuses(tmp_path / str(number), cast("frozenset[AccessScope]", frozenset(scopes)))
        allowed.append({route for route, status in found.items() if status != 403})
    assert allowed[0] < allowed[1] < allowed[2]
    assert ("POST", "/api/runs") in allowed[1] - allowed[0]
    assert ("POST", "/api/approvals/request_id") in allowed[2] - allowed[1]
    refused = {path for (method, path), status in found.items() if method == "POST" and status == 403}
    assert refused == NOT_POSTED_BY_DEVICES, "a new route needs a decision: add it to edge/scopes.py, or to this list"


def test_a_new_route_is_closed_to_devices(tmp_path):
    """A route that is on no list of scopes answers 403 to a device with every scope, even if it only reads."""

    @get("/api/new")
    async def new() -> str:
        return "a transcript"

    scopes = cast("frozenset[AccessScope]", frozenset({"read", "steer", "approve"}))
    assert _statuses(tmp_path, scopes, new)["GET", "/api/new"] == 403


def test_a_revoked_device_reaches_nothing(tmp_path):
    """T8: each route answers 401 to a device that was revoked, although its session still exists."""
    assert set(_statuses(tmp_path, None).values()) == {401}


def test_every_declared_route_exists():
    """No list of scopes opens an address that has no route: a later route could be open by accident."""
    existing = {
        (method, re.sub(r"\{[^}]*\}", "*", path))
        for route in app.make(_context).routes
        if isinstance(route, HTTPRoute)
        for method, path in ((str(method), route.path_format) for method in route.methods)
    }
    assert set(DECLARED) <= existing


def test_a_request_that_was_not_admitted_has_no_scope():
    """A request that did not pass the edge has no scope, even if it claims one."""
    assert scopes_of({"type": "websocket", "scopes": ["approve"]}) == frozenset()
