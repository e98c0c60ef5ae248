"""Runs axe-core on a page as it is served.

axe is evaluated through the debugger in an isolated world: it sees the elements of the page, the page does not see axe,
and the page keeps its Content-Security-Policy and Trusted Types. The policy would refuse a script tag, and a page
without the policy would not be the page that people get.
"""

from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tools.node import npm_packages

MANIFEST = Path(__file__).resolve().parents[3] / "tools" / "npm" / "axe"
IMPACTS = ("serious", "critical")
ANY_IMPACT = ("minor", "moderate", *IMPACTS)
RUN = 'axe.run(document, {resultTypes: ["violations", "incomplete"]})'


def findings(page: Page, impacts: tuple[str, ...] = IMPACTS) -> list[str]:
    """Returns what prevents people from using the page: one line per element, with rule, impact, place and reason."""
    return [
        f"{found['id']} ({found['impact']}) at {' '.join(map(str, node['target']))}: {_why(node)}"
        for found in audit(page)["violations"]
        if found["impact"] in impacts
        for node in found["nodes"]
    ]


def audit(page: Page) -> dict[str, Any]:
    """Returns the whole report of axe about the page."""
    debugger = page.context.new_cdp_session(page)
    try:
        frame = debugger.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = debugger.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "axe"})
        for source in (_axe(), RUN):
            call = {"expression": source, "contextId": world["executionContextId"], "awaitPromise": True}
            outcome = debugger.send("Runtime.evaluate", {**call, "returnByValue": source is RUN})
            if "exceptionDetails" in outcome:
                raise AssertionError(f"axe could not run: {outcome['exceptionDetails']}")
        return outcome["result"]["value"]
    finally:
        debugger.detach()


def _why(node: dict[str, Any]) -> str:
    return "; ".join(check["message"] for check in node["any"] + node["all"] + node["none"])


@cache
def _axe() -> str:
    return (npm_packages(MANIFEST) / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
