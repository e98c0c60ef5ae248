"""Takes the pictures of the README and the documentation, with synthetic sessions of several agents.

`python tools/showcase.py` writes them into `docs/pictures`.
"""

import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from playwright.sync_api import Page, sync_playwright  # noqa: E402 - the tool runs without an installed package

from chorus.testing.builders import Session, thinking, tool_use  # noqa: E402
from chorus.testing.builders.lines import Clock, Ids, usage  # noqa: E402
from tests.e2e.support.entering import log_in  # noqa: E402
from tests.e2e.support.serving import Serving  # noqa: E402
from tools import browser as browsers  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
OPUS, SONNET, HAIKU = "claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"
VIEW = {"width": 1440, "height": 900}
_PENDING = {"Editing": "Edit", "Running": "Bash"}
TALKS = (
    ("Rounding of refunds is off by a cent", "checkout", "fix/refund-rounding", OPUS, 20, "main", 412_000),
    ("Move the sessions table to its own schema", "backend", "schema/sessions", OPUS, 55, "Editing", 1_840_000),
    ("Flaky: test_reconnect fails one run in fifty", "backend", "main", SONNET, 95, "Running", 640_000),
    ("Which endpoints still accept the old token?", "gateway", "main", HAIKU, 240, "Asking", 96_000),
    ("Plan: nightly export to Parquet", "warehouse", "main", OPUS, 3 * 3600, "Done", 2_310_000),
    ("Upgrade to React 19", "storefront", "chore/react-19", SONNET, 5 * 3600, "Done", 3_900_000),
    ("Why is the cold start 900 ms slower?", "gateway", "perf/cold-start", OPUS, 26 * 3600, "Done", 1_120_000),
    ("Write the incident report for Tuesday", "runbooks", "main", SONNET, 30 * 3600, "Done", 180_000),
    ("Deploy to staging", "checkout", "release/4.2", HAIKU, 31 * 3600, "Failed", 54_000),
    ("A dark theme for the admin pages", "storefront", "feat/dark", SONNET, 52 * 3600, "Done", 980_000),
    ("Delete the feature flags of last year", "backend", "chore/flags", HAIKU, 75 * 3600, "Done", 310_000),
    ("Index for the slow orders query", "warehouse", "perf/orders", OPUS, 99 * 3600, "Done", 760_000),
)


def talks() -> list[Session]:
    made = []
    for number, (title, folder, branch, model, ago_s, what, cached) in enumerate(TALKS):
        session_id = f"5a0e{number:04x}-0000-4000-8000-000000000001"
        begun = datetime.now(UTC) - timedelta(seconds=ago_s + (90 if ago_s < 600 else 900))
        clock = Clock(f"{begun:%Y-%m-%dT%H:%M:%S}.000Z", step_ms=9_000)
        talk = Session(
            session_id, cwd=f"/home/ada/{folder}", branch=branch, model=model, clock=clock, ids=Ids(session_id)
        )
        talk.title(title)
        _main(talk) if what == "main" else _short(talk, title, what, cached)
        made.append(talk)
    return made


def _short(talk: Session, title: str, what: str, cached: int) -> None:
    talk.user(title)
    talk.assistant("I will look into it.", stop="tool_use", tokens=usage(given=900, said=2_400, cache_read=cached))
    tokens = usage(given=900, said=300, cache_read=min(cached // 12, 150_000))
    call = f"toolu_{talk.id[:8]}"
    if tool := _PENDING.get(what):
        asked = {"command": "pytest -q -k reconnect --count 50", "file_path": "/home/ada/backend/schema.py"}
        talk.assistant(tool_use(tool, asked, id=call), stop="tool_use", tokens=tokens)
    elif what == "Asking":
        options = [{"label": "Refuse it", "description": ""}, {"label": "Warn until March", "description": ""}]
        question = {
            "question": "Three endpoints accept it. What should they do?",
            "header": "Token",
            "options": options,
        }
        asked = {"questions": [{**question, "multiSelect": False}]}
        talk.assistant(tool_use("AskUserQuestion", asked, id=call), stop="tool_use", tokens=tokens)
    elif what == "Failed":
        talk.assistant("API Error: 529 overloaded", isApiErrorMessage=True)
    else:
        talk.assistant("Done.", stop="end_turn", tokens=tokens)


def _main(talk: Session) -> None:
    """Adds a whole turn: thinking, a search, a diff, a test run, a to-do list."""
    talk.user("Refunds of three items come out one cent short. Find out why, and fix it with a test.")
    talk.assistant(
        thinking("Shares are rounded one by one; the cents that are lost are given to nobody."),
        "The shares of a refund are rounded **one by one**, so up to `n - 1` cents get lost. Let me see where.",
        tokens=usage(given=1_100, said=420, cache_read=88_000),
    )
    talk.assistant(tool_use("Grep", {"pattern": "round\\(", "path": "checkout/refunds.py"}, id="toolu_g"))
    talk.tool_result("toolu_g", "checkout/refunds.py:31:    return [round(total * part) for part in parts]")
    before = "    return [round(total * part) for part in parts]"
    after = (
        "    shares = [floor(total * part) for part in parts]\n"
        "    # What rounding left over goes to the largest shares, a cent each.\n"
        "    for at in largest(parts)[: total - sum(shares)]:\n"
        "        shares[at] += 1\n"
        "    return shares"
    )
    path = "/home/ada/checkout/refunds.py"
    patch = {
        "oldStart": 29,
        "oldLines": 3,
        "newStart": 29,
        "newLines": 7,
        "lines": [
            " def shares_of(total: int, parts: Sequence[Fraction]) -> list[int]:",
            '     """The cents of a refund that fall to each part."""',
            f"-{before}",
            *(f"+{line}" for line in after.split("\n")),
        ],
    }
    talk.assistant(tool_use("Edit", {"file_path": path, "old_string": before, "new_string": after}, id="toolu_e"))
    talk.tool_result(
        "toolu_e", f"The file {path} has been updated.", structured={"filePath": path, "structuredPatch": [patch]}
    )
    command = {"command": "pytest -q tests/test_refunds.py", "description": "Run the tests of refunds"}
    talk.assistant(tool_use("Bash", command, id="toolu_b"))
    talk.tool_result(
        "toolu_b", "\x1b[32m................\x1b[0m                         [100%]\n\x1b[32m16 passed\x1b[0m in 0.42s"
    )
    talk.assistant(
        "Fixed: what rounding leaves over goes to the largest shares, a cent each.\n\n"
        "| refund | parts | before | now |\n|---|---|---|---|\n| 1.00 | 3 × ⅓ | 0.99 | **1.00** |",
        stop="end_turn",
        tokens=usage(given=300, said=510, cache_read=92_000),
    )
    talk.user("Good. Are the old refunds wrong, too?")
    talk.assistant(
        tool_use(
            "Bash",
            {"command": "psql -f audit/refunds.sql", "description": "Count refunds that are short"},
            id="toolu_p",
        ),
        stop="tool_use",
        tokens=usage(given=200, said=120, cache_read=94_000),
    )


def take(page: Page, address: str, name: str, *, opens: tuple[str, ...] = ()) -> None:
    page.goto(address)
    page.wait_for_load_state("networkidle")
    for each in opens:
        page.locator(f"[data-call={each}] button[aria-expanded=false]").first.click()
    page.evaluate("document.activeElement.blur()")
    page.mouse.move(0, 0)
    page.wait_for_timeout(600)
    page.screenshot(path=PICTURES / f"{name}.png", animations="disabled")


def main() -> int:
    PICTURES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as place:
        browser = browsers.launch(playwright)
        server = Serving(Path(place))
        server.write(*talks())
        server.start()
        try:
            context = browsers.context(browser, server.url, browsers.DEAD, viewport=VIEW, color_scheme="light")
            page = context.new_page()
            log_in(page, server)
            page.get_by_role("button", name="Dismiss").click()
            take(page, server.url + "/", "conversations")
            take(page, server.url + "/board", "board")
            listed = page.evaluate("async () => (await fetch('/api/conversations')).json()")["conversations"]
            name = next(each["name"] for each in listed if each["title"] == TALKS[0][0])
            take(page, f"{server.url}/c/{name}", "transcript", opens=("toolu_e", "toolu_b"))
        finally:
            server.kill()
        browser.close()
    print(f"three pictures in {PICTURES}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
