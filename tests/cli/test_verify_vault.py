"""Tests of `chorus verify` without a source, which checks the whole vault."""

import pytest

from chorus.cli.main import main
from chorus.errors import ChorusError
from tests.cli.commands import run, run_json
from tests.support.keeping import SESSION, client_folder, files

KEYS = ["streams", "lines", "bytes", "damaged", "sources", "identical"]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home into which `chorus sync` has recorded a client's folder."""
    client_folder(tmp_path / "claude")
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    run("sync")
    return tmp_path / "home"


def test_what_sync_kept_is_whole(home):
    """After a sync, nothing is damaged, every source is equal, and the exit code is 0."""
    outcome = run("verify")
    found = run_json("verify")

    assert outcome.exit_code == 0 and ": complete\n" in outcome.stdout
    assert list(found) == KEYS
    assert (found["streams"], found["damaged"], found["identical"]) == (3, [], True)
    assert found["sources"] == {"equal": 2, "ahead": 0, "differs": 0, "gone": 0}


def test_damage_is_located(home):
    """A changed byte is reported with its stream and line, and the exit code is 1."""
    (path,) = (home / "conversations").rglob(f"{SESSION}.jsonl")
    path.write_bytes(path.read_bytes().replace(b"bye", b"bYe", 1))
    outcome = run("verify", "--json")
    (damage,) = run_json("verify")["damaged"]

    assert outcome.exit_code == 1
    assert damage["stream"].endswith(f"/main/{SESSION}/session") and damage["line"] == 5
    shown = run("verify").stdout
    assert "1 damaged; the rest can be read" in shown and damage["stream"] in shown


def test_rewritten_sources_are_listed(home, tmp_path):
    """A source that no longer begins with the recorded bytes is listed, and that is not damage."""
    (source,) = (tmp_path / "claude").rglob(f"{SESSION}.jsonl")
    source.write_bytes(b"{}\n")
    outcome = run("verify")

    assert outcome.exit_code == 0 and "to record a new revision" in outcome.stdout and str(source) in outcome.stdout


def test_another_vault_can_be_named(home, tmp_path):
    """--vault names the vault to check."""
    run("sync", "--vault", tmp_path / "other")
    for path in files(home / "conversations"):
        path.write_bytes(b"damaged\n")

    assert run("verify", "--vault", tmp_path / "other").exit_code == 0
    assert run("verify").exit_code == 1


def test_no_vault_is_an_error(tmp_path, capsys):
    """Without a vault, an error says what to do, and no file is created."""
    assert main(["verify", "--vault", str(tmp_path / "none")]) == 2
    assert "there is no vault here" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_an_end_that_was_cut_off_is_taken_again(home, tmp_path):
    """If a file was cut at any line, `verify` and `doctor` report it, `restore` refuses, and `sync` repairs it."""
    (path,) = (home / "conversations").rglob(f"{SESSION}.jsonl")
    (source,) = (tmp_path / "claude").rglob(f"{SESSION}.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    for count in range(len(lines)):
        path.write_bytes(b"".join(lines[:count]))

        (damage,) = run_json("verify")["damaged"]
        assert (damage["line"], "are gone" in damage["reason"]) == (count + 1, True)
        assert any(SESSION in each["where"] for each in run_json("doctor")["damaged"])
        with pytest.raises(ChorusError, match="the vault is damaged"):
            run("restore", SESSION, "--to", str(tmp_path / "back"))
        found = run_json("sync")
        assert [path.name in each for each in found["mended"]] == [True] and found["lost"] == []
        assert run("verify").exit_code == 0
    run("restore", SESSION, "--to", str(tmp_path / "back"))
    (back,) = (tmp_path / "back").rglob(f"{SESSION}.jsonl")
    assert back.read_bytes() == source.read_bytes()
