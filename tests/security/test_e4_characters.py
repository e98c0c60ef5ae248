"""Tests of E4: invalid and control characters pass from the file through the index to page, terminal and exports."""

import json

import pytest

from chorus.testing.builders import Session
from tests.cli.commands import run, run_json
from tests.show.server.serving import serving, until

CHARACTERS = {
    "half a character": "\\ud800",
    "the other half": "\\udfff",
    "halves in the wrong order": "\\udc00\\ud800",
    "nothing": "\\u0000",
    "a sequence of a terminal": "\\u009b2J\\u001b]0;x\\u0007",
    "characters that are none": "\\uffff\\ufffe\\ufdd0\\udbff\\udfff",
    "hidden ones": "\\u202e\\u2066\\u200b\\ufeff",
}
"""As JSON spells them."""


@pytest.mark.parametrize("spelled", CHARACTERS.values(), ids=CHARACTERS)
def test_they_are_kept_found_and_shown(tmp_path, monkeypatch, spelled):
    """The words beside the characters are found, no answer fails, and the vault stores the bytes of the file."""
    vault, client = tmp_path / "vault", tmp_path / "client"
    monkeypatch.setenv("CHORUS_HOME", str(vault))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(client))
    session = Session()
    session.user("lantern @ harbour")
    session.assistant("answer @ to it", "@")
    session.tool_result("toolu_@", "output @ of it")
    session.title("a title @ of it")
    path = client / "projects" / "-p" / f"{session.id}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(bytes(session).replace(b"@", spelled.encode()))

    assert run("sync").exit_code == 0
    for words in ("show",), ("show", "--markdown"), ("show", "--json"), ("stats",):
        shown = run(*words, path)
        assert (shown.exit_code, b"\x1b]" in shown.stdout_bytes, b"\x00" in shown.stdout_bytes) == (0, False, False)
        shown.stdout_bytes.decode()
    assert len(run_json("search", "harbour")["hits"]) == 1
    with serving(vault, client) as server:
        browser = server.browser()
        name = until(lambda: browser.get("/api/conversations").json.get("conversations"))[0]["name"]
        for what in ("", "/rows", "/outline", "/record?stream=session&at=0"):
            answer = browser.get(f"/api/conversations/{name}{what}")
            assert answer.status == 200
            json.loads(answer.body.decode())
        found = browser.get("/api/search?q=lantern")
        assert (found.status, len(found.json["hits"])) == (200, 1)
        assert b"lantern" in browser.get(f"/api/conversations/{name}/rows").body
    assert run("restore", session.id, "--to", tmp_path / "back").exit_code == 0
    assert (tmp_path / "back" / path.relative_to(client)).read_bytes() == path.read_bytes()
