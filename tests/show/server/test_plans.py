"""Tests that the plan file of a conversation reaches its page."""

from chorus.testing.builders import Session, lay_out
from tests.show.server.serving import serving, until


def test_the_page_has_the_plan_that_the_slug_names(tmp_path):
    """The page has the plan as it was last stored, and a conversation without a plan has none."""
    planned = Session("0b0e0c1a-0000-4000-8000-000000000001", slug="brave-dancing-otter")
    planned.user("plan it")
    planned.assistant("planned", stop="end_turn")
    plain = Session("0b0e0c1a-0000-4000-8000-000000000002")
    plain.user("just do it")
    plain.assistant("done", stop="end_turn")
    folder = tmp_path / "client"
    lay_out(folder, planned, plan="# The plan\n\n1. Dance")
    lay_out(folder, plain)
    with serving(tmp_path / "home", folder) as server:
        browser = server.browser()

        def plans():
            rows = browser.get("/api/conversations").json.get("conversations") or []
            found = {row["title"]: browser.get(f"/api/conversations/{row['name']}").json["plan"] for row in rows}
            return found if len(found) == 2 else None

        found = until(plans)
        assert found["just do it"] is None
        assert found["plan it"]["markdown"] == "# The plan\n\n1. Dance"
