"""Tests rules over the wire: anybody tries them, and only an approver switches one on or off."""

from typing import Literal

import pytest

from chorus.core.rules.rule import rule_id
from chorus.steer.approvals.rules.signed_rules import RuleChange
from chorus.steer.approvals.signed_text import text_entry_bytes
from chorus.steer.approvals.signing import Signer
from chorus.testing.builders import Session, lay_out, tool_use
from tests.show.server.serving import serving, until
from tests.show.server.test_approvals import enrolled, now

LS = 'allow command:"ls *"'


@pytest.fixture
def here(places):
    """A browser of a server that recorded one session with three calls."""
    vault, client = places
    session = Session()
    session.user("Look around")
    for number in range(3):
        session.assistant(tool_use("Bash", {"command": f"ls -{number}"}, id=f"toolu_{number}"))
        session.tool_result(f"toolu_{number}", "ok")
    lay_out(client, session)
    with serving(vault, client) as served:
        browser = served.browser()
        until(lambda: browser.get("/api/conversations").json.get("conversations"))
        yield browser


@pytest.fixture(scope="module")
def key() -> Signer:
    return Signer("a key of the tests", b"s" * 32)


def change(browser, key, text, action: Literal["add", "remove"] = "add", head=None):
    """Sends a signed change of the rules."""
    given = text if action == "add" else ""
    made = RuleChange(action=action, id=rule_id(text), at=now(), text=given, by=key.id)
    signed = text_entry_bytes(made, head or browser.get("/api/rules").json["head"])
    body = {"action": action, "id": made.id, "at": made.at, "text": given, "by": key.id, "signature": key.sign(signed)}
    return browser.post("/api/rules", body)


def test_a_rule_is_tried_and_suggested(here):
    """What a rule would have decided is counted and listed, and history suggests rules; nothing is switched on."""
    found = until(lambda: (tried := here.post("/api/rules/test", {"text": LS}).json)["cases"] == 3 and tried)
    assert (found["allowed"], found["unasked"], found["text"], found["id"]) == (3, 3, LS, rule_id(LS))
    assert [each["title"] for each in found["shown"]] == ["Bash ls -0", "Bash ls -1", "Bash ls -2"]
    assert here.get("/api/rules/suggestions").json["suggestions"] == [{"text": LS, "approved": 0, "ran": 3}]
    assert here.get("/api/rules").json["rules"] == []
    assert here.post("/api/rules/test", {"text": "allow tool:Bash"}).status == 400


def test_only_an_approver_switches_a_rule_on_and_off(here, key):
    """A change counts with the signature of an approver over exactly this list; any other is refused."""
    assert change(here, key, LS).status == 403, "nobody is an approver yet"
    enrolled(here, key)
    other = Signer("another key", b"t" * 32)

    assert change(here, other, LS).status == 403
    assert change(here, key, LS, head="1" * 64).status == 403
    assert change(here, key, LS, action="remove").status == 403
    added = change(here, key, LS)
    assert [(each["text"], each["by"], each["trouble"]) for each in added.json["rules"]] == [(LS, "my browser", None)]
    assert change(here, key, LS).status == 403, "there is such a rule already"
    assert change(here, key, LS, action="remove").json["rules"] == []
