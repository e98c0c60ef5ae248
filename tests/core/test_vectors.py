"""Tests of rules that Python and the page share; `web/src/testing/vectors.test.ts` reads the same examples."""

import base64
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from chorus.core.protocol.pictures import picture
from chorus.core.replay.pace import pauses, played_times, real_time
from chorus.core.rules.rule import rule_id
from chorus.core.views.activity import activity, current_status
from chorus.core.views.safe import safe, safe_line
from chorus.errors import ChorusError
from chorus.show.server.edge.pairing import pairing_id
from chorus.steer.approvals.budgets.signed_budgets import BudgetChange
from chorus.steer.approvals.devices.signed_devices import DeviceChange, addition_bytes
from chorus.steer.approvals.rules.signed_rules import RuleChange
from chorus.steer.approvals.signed_text import text_entry_bytes
from chorus.steer.approvals.signing import PublicKey

VECTORS = Path(__file__).resolve().parents[2] / "web" / "src" / "testing" / "vectors"
NOW = datetime(2026, 2, 3, 12, tzinfo=UTC)


def vectors(name):
    return json.loads((VECTORS / name).read_text("utf-8"))


@pytest.mark.parametrize("vector", vectors("safe_text.json"), ids=lambda vector: ascii(vector["text"]))
def test_a_hidden_character_is_written_out(vector):
    """A control or hidden character is shown as an escape, in a text and on one line."""
    assert safe(vector["text"]) == vector["safe"]
    assert safe_line(vector["text"]) == vector["line"]


@pytest.mark.parametrize("vector", vectors("activities.json"), ids=lambda each: f"{each['status']}-{each['silent_s']}")
def test_what_a_conversation_is_current_status(vector):
    """The current status of a conversation depends on the last status in its records and on their age."""
    silent_s = vector["silent_s"]
    last = None if silent_s is None else (NOW - timedelta(seconds=silent_s)).isoformat()

    assert current_status(vector["status"], last, NOW) == vector["doing"]
    assert activity(vector["status"], last, NOW) == vector["activity"]


@pytest.mark.parametrize("vector", vectors("pictures.json"), ids=lambda vector: vector["base64"])
def test_a_picture_is_recognised_by_its_bytes(vector):
    """The client accepts only PNG, JPEG, GIF and WebP images, and their bytes decide."""
    data = base64.b64decode(vector["base64"])
    if vector["media_type"] is None:
        with pytest.raises(ChorusError):
            picture(data)
    else:
        assert picture(data).media_type == vector["media_type"]


@pytest.mark.parametrize("vector", vectors("replay.json"), ids=lambda vector: f"{vector['at_ms']}-{vector['idle_ms']}")
def test_a_long_pause_is_played_shorter_and_shown_as_it_was(vector):
    """In a replay, a pause above the limit takes as long as the limit, and its real length stays known."""
    shortened = [
        {"after": each.after, "real_ms": each.real_ms, "played_ms": each.played_ms}
        for each in pauses(vector["at_ms"], vector["idle_ms"])
    ]

    assert played_times(vector["at_ms"], vector["idle_ms"]) == vector["played_ms"]
    assert shortened == vector["pauses"]
    for position, time in vector["real_ms"]:
        assert real_time(vector["at_ms"], vector["played_ms"], position) == time


@pytest.mark.parametrize(
    "vector", vectors("signing.json"), ids=lambda each: f"{each['kind']}-{ascii(each['signed'])[-30:]}"
)
def test_what_is_signed_in_a_browser(vector):
    """The bytes that a browser signs for a rule, a budget or a device are those that are checked."""
    if vector["kind"] == "device":
        key = PublicKey(**vector["publicKey"])
        added = DeviceChange(
            action="add", id=vector["id"], at="", name=vector["name"], scope=vector["scope"], public_key=key,
            pairing=vector["pairing"],
        )  # fmt: skip
        assert addition_bytes(added).decode() == vector["signed"]
        assert pairing_id(vector["secret"]) == vector["pairing"]
        return
    kind = RuleChange if vector["kind"] == "rule" else BudgetChange
    change = msgspec.convert({name: vector[name] for name in ("action", "id", "at", "by", "text")}, kind)

    assert text_entry_bytes(change, vector["prev"]).decode() == vector["signed"]
    if vector["kind"] == "rule" and vector["text"]:
        assert rule_id(vector["text"]) == vector["id"]
