"""Tests of `chorus list`, which lists the recorded conversations."""

import shutil
from datetime import UTC, datetime

import pytest

from chorus.cli.age import age
from chorus.core.views.activity import current_status
from chorus.errors import QueryError
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session
from chorus.testing.builders.lines import SESSION_ID
from tests.cli.commands import run, run_json
from tests.keep.archive.vaults import OTHER_ID, client, forgetful, keep, talk


@pytest.fixture
def home(tmp_path):
    newer = talk(OTHER_ID, title="Newer\x1b[31m", start="2026-02-01T00:00:00.000Z", cwd="/home/dev/other")
    client(tmp_path / "claude", talk(), newer)
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", tmp_path / "claude")
    return tmp_path / "vault"


def test_newest_first_with_what_a_person_looks_for(home):
    """Each row has id, title, workspace and sub-agents, newest first, and no text acts on the terminal."""
    shown = run("list", "--vault", home)
    lines = shown.output.splitlines()

    assert shown.exit_code == 0 and "\x1b" not in shown.output
    assert lines[1].split()[0] == OTHER_ID and lines[1].endswith("Newer\\x1b[31m")
    assert lines[2].split()[0] == SESSION_ID and lines[2].endswith("A talk")
    assert " work " in lines[2] and "work-" not in lines[2]
    assert "1 sub-agent" in lines[2] and len(lines) == 3


def test_the_json_shape(home):
    """The JSON has the documented keys, newest first, and the total number."""
    found = run_json("list", "--vault", home)
    newest = found["conversations"][0]

    assert found["total"] == 2 and [each["id"] for each in found["conversations"]] == [OTHER_ID, SESSION_ID]
    assert list(newest) == [
        "id",
        "title",
        "workspace",
        "workspace_name",
        "agent",
        "cwd",
        "started_at",
        "ended_at",
        "status",
        "progress",
        "messages",
        "sub_agents",
        "tokens",
        "copied_tokens",
        "is_lower_bound",
        "cost_usd",
        "why_no_cost",
        "reported_usd",
        "size_bytes",
        "only_prompts",
        "streams",
        "first_prompt",
        "starred",
        "archived",
        "tags",
        "note",
        "pane",
    ]
    assert (newest["cwd"], newest["sub_agents"], newest["only_prompts"]) == ("/home/dev/other", 1, False)
    assert newest["started_at"] == "2026-02-01T00:00:00.000Z" and newest["tokens"]["output"] > 0
    assert newest["streams"] == ["agent-a1b2c3", "manifest", "session"]


def test_the_same_with_and_without_an_index(home):
    """The first command builds the index. The answer stays the same, also after the index is damaged."""
    first = run_json("list", "--vault", home)

    assert (home / "index" / "index.db").is_file()
    assert run_json("list", "--vault", home) == first
    (home / "index" / "index.db").write_bytes(b"spoiled")
    assert run_json("list", "--vault", home) == first


def test_those_that_answer_a_query(home):
    """Words, fields and sequences choose conversations, and a workspace narrows the choice."""

    def listed(*words):
        return [each["id"] for each in run_json("list", "--vault", home, *words)["conversations"]]

    assert listed("look", "around") == [OTHER_ID, SESSION_ID]
    assert listed("workspace:other") == [OTHER_ID]
    assert listed("before:2026-02-01", "tool:Bash") == [SESSION_ID]
    assert listed("tool:Bash -> tool:Agent") == [OTHER_ID, SESSION_ID]
    assert listed("tool:Bash -> tool:Agent", "--workspace", "work") == [SESSION_ID]
    assert listed("look -nowhere", "--workspace", "/home/dev/work/") == [SESSION_ID]
    assert listed("-around") != [] and listed("zebra") == []


def test_a_query_without_answers_says_so(home):
    """The message for a query without an answer differs from the message for an empty vault."""
    assert run("list", "--vault", home, "zebra").output == "No conversation answers this.\n"


def test_a_mistake_in_the_query_is_an_error(home):
    """A mistake in the query is an error that points at it, and the text is not searched for."""
    with pytest.raises(QueryError, match="did you mean"):
        run("list", "--vault", home, "tol:Bash")


def test_the_total_is_printed_where_it_is_known(home):
    """The total is known for all conversations, and for a query only if all answers are listed."""
    assert run_json("list", "--vault", home, "--limit", 1)["total"] == 2
    assert run_json("list", "--vault", home, "look")["total"] == 2
    assert run_json("list", "--vault", home, "look", "--limit", 1)["total"] is None
    shown = run("list", "--vault", home, "look", "--limit", 1).output
    assert shown.endswith("1 conversation, and there are more; --limit 0 lists all\n")


def test_damage_is_marked(home):
    """The row of a conversation with damaged lines says how many."""
    (path,) = (home / "conversations").glob(f"*/main/{SESSION_ID}.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"damage\n", *lines[2:]]))

    assert "1 damaged line" in run("list", "--vault", home).output


def test_a_conversation_of_which_nothing_can_be_read_is_listed_as_damaged(home):
    """Such a conversation is in the list with the status "damaged" and not with a status of waiting."""
    for path in (home / "conversations").rglob("*.jsonl"):
        path.write_bytes(b"damage\n")
    shutil.rmtree(home / "index", ignore_errors=True)

    found = run_json("list", "--vault", home)["conversations"]

    assert {(each["title"], each["status"]) for each in found} == {("(nothing readable)", "damaged")}
    assert "damaged" in run("list", "--vault", home).output


def test_limit_and_workspace(home):
    """`--limit` cuts the list and says so, and `--workspace` takes a part of the workspace id."""
    assert run("list", "--vault", home, "--limit", 1).output.endswith("1 of 2 conversations; --limit 0 lists all\n")
    assert [each["id"] for each in run_json("list", "--vault", home, "--workspace", "work")["conversations"]] == [
        SESSION_ID
    ]
    assert len(run_json("list", "--vault", home, "--limit", 0)["conversations"]) == 2


def test_a_stub_is_marked(tmp_path):
    """The list marks a conversation of which only prompts are left."""
    forgetful(tmp_path / "claude", SESSION_ID, "First prompt")
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", tmp_path / "claude")

    assert "only prompts recorded" in run("list", "--vault", tmp_path / "vault").output
    assert run_json("list", "--vault", tmp_path / "vault")["conversations"][0]["title"] == "First prompt"


def test_an_empty_vault_says_what_to_do_and_makes_nothing(tmp_path):
    """On an empty vault, the list names the next step and creates no file."""
    shown = run("list", "--vault", tmp_path / "none")

    assert shown.exit_code == 0 and "chorus sync" in shown.output
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("time", "said"),
    [
        ("2026-01-01T11:59:30.000Z", "0 m"),
        ("2026-01-01T11:00:00.000Z", "1 h"),
        ("2025-12-25T12:00:00.000Z", "7 d"),
        ("2027-01-01T00:00:00.000Z", "0 m"),
        (None, ""),
        ("nonsense", ""),
    ],
)
def test_ages_are_short(time, said):
    """An age has one unit, and a time that cannot be parsed is left out."""
    assert age(time, datetime(2026, 1, 1, 12, tzinfo=UTC)) == said


@pytest.mark.parametrize(
    ("status", "last", "told"),
    [
        ("thinking", "2026-02-03T11:55:00Z", "thinking"),
        ("running", "2026-02-03T11:49:00Z", "quiet"),
        ("editing", None, "quiet"),
        ("waiting for permission", "2026-02-03T01:00:00Z", "waiting for permission"),
        ("waiting for permission", "2026-02-02T23:00:00Z", "quiet"),
        ("done", "2025-02-03T12:00:00Z", "done"),
        ("damaged", None, "damaged"),
    ],
)
def test_who_wrote_nothing_for_long_is_at_work_no_more(status, last, told):
    """A conversation whose records end in the middle of work counts as quiet after a long time."""
    assert current_status(status, last, datetime(2026, 2, 3, 12, tzinfo=UTC)) == told


def test_a_session_that_ended_in_the_middle_is_listed_as_quiet(tmp_path):
    """The table shows the current status, and the JSON shows the status in the records."""
    session = Session(SESSION_ID)
    session.user("Paint the boat.")
    client(tmp_path / "claude", session)
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", tmp_path / "claude")

    assert " quiet " in run("list", "--vault", tmp_path / "vault").output
    assert run_json("list", "--vault", tmp_path / "vault")["conversations"][0]["status"] == "thinking"
