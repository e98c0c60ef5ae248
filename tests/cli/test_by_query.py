"""Tests of naming conversations by a query, or by a number of the last search, in every command that takes an id."""

import json

import pytest

from chorus.cli.main import main
from chorus.cli.named_by_query import is_path, is_query
from chorus.errors import QueryError, SourceUnreadable
from chorus.keep.vault.files import FileVault
from chorus.testing.builders.lines import SESSION_ID
from tests.cli.commands import run, run_json, run_process
from tests.keep.archive.vaults import OTHER_ID, client, keep, talk


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home with two conversations in different workspaces."""
    other = talk(OTHER_ID, title="Another", start="2026-02-01T00:00:00.000Z", cwd="/home/dev/shop")
    other.user("only here: xyzzy")
    client(tmp_path / "claude", talk(), other)
    keep(FileVault(tmp_path / "home"), tmp_path / "home", tmp_path / "claude")
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def kept_ids(home):
    return {each["id"] for each in run_json("list")["conversations"]}


@pytest.mark.parametrize("source", ["workspace:shop", "xyzzy", '"only here"', "only xyzzy", "after:2026-02-01", "xyz*"])
def test_show_takes_what_only_one_answers(home, source):
    """`show` takes a field, a word, a phrase or several words and shows the only conversation that answers."""
    assert run("show", source).output == run("show", OTHER_ID).output


def test_counting_commands_take_a_query(home):
    """`stats`, `read` and `drift` take a query and use the conversation that answers."""
    assert run_json("stats", "workspace:shop") == run_json("stats", OTHER_ID)
    assert run("read", "xyzzy").output == run("read", OTHER_ID).output
    assert run("drift", "xyzzy").output == run("drift", OTHER_ID).output


def test_a_query_may_begin_with_what_it_excludes(home, tmp_path):
    """`cost`, `stats`, `usage` and `export` take `-word` as a part of the query, and refuse a mistyped option."""
    for command in ("cost", "stats", "usage"):
        assert run_json(command, "-nowhere") == run_json(command, "-workspace:nowhere"), command
    assert "2 conversations" in run_process("export", "-nowhere", "--dry-run").stderr.decode()
    for command in ("cost", "stats", "usage", "export"):
        assert main([command, "--jsn" if command != "export" else "--jsom", "xyzzy"]) == 2


def test_restore_takes_a_query(home, tmp_path):
    """`restore` writes the files of the conversation that answers."""
    assert run_json("restore", "xyzzy", "--to", tmp_path / "back")["conversation"] == OTHER_ID


def test_of_several_the_newest_are_listed_and_numbered(home, capsys):
    """The error lists the conversations with title, age and workspace, and then a number names one of them."""
    assert main(["show", "look around"]) == 2
    _, head, first, second, error = capsys.readouterr().err.splitlines()

    assert head.split() == ["Number", "Id", "Age", "Workspace", "Title"]
    assert first.split()[:2] == ["1", OTHER_ID] and " d  shop  " in first and first.endswith("  Another")
    assert second.split()[:2] == ["2", SESSION_ID] and second.endswith("  A talk")
    assert error == (
        "chorus: look around: 2 conversations answer this; "
        "write a longer query, or choose one by its number: chorus show 2"
    )
    assert run("show", 2).output == run("show", SESSION_ID).output


def test_a_number_of_the_last_search(home):
    """A number names the conversation of that hit in every command."""
    run("search", "xyzzy")

    assert run("show", 1, "--markdown").output == run("show", OTHER_ID, "--markdown").output
    assert run_json("stats", 1) == run_json("stats", OTHER_ID)


def test_a_file_or_an_id_of_that_name_wins(home, tmp_path):
    """A file in the current folder, or a conversation with the number as its name, takes precedence over a hit."""
    run("search", "xyzzy")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "1.jsonl").write_bytes(b'{"type":"text","text":"By its name"}\n')
    keep(FileVault(home), home, tmp_path / "logs")
    assert "By its name" in run("show", "1").output

    (tmp_path / "1").write_bytes(bytes(talk(title="The file")))
    assert run("show", "1").output.startswith("The file\n")


@pytest.mark.parametrize("command", ["show", "stats", "restore", "forget"])
def test_a_number_that_there_is_not(home, command, capsys):
    """A number without a hit gives an error that says what numbers mean."""
    assert main([command, "3"]) == 2
    assert "no hit of the last search has this number" in capsys.readouterr().err


def test_a_hit_that_was_forgotten(home):
    """The number of a forgotten conversation names nothing."""
    run("search", "xyzzy")
    last = home / "cache" / "last-search.json"
    remembered = last.read_bytes()
    run("forget", OTHER_ID, "--yes")
    assert not last.exists()
    last.write_bytes(remembered)

    with pytest.raises(SourceUnreadable, match="no longer in the vault"):
        run("show", 1)


def test_nothing_answers(home, capsys):
    """If nothing answers, a query gets an error about conversations, and a path is a missing file."""
    assert main(["show", "tool:Nope"]) == 2
    assert "no conversation in" in capsys.readouterr().err
    for missing in ("dir/xyzzy", "./xyzzy", "xyzzy.jsonl"):
        assert main(["read", missing]) == 2
        assert capsys.readouterr().err == f"chorus: {missing}: No such file or directory\n"


def test_a_mistake_in_a_query_is_pointed_at(home):
    """Text in the form of a query is parsed as one. A pattern without a word names nothing."""
    with pytest.raises(QueryError, match="did you mean"):
        run("show", "tol:Bash")
    with pytest.raises(SourceUnreadable, match="no file, and no conversation"):
        run("show", "*")


def test_an_id_that_others_speak_of_is_not_theirs(home, tmp_path, capsys):
    """An unknown id stays unknown, even if a conversation mentions it."""
    speaks = talk("5e551013-0000-4000-8000-000000000003")
    speaks.user("see 0badc0de")
    client(tmp_path / "claude", speaks)
    keep(FileVault(home), home, tmp_path / "claude")
    assert len(run_json("search", "0badc0de")["hits"]) == 1

    assert main(["show", "0badc0de"]) == 2
    assert "no conversation with this id" in capsys.readouterr().err


def test_forget_asks_for_what_a_query_names(home):
    """`forget` shows the conversation and asks even with --yes, because the query may name another one next time."""
    for source in ("xyzzy", "1"):
        run("search", "xyzzy")
        outcome = run("forget", source, "--yes", given="n\n")
        assert outcome.exit_code == 1 and OTHER_ID in outcome.stdout
        assert outcome.stdout.endswith("Nothing was removed.\n")
    assert kept_ids(home) == {SESSION_ID, OTHER_ID}

    assert run("forget", "xyzzy", given="y\n").exit_code == 0
    assert kept_ids(home) == {SESSION_ID}
    assert run_json("search", "xyzzy")["hits"] == []


def test_forget_takes_no_more_than_one_by_a_query(home, capsys):
    """If several conversations answer, none is removed.

    A text with a star is a pattern of paths and ids, not a query.
    """
    assert main(["forget", "look around", "--yes"]) == 2
    assert main(["forget", "loo* around", "--yes"]) == 2
    assert kept_ids(home) == {SESSION_ID, OTHER_ID}


def test_without_an_index_one_is_made(home):
    """A command with an id needs no index, and a command with a query builds one."""
    assert run("show", OTHER_ID[:8]).exit_code == 0 and not (home / "index").exists()
    assert run("show", "xyzzy").exit_code == 0 and (home / "index" / "index.db").is_file()


@pytest.mark.parametrize(
    ("source", "form"),
    [
        ("workspace:x", "query"),
        ("cost>1", "query"),
        ("cost > 1", "query"),
        ("-tool:Bash", "query"),
        ("tol:Bash", "query"),
        ("regex:/a/", "query"),
        ("file:/etc/x", "query"),
        ("two words", "query"),
        ("src/main.py timeout", "query"),
        ("word", "either"),
        ("main.py", "either"),
        ("a/b", "path"),
        ("/a b/c", "path"),
        ("./a b", "path"),
        ("~/x", "path"),
        ("my talk.jsonl", "path"),
        ("C:\\x", "path"),
        ("http://x/y", "path"),
    ],
)
def test_forms(source, form):
    """Some texts can only be a query, some can only be a path, and some are tried as both."""
    assert (is_query(source), is_path(source)) == (form == "query", form == "path")


def test_the_json_of_a_read_by_query_is_the_conversation_s(home):
    """`read` names lines after the conversation and not after the query."""
    lines = [json.loads(line) for line in run("read", "xyzzy").output.splitlines()]

    assert {line["source"].partition("/")[0] for line in lines} == {OTHER_ID}


@pytest.mark.parametrize("command", ["show", "read", "stats", "drift", "cost", "usage", "replay", "compare"])
@pytest.mark.parametrize("word", ["fix", "nothing-like-it", "nothing*"])
def test_a_word_that_nothing_answers_is_no_missing_file_alone(home, capsys, command, word):
    """Every command that takes sources says of a word that it is no file, and that no conversation answers it."""
    assert main([command, word, word] if command == "compare" else [command, word]) == 2
    assert f"{word}: no file, and no conversation in " in capsys.readouterr().err
