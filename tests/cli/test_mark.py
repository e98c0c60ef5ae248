"""Tests of `chorus mark` and of finding and showing annotations."""

import pytest

from chorus.errors import ChorusError
from chorus.find.indexing.index_keeper import make_stale
from chorus.keep.vault.files import FileVault
from chorus.library.vault import Vault
from chorus.testing.builders.lines import SESSION_ID
from tests.cli.at_a_terminal import at_a_terminal
from tests.cli.commands import run, run_json
from tests.keep.archive.vaults import OTHER_ID, client, keep, talk


@pytest.fixture
def home(tmp_path, monkeypatch):
    newer = talk(OTHER_ID, title="Newer", start="2026-02-01T00:00:00.000Z", cwd="/home/dev/other")
    client(tmp_path / "claude", talk(), newer)
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", tmp_path / "claude")
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "vault"))
    return tmp_path / "vault"


def listed(*words: str) -> list[str]:
    return [each["id"] for each in run_json("list", *words)["conversations"]]


def test_what_was_said_is_found(home):
    """A conversation is found by star, tags, and words of title and note, with other fields and after a rebuild."""
    before = (home / "conversations").rglob("*.jsonl*")
    bytes_before = {path: path.read_bytes() for path in before}
    run("mark", SESSION_ID, "--star", "--tag", "Release", "--title", "Wobbly checkout", "--note", "ask Zelda first")

    for _ in range(2):
        for query in ("is:starred", "tag:release", "tag:rel*", "wobbly", "zelda", "release", "wobbly is:starred"):
            assert listed(query) == [SESSION_ID], query
        assert listed("wobbly workspace:work") == [SESSION_ID]
        for query in ("tag:rel", "wobbly -is:starred", "wobbly workspace:other", "wobbly zebra", "is:archived"):
            assert listed(query) == [], query
        assert listed("-is:starred") == listed("-tag:release") == [OTHER_ID]
        assert listed("status:idle,done,quiet,interrupted") == [OTHER_ID, SESSION_ID]
        make_stale(FileVault(home))
        run("index")
    assert {path: path.read_bytes() for path in bytes_before} == bytes_before
    assert run_json("search", "zelda")["described"] == [
        {"conversation": SESSION_ID, "title": "Wobbly checkout", "workspace_name": "work"}
    ]
    assert "Wobbly checkout" in run("search", "zelda").output


def test_archived_ones_are_left_out(home):
    """A list leaves archived conversations out and says so. `is:archived` and a search still find them."""
    run("mark", OTHER_ID, "--archive")
    assert listed() == [SESSION_ID] and listed("is:archived") == [OTHER_ID]
    assert "1 archived conversation left out: `chorus list is:archived`" in run("list").output
    assert "archived" in run("list", "is:archived").output
    assert {each["conversation"] for each in run_json("search", "look")["hits"]} == {SESSION_ID, OTHER_ID}
    run("mark", OTHER_ID, "--unarchive")
    assert listed() == [OTHER_ID, SESSION_ID]


def test_it_is_shown_and_nothing_steers_the_terminal(home):
    """Hostile titles, tags and notes are escaped wherever they are shown, and a removed annotation is gone."""
    bad = "\x1b[31mred\u202e\x07"
    run("mark", SESSION_ID, "--title", bad, "--tag", bad, "--note", f"{bad}\nsecond", "--star")
    for command in (["mark", SESSION_ID], ["list"], ["search", "red"], ["cost", "--by", "conversation"]):
        shown = run(*command).output
        assert "\x1b" not in shown and "\u202e" not in shown and "\x07" not in shown and "red" in shown, command
    assert "★" in run("list").output
    _, narrow = at_a_terminal("list", environment={"COLUMNS": "60", "CHORUS_PAGER": "cat"})
    assert "★" in narrow
    said = run_json("mark", SESSION_ID, "--title", "", "--untag", bad, "--note", "")
    assert said == {
        "conversation": SESSION_ID, "title": None, "starred": True, "archived": False, "tags": [], "note": None,
    }  # fmt: skip
    with pytest.raises(ChorusError, match="not a tag"):
        run("mark", SESSION_ID, "--untag", "none")


def test_a_given_title_is_shown_wherever_a_conversation_is_named(home):
    """Reports of usage, and the question before a conversation is forgotten, show the title that a person gave."""
    run("mark", SESSION_ID, "--title", "Mine")

    usage = run_json("usage", "--by", "conversation")
    assert "Mine" in {line["label"] for line in usage["tables"][0]["rows"]}
    assert "Mine" in {line["label"] for line in usage["dearest_conversations"]}
    assert "Mine" in run("forget", SESSION_ID, "--dry-run").stdout


@pytest.mark.parametrize(
    "command", [("show",), ("show", "--markdown"), ("compare", OTHER_ID), ("replay", "--cast", "-")]
)
def test_a_given_title_heads_what_is_opened(home, command):
    """A conversation that is shown, compared or played has the title that a person gave it."""
    run("mark", SESSION_ID, "--title", "Mine")

    assert "Mine" in run(command[0], SESSION_ID, *command[1:]).stdout


def test_a_given_title_heads_the_context_of_a_hit(home):
    """`chorus context` names the conversation by the title that a person gave it."""
    run("mark", SESSION_ID, "--title", "Mine")
    run("search", "is:prompt")

    assert [run("context", number).stdout.splitlines()[0] for number in ("1", "2")] == ["Newer", "Mine"]


def test_the_library_does_the_same(home):
    """`Vault.annotate` stores an annotation, `Vault.annotation` returns it, and rows show the person's own title."""
    vault = Vault(home)
    vault.annotate(SESSION_ID, title="Mine", tags=["a"], starred=True)
    assert vault.annotation(SESSION_ID[:8]).title == "Mine"
    assert [(row.id, row.title, row.own_title) for row in vault.conversations("tag:a")] == [
        (SESSION_ID, "Mine", "A talk")
    ]


def test_forgetting_takes_it_along(home):
    """Forgetting a conversation also removes its annotations."""
    run("mark", SESSION_ID, "--note", "a secret")
    run("forget", SESSION_ID, "--yes")
    assert b"a secret" not in (home / "state" / "annotations.jsonl").read_bytes()
    assert listed("secret") == []
