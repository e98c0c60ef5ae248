"""Tests that fail when somebody adds a message of `chorus.mobile.v1` and forgets a step of its recipe."""

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from chorus.show.server.live.phone_actions import NEEDED
from chorus.show.wire.mobile.incoming import MobileSaid
from chorus.show.wire.mobile.outgoing import MobileBody

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "formats" / "mobile.md").read_text("utf-8")
SENT, SAID = get_args(MobileBody), get_args(MobileSaid)


def tag(struct):
    return str(struct.__struct_config__.tag)


def documented(heading):
    """Maps each type in the table below a heading of the page to the keys that its row names."""
    part = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line.split("|") for line in part.splitlines() if line.startswith("| `") and not line.startswith("| `type`")]
    return {kind: set(re.findall(r"`(\w+)`", row[2])) for row in rows for kind in re.findall(r"`(\w+)`", row[1])}


@pytest.mark.parametrize("struct", SENT, ids=tag)
def test_a_message_to_a_phone_is_documented(struct):
    """The page has a row for each message of the server, with all its keys."""
    keys = {each.encode_name for each in msgspec.structs.fields(struct)}

    assert keys <= documented("Messages of the server").get(tag(struct), set())


@pytest.mark.parametrize("struct", SAID, ids=tag)
def test_a_message_of_a_phone_is_documented(struct):
    """The page has a row for each message of a phone, with all its keys; the text above the table explains `ref`."""
    keys = {each.encode_name for each in msgspec.structs.fields(struct)} - {"ref"}

    assert keys <= documented("Messages of a phone").get(tag(struct), set())


def test_no_row_is_about_a_message_that_does_not_exist():
    """The tables of the page have no other types."""
    assert documented("Messages of the server").keys() == {tag(each) for each in SENT}
    assert documented("Messages of a phone").keys() == {tag(each) for each in SAID}


def test_each_message_of_a_phone_has_a_scope():
    """A message without a scope would end the socket that it comes from."""
    assert NEEDED.keys() == {tag(each) for each in SAID}


@pytest.mark.parametrize("struct", SENT, ids=tag)
def test_each_message_to_a_phone_is_made_somewhere(struct):
    """The server makes each message that the protocol has."""
    folders = [ROOT / "src" / "chorus" / "show" / name for name in ("wire/mobile", "server")]
    texts = [path.read_text("utf-8") for folder in folders for path in folder.rglob("*.py")]

    assert any(re.search(rf"(?<!class )\b{struct.__name__}\(", text) for text in texts)
