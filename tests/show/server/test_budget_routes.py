"""Tests budgets over the wire: how much of each is used, what a new one would mean, and signed changes."""

from typing import Literal

import pytest

from chorus.core.budgets.budget_text import read_budget
from chorus.keep.vault.keys import workspace_id
from chorus.steer.approvals.budgets.signed_budgets import BudgetChange
from chorus.steer.approvals.signed_text import text_entry_bytes
from chorus.steer.approvals.signing import Signer
from chorus.testing.builders import Session, lay_out
from chorus.testing.builders.lines import CWD, Clock
from tests.show.server.serving import serving, until
from tests.show.server.test_approvals import enrolled, now

DAY, EVER = "day money:50", "workspace tokens:1000"


@pytest.fixture
def here(places):
    """A browser of a server that recorded one session, which used 900 tokens today."""
    vault, client = places
    session = Session(clock=Clock(now()), model="claude-sonnet-4-5-20250929")
    session.user("Look around")
    session.assistant("I looked.", tokens={"input_tokens": 400, "output_tokens": 500}, stop="end_turn")
    lay_out(client, session)
    with serving(vault, client) as served:
        browser = served.browser()
        until(lambda: browser.get("/api/conversations").json.get("conversations"))
        yield browser


@pytest.fixture(scope="module")
def key() -> Signer:
    return Signer("a key of the tests", b"s" * 32)


def change(browser, key, text, action: Literal["set", "remove"] = "set", head=None):
    """Sends a signed change of the budgets."""
    budget = read_budget(text)
    given = budget.text if action == "set" else ""
    made = BudgetChange(action=action, id=budget.id, at=now(), text=given, by=key.id)
    signed = text_entry_bytes(made, head or browser.get("/api/budgets").json["head"])
    body = {"action": action, "id": made.id, "at": made.at, "text": given, "by": key.id, "signature": key.sign(signed)}
    return browser.post("/api/budgets", body)


def test_a_budget_is_tried_before_it_is_set(here, key):
    """Trying says where a budget would count and how much is used already; nothing is set."""
    found = here.post("/api/budgets/test", {"text": "workspace tokens:1k"}).json
    assert (found["text"], found["replaces"], found["more"]) == ("workspace tokens:1000", None, 0)
    (amount,) = found["amounts"]
    assert amount["use"]["words"] == "900 of 1.0k tokens for this workspace"
    assert (amount["use"]["state"], amount["use"]["share"], amount["conversation"]) == ("warning", 0.9, None)
    assert workspace_id(CWD).startswith(amount["label"])
    assert here.get("/api/budgets").json["budgets"] == []
    assert here.post("/api/budgets/test", {"text": "workspace"}).status == 400


def test_only_an_approver_sets_and_removes_a_budget(here, key):
    """A change counts with the signature of an approver over exactly this list; any other is refused."""
    assert change(here, key, EVER).status == 403, "nobody is an approver yet"
    enrolled(here, key)
    other = Signer("another key", b"t" * 32)

    assert change(here, other, EVER).status == 403
    assert change(here, key, EVER, head="1" * 64).status == 403
    assert change(here, key, EVER, action="remove").status == 403
    found = change(here, key, EVER).json["budgets"]
    assert [(each["text"], each["by"], each["only_restricts"]) for each in found] == [(EVER, "my browser", False)]
    assert here.post("/api/budgets/test", {"text": "workspace tokens:5k"}).json["replaces"] == EVER
    both = change(here, key, DAY).json["budgets"]
    assert [[use["use"]["words"] for use in each["amounts"]] for each in both] == [
        ["900 of 1.0k tokens for this workspace"],
        ["$0.0087 of $50.00 for today"],
    ]
    assert [each["text"] for each in change(here, key, EVER, action="remove").json["budgets"]] == [DAY]
