"""Tests of naming conversations of the vault by their ids in the commands that take sources."""

import json

import pytest

from chorus.cli.main import main
from chorus.cli.vault_ids import the_one
from chorus.errors import SourceUnreadable
from chorus.keep.vault.files import FileVault
from chorus.testing.builders.lines import SESSION_ID
from tests.cli.commands import run, run_json
from tests.keep.archive.vaults import OTHER_ID, client, keep, talk

ID = SESSION_ID[:8]


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Returns the live file of a session, with a vault as the home."""
    (path, _) = client(tmp_path / "claude", talk(), talk(OTHER_ID, title="Another"))
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", tmp_path / "claude")
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "vault"))
    monkeypatch.chdir(tmp_path)
    return path


def test_show_takes_an_id(kept):
    """`show` with eight characters of the id prints the same as with the live file."""
    assert run("show", ID).output == run("show", kept).output
    assert run("show", SESSION_ID.upper()).output.startswith("A talk\n")


def test_any_unique_beginning_of_an_id_is_enough(kept):
    """Four or more characters are enough if no other id begins with them, and fewer characters name nothing."""
    different = next(n for n in range(4, 36) if SESSION_ID[:n] != OTHER_ID[:n])
    for length in range(different, 36):
        assert run("show", SESSION_ID[:length]).output.startswith("A talk\n"), length
    with pytest.raises(SourceUnreadable, match="2 ids begin with this"):
        the_one(SESSION_ID[: different - 1], FileVault(kept.parents[3] / "vault"))
    with pytest.raises(SourceUnreadable):
        the_one(SESSION_ID[:3], FileVault(kept.parents[3] / "vault"))


def test_show_reads_what_the_client_deleted(kept):
    """The conversation is shown although the client deleted its file."""
    before = run("show", kept).output
    kept.unlink()

    assert run("show", ID).output == before


def test_read_takes_an_id(kept):
    """The records of every stream are printed with the names of conversation and stream."""
    lines = [json.loads(line) for line in run("read", ID).output.splitlines()]

    assert {line["source"] for line in lines} == {f"{SESSION_ID}/session", f"{SESSION_ID}/agent-a1b2c3"}
    live = [json.loads(line)["record"] for line in run("read", kept).output.splitlines()]
    assert [line["record"] for line in lines if line["source"].endswith("/session")] == live


def test_stats_of_an_id_are_those_of_its_files(kept):
    """The numbers of a recorded conversation are those of the files of its session and sub-agent."""
    files = [kept, *kept.with_suffix("").rglob("agent-*.jsonl")]

    assert run_json("stats", ID) == run_json("stats", *files)


def test_drift_takes_an_id(kept):
    """`drift` finds what the catalogue lacks in recorded streams, too."""
    with kept.open("ab") as file:
        file.write(b'{"type":"novelty","sessionId":"%s"}\n' % SESSION_ID.encode())
    root = kept.parents[3] / "vault"
    keep(FileVault(root), root, kept.parents[2])

    found = run("drift", ID)

    assert found.exit_code == 1 and "novelty" in found.output


def test_ids_and_files_can_be_mixed(kept):
    """A command that takes several sources accepts ids and files together."""
    assert run_json("stats", ID, kept)["files"] == 3


def test_a_file_of_that_name_wins(kept, tmp_path):
    """A file in the current folder takes precedence over an id."""
    (tmp_path / ID).write_bytes(bytes(talk(OTHER_ID, title="The file")))

    assert run("show", ID).output.startswith("The file\n")


@pytest.mark.parametrize("command", ["show", "read", "stats", "drift"])
def test_an_unknown_id_is_one_line(kept, command, capsys):
    """The error says that the id is unknown and names the command that lists the known ids."""
    assert main([command, "0badc0de"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("chorus: 0badc0de: no file, and no conversation with this id in ") and "chorus list" in line


def test_a_prefix_of_several_says_which(kept, tmp_path):
    """If several ids begin with the text, the error names them."""
    twin = "5e551011-ffff-4000-8000-000000000001"
    client(tmp_path / "more", talk(twin))
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", tmp_path / "more")

    with pytest.raises(SourceUnreadable, match="2 ids begin with this") as caught:
        run("show", ID)
    assert SESSION_ID in str(caught.value) and twin in str(caught.value)
    assert run("show", SESSION_ID).exit_code == 0


def test_a_missing_file_is_still_a_missing_file(kept, capsys):
    """A text that does not look like an id is a missing file and gives the usual error for one."""
    assert main(["read", "sessions.jsonl"]) == 2
    assert capsys.readouterr().err == "chorus: sessions.jsonl: No such file or directory\n"


def test_damage_is_said_and_the_rest_is_read(kept, tmp_path):
    """A damaged line is left out and reported on standard error, the rest is read, and the exit code is 2."""
    (path,) = (tmp_path / "vault" / "conversations").glob(f"*/main/{SESSION_ID}.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"damage\n", *lines[2:]]))

    for command in ("read", "stats", "drift"):
        shown = run(command, ID)
        assert shown.exit_code == 2 and "1 damaged line left out" in shown.stderr
    assert "Done." in run("show", ID).output


def test_the_vault_is_named_by_option(kept, tmp_path, monkeypatch):
    """`--vault` takes precedence over the home."""
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "none"))

    assert run("show", ID, "--vault", tmp_path / "vault").output.startswith("A talk\n")
    with pytest.raises(SourceUnreadable):
        run("show", ID)


def test_looking_leaves_the_vault_as_it_is(kept, tmp_path):
    """Reading by id writes nothing and does not unpack sealed files."""
    vault = FileVault(tmp_path / "vault")
    for key in list(vault.keys()):
        vault.seal(key)
    before = sorted((str(path), path.stat().st_mtime_ns) for path in (tmp_path / "vault").rglob("*"))

    assert run("show", ID).output.startswith("A talk\n")
    assert run("stats", ID).exit_code == 0
    assert sorted((str(path), path.stat().st_mtime_ns) for path in (tmp_path / "vault").rglob("*")) == before


def test_a_short_id_is_named_whole(kept, tmp_path):
    """A log that is named after its file is found by four characters of the name, and not by fewer."""
    (tmp_path / "notes.jsonl").write_bytes(b'{"type":"text","text":"Hello"}\n')
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", tmp_path / "notes.jsonl")

    assert "Hello" in run("show", "notes").output
    assert "Hello" in run("show", "note").output
    with pytest.raises(SourceUnreadable, match="not: no file, and no conversation"):
        run("show", "not")


def test_short_prefixes_are_refused(kept, tmp_path):
    """Where only an id is possible, fewer than four characters are refused."""
    vault = FileVault(tmp_path / "vault")

    assert the_one(ID, vault).id == SESSION_ID
    with pytest.raises(SourceUnreadable, match="at least 4"):
        the_one("5e5", vault)


def test_without_a_source_the_whole_vault_is_counted(kept):
    """`stats` and `drift` without a source count every recorded conversation, as if all were named."""
    ids = [each["id"] for each in run_json("list")["conversations"]]

    assert len(ids) > 1
    for command in ("stats", "drift"):
        assert run_json(command) == run_json(command, *ids)


@pytest.mark.parametrize("command", ["stats", "drift", "verify"])
def test_without_a_source_and_a_vault(command, tmp_path, capsys):
    """Without a vault, commands about the whole vault say so and what to do."""
    assert main([command, "--vault", str(tmp_path / "none")]) == 2
    assert "there is no vault here; `chorus sync` creates one" in capsys.readouterr().err
