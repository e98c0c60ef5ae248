"""Tests that every export format shows the same conversation, without planted secrets and without other changes."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from chorus.core.redaction.checking import forms
from chorus.core.redaction.choices import Choices
from chorus.core.views.transcript import rows as rows_of
from chorus.errors import ChorusError
from chorus.keep.archive.opening import open_kept
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.memory import MemoryVault
from chorus.show.exports import html_file
from chorus.show.exports.exporting import SUFFIXES, export
from chorus.show.exports.selection import Selection
from chorus.testing.builders import Session
from chorus.testing.builders.secrets import Secrets
from chorus.testing.indexes import SEEN_AT, WORKSPACE, keep, kept_in
from tests.core.redaction.encoded import FORMS, session_of, streamed
from tests.show.exports.reading import page_data, readable

PLANTED = list(Secrets(seed=23).all())
PNG = b64encode(
    bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489") + b"\0" * 40
).decode()


@pytest.fixture(autouse=True)
def bundle(monkeypatch, tmp_path):
    """Replaces the built application with a small one, because these tests are about the data."""
    folder = tmp_path / "exported"
    folder.mkdir()
    (folder / "exported.js").write_text("document.title = '<!-- </script> -->'")
    (folder / "exported.css").write_text("body{color:red}")
    monkeypatch.setattr(html_file.read_bundle, "__defaults__", (folder,))


def made(vault, form: Any = "html", selection=None, **choices):
    (kept,) = kept_in(vault)
    return export(vault, kept, form, Choices(**choices), selection, home=Path("/nowhere"), made_with="1.2.3")


def vault_of(session):
    vault = MemoryVault()
    keep(vault, session)
    return vault


def test_a_page_counts_each_hidden_value_once():
    """The page says how many values were replaced, as the list before it was written, however often each occurs."""
    session = Session()
    for _ in range(3):
        session.user(f"the token is {PLANTED[0].secret}")
    found = made(vault_of(session))

    assert json.loads(page_data(found.data))["replaced"] == len(found.findings) == 1


@pytest.mark.parametrize("form", SUFFIXES)
def test_no_planted_secret_is_in_a_file(form):
    """No format contains a planted secret: plain, escaped, in addresses, in base64, or split."""
    session = session_of(write(each) for each in PLANTED for write in FORMS.values())
    vault = vault_of(session)
    vault.append(StreamKey(WORKSPACE, "main", session.id, "run-1-out"), streamed(PLANTED), seen_at=SEEN_AT)
    found = made(vault, form)
    data = readable(found)
    left = [each.kind for each in PLANTED if any(form in data for form in forms(each.secret))]

    assert left == []
    assert {each.kind for each in PLANTED} - {each.rule.id for each in found.findings} == set()


def test_a_session_file_without_redaction_is_the_source():
    """An export of everything without redaction is the session file byte for byte."""
    session = session_of(each.line for each in PLANTED)

    assert made(vault_of(session), "session-file", is_on=False).data == bytes(session)


def test_a_page_has_the_rows_of_the_conversation():
    """The data of a page are the rows of the fold, thread by thread, and the facts about the conversation."""
    session = Session()
    session.user("Look around")
    session.assistant({"type": "tool_use", "id": "toolu_1", "name": "Task", "input": {"prompt": "look"}})
    agent = session.agent("a1b2c3", "toolu_1")
    agent.user("look")
    agent.assistant("seen")
    session.tool_result("toolu_1", "seen")
    session.assistant("Done.")
    vault = vault_of(session)
    file = json.loads(page_data(made(vault).data))
    (kept,) = kept_in(vault)
    conversation = open_kept(vault, kept)

    for thread in file["threads"]:
        wanted = [row.id for row in rows_of(conversation, thread["id"], nested=False)]
        assert [row["row"]["id"] for row in thread["rows"]] == wanted
    assert [thread["id"] for thread in file["threads"]] == ["", "a1b2c3"]
    assert file["detail"]["summary"]["id"] == session.id and file["made_with"] == "1.2.3"


def test_branches_say_what_they_continue():
    """The newest continuation is the active branch, and the file says which message each branch continues."""
    session = Session()
    first = session.user("one")
    session.assistant("first answer")
    session.leaf = first["uuid"]
    session.assistant("second answer")
    file = json.loads(page_data(made(vault_of(session)).data))
    old, new = file["branches"]

    assert (old["is_active"], new["is_active"]) == (False, True)
    assert old["above"] == new["above"]
    assert file["links"][old["head"]] == file["links"][new["head"]] == old["above"]


def test_images_are_in_the_page_or_left_out():
    """An image is in the file as a data address, and an export without images has it nowhere."""
    session = Session()
    source = {"type": "base64", "media_type": "image/png", "data": PNG}
    session.user([{"type": "text", "text": "see"}, {"type": "image", "source": source}])
    vault = vault_of(session)
    with_image, without = made(vault), made(vault, selection=Selection(has_images=False))

    assert list(json.loads(page_data(with_image.data))["images"].values()) == [f"data:image/png;base64,{PNG}"]
    assert [each.rule.id for each in with_image.findings] == ["image"]
    assert PNG.encode() not in readable(without) and without.findings == []


def test_a_range_and_parts_are_left_out():
    """Times, outputs and thinking that the selection leaves out are in no format."""
    session = Session()
    session.user("EARLY words")
    session.assistant({"type": "thinking", "thinking": "DEEP thought", "signature": "x"}, "answer")
    session.assistant({"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}})
    session.tool_result("toolu_1", "LONG output", toolUseResult={"stdout": "LONG output"})
    late = session.user("LATE words")
    vault = vault_of(session)
    for form in SUFFIXES:
        cut = readable(made(vault, form, Selection(has_tool_output=False, has_thinking=False)))
        assert b"LONG output" not in cut and b"DEEP thought" not in cut and b"EARLY" in cut
        only = readable(made(vault, form, Selection(since=late["timestamp"])))
        assert b"LATE words" in only and b"EARLY" not in only
        start = readable(made(vault, form, Selection(until=session.lines[0]["timestamp"])))
        assert b"EARLY" in start and b"LATE" not in start
    with pytest.raises(ChorusError, match="nothing of this conversation"):
        made(vault, "markdown", Selection(since="2199"))


def test_side_files_are_redacted_and_a_missing_one_is_named():
    """A long output is in the page without its secrets, and a side file that the vault lost is named in one line."""
    secret = PLANTED[0].secret
    session = Session()
    session.assistant({"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "x"}})
    path = f"/home/dev/.claude/projects/p/{session.id}/tool-results/out.txt"
    session.tool_result(
        "toolu_1", f"<persisted-output>\nOutput too large. Full output saved to: {path}\n</persisted-output>"
    )
    vault = vault_of(session)
    key = StreamKey(WORKSPACE, "main", session.id, "manifest")
    blob = vault.put_blob(f"begin {secret} end".encode())
    for name, held in (("out.txt", blob), ("gone.txt", "0" * 64)):
        fact = {"type": "side-file", "path": f"tool-results/{name}", "base": "session", "blob": held, "size": 10}
        vault.append(key, json.dumps(fact).encode() + b"\n", seen_at=SEEN_AT)
    found = made(vault)

    assert secret.encode() not in readable(found)
    assert found.missing == ["gone.txt: the vault no longer has this side file"]


def test_a_page_cannot_be_left_by_its_data():
    """Data, Markdown and title are escaped, and only the script with the known hash may run."""
    hostile = '</script><script>alert(1)</script><!-- </noscript><img src=x onerror=alert(2)> "quoted"'
    session = Session()
    session.user(hostile)
    session.title(hostile)
    page = made(vault_of(session)).data.decode()

    assert page.count("<script") == 2 and page.count("</script>") == 2 and page.count("</noscript>") == 1
    assert "<img" not in page and "default-src 'none'" in page and "unsafe" not in page
    assert "\\x3c!-- \\x3c/script> -->" in page


def test_the_name_of_a_file_is_harmless():
    """The file name comes from the title, without paths, control characters and special characters of a shell."""
    session = Session()
    session.user("x")
    session.title("../../etc; rm -rf ~ \x1b[31m $(id) é")
    name = made(vault_of(session), "markdown").file_name

    assert name.endswith("-etc-rm-rf-31m-id.md") and "/" not in name


@pytest.mark.parametrize("form", SUFFIXES)
def test_a_secret_in_the_description_of_an_image_is_in_no_file(form):
    """An image that has a secret among its bytes is replaced as a whole, and the rest of the file is readable."""
    secret = PLANTED[0].secret
    picture = bytes.fromhex("89504e470d0a1a0a0000000d49484452f3ff") + b"tEXtComment\0" + secret.encode() + b"\xff" * 99
    session = Session()
    source = {"type": "base64", "media_type": "image/png", "data": b64encode(picture).decode()}
    session.user([{"type": "text", "text": "BEFORE"}, {"type": "image", "source": source}])
    session.assistant("AFTER")
    found = made(vault_of(session), form)
    data = readable(found)

    assert [each for each in forms(secret) if each in data] == []
    assert b"BEFORE" in data and b"AFTER" in data and b64encode(picture) not in data
    assert PLANTED[0].kind in {each.rule.id for each in found.findings}
