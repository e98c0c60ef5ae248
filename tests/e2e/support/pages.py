"""Every page of the application, for tests and pictures that must not leave one out."""

from urllib.parse import quote

from playwright.sync_api import Page

from tests.e2e.support import worlds
from tests.e2e.support.opening import LISTED

MAX_UNKNOWN = 3


def every_page(page: Page) -> dict[str, str]:
    """Returns a name for each page → its address, with the conversations of `worlds`, else with the first ones."""
    listed = page.evaluate(LISTED)
    known = {worlds.NAMES[each["id"]]: _path(each["name"]) for each in listed if each["id"] in worlds.NAMES}
    shown = known or {str(at): _path(each["name"]) for at, each in enumerate(listed[:MAX_UNKNOWN], 1)}
    found = {
        # Without the empty query, a phone would open its start page.
        "conversations": "/?q=",
        "now": "/now",
        "filtered": "/?q=tide",
        "search": "/search?q=wind",
        "search-nothing": "/search?q=zeppelin",
        "search-wrong": "/search?q=%22open",
        "board": "/board",
        "approvals": "/approvals",
        "rules": "/rules",
        "budgets": "/budgets",
        "usage": "/usage",
        "new": "/new",
        "settings": "/settings",
        "pair": "/pair",
        "missing": "/c/no/such/conversation",
        **{f"transcript-{name}": path for name, path in shown.items()},
    }
    if len(listed) > 1:
        a, b = (quote(each["name"], safe="") for each in listed[:2])
        found["compare"] = f"/compare?a={a}&b={b}"
    if shown:
        path = shown.get("edits", next(iter(shown.values())))
        workspace = path.split("/")[2]
        found |= {"files": f"{path}/files", "changes": f"{path}/changes", "blame": f"/blame/{workspace}?file=tides.py"}
    return found


def _path(name: str) -> str:
    return "/c/" + "/".join(quote(part, safe="") for part in name.split("/"))
