"""What a login may do: read, steer agents, or also approve requests.

Browsers of this computer may do everything. A paired device may do what its scope says. A route that no list below
names is closed to every device, so that a new route has to be opened on purpose.
"""

import re
from collections.abc import Iterable, Mapping
from typing import cast

from chorus.show.server.errors import Refused
from chorus.steer.approvals.devices.signed_devices import SCOPES, AccessScope

EVERY_SCOPE: frozenset[AccessScope] = frozenset(SCOPES)
GRANTED = "chorus.scopes"
"""The key under which the edge notes the scopes of a request."""
_ONE = "/api/conversations/*/*/*"
_READS = (
    *("/api/status", "/api/settings", "/api/conversations", "/api/facets", "/api/search", "/api/complete"),
    *("/api/compare", "/api/usage", "/api/usage/file", "/api/board", "/api/runs", "/api/places", "/api/rules"),
    *("/api/approvals", "/api/approvers", "/api/notifications", "/api/panes/*/screen", "/api/workspaces/*/blame"),
    *("/api/budgets", "/api/panes"),
    *(_ONE, f"{_ONE}/rows", f"{_ONE}/row", f"{_ONE}/outline", f"{_ONE}/locate", f"{_ONE}/find", f"{_ONE}/record"),
    *(f"{_ONE}/image", f"{_ONE}/side-file", f"{_ONE}/changes", f"{_ONE}/changes/diff", f"{_ONE}/files"),
    *(f"{_ONE}/files/diff", f"{_ONE}/files/blame", f"{_ONE}/files/content", f"{_ONE}/replay"),
    *(f"{_ONE}/replay/moments", f"{_ONE}/replay/state", f"{_ONE}/replay/step"),
)
_OWN = (
    *("/api/logout", "/api/ticket", "/api/notifications", "/api/notifications/subscription"),
    *("/api/notifications/unsubscribed", "/api/notifications/trial"),
)
"""What changes nothing but the device's own login and notifications."""
_STEERS = (
    *(f"{_ONE}/annotation", "/api/runs", "/api/runs/resumed", "/api/runs/*/messages", "/api/runs/*/interrupt"),
    *("/api/runs/*/stop", "/api/runs/*/restart", "/api/runs/*/settings", "/api/panes/*/go"),
)
_APPROVES = ("/api/approvals/*", "/api/approvers")
_LISTS: tuple[tuple[str, tuple[str, ...], AccessScope], ...] = (
    ("GET", _READS, "read"),
    ("POST", _OWN, "read"),
    ("POST", _STEERS, "steer"),
    ("POST", _APPROVES, "approve"),
)
DECLARED = {(method, shape): scope for method, shapes, scope in _LISTS for shape in shapes}
"""Method and address of a route, with `*` for a name → the scope that a device needs."""


def scopes_of(request: Mapping[str, object]) -> frozenset[AccessScope]:
    """Returns what the login of an admitted request or socket may do; nothing if it was not admitted."""
    return cast("frozenset[AccessScope]", request.get(GRANTED, frozenset()))


def check_scope(method: str, path: str, granted: frozenset[AccessScope]) -> None:
    """Raises `Refused` if a device with these scopes may not use a route."""
    needed = needed_scope(method, path)
    if needed is None:
        raise Refused(403, "not_allowed", "This can be done on the computer itself only.")
    if needed not in granted:
        own = max(granted, key=SCOPES.index, default="nothing")
        words = f"This device was paired to {own}. To {needed}, pair it again on the computer, under Settings."
        raise Refused(403, "not_allowed", words)


def needed_scope(method: str, path: str) -> AccessScope | None:
    """Returns the scope that a device needs for a route; None if it is closed to devices."""
    known = "GET" if method == "HEAD" else method
    return next((scope for (each, shape), scope in _SHAPES if each == known and shape.fullmatch(path)), None)


def _compiled(
    declared: Iterable[tuple[tuple[str, str], AccessScope]],
) -> list[tuple[tuple[str, re.Pattern[str]], AccessScope]]:
    return [
        ((method, re.compile(re.escape(path).replace(r"\*", "[^/]+"))), scope) for (method, path), scope in declared
    ]


_SHAPES = _compiled(DECLARED.items())
