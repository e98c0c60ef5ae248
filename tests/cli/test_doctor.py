"""Tests of `chorus doctor`, which reports what needs attention."""

import os
import time

import pytest

from chorus.errors import ChorusError, VaultUnwritable
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Layout
from tests.cli.commands import run, run_json
from tests.keep.archive.vaults import client, keep, talk


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Returns a session in the client's folder that a variable names, with an empty vault as home."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "vault"))
    (path,) = client(tmp_path / "claude", talk(), layout=Layout.INLINE)
    return path


def test_what_is_at_risk_comes_first(path):
    """The report names a session that will soon be deleted and what to do, and the exit code is 1."""
    os.utime(path, (time.time() - 40 * 86_400,) * 2)

    shown = run("doctor")

    assert shown.exit_code == 1
    assert "deletes sessions after 30 days (its default)" in shown.output
    assert "at risk" in shown.output and str(path) in shown.output
    assert shown.output.splitlines()[-1] == "the client may soon delete 1 source before all is recorded: `chorus sync`"


def test_all_is_well_once_all_is_kept(path, tmp_path):
    """After a sync, nothing needs attention."""
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", tmp_path / "claude")

    shown = run("doctor")

    assert shown.exit_code == 0 and shown.output.endswith("Everything is fine.\n")
    assert "Sources  1: 1 recorded, 0 not fully recorded" in shown.output


def test_the_json_shape(path, tmp_path):
    """The JSON has the documented keys, before and after a sync."""
    before = run_json("doctor")
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", tmp_path / "claude")
    after = run_json("doctor")

    keys = ["ok", "advice", "client", "at_risk", "not_kept", "unreadable", "skipped", "damaged", "vault"]
    assert list(before) == [*keys, "approvals", "conflicts", "tampered_runs"]
    assert not before["ok"] and before["client"]["cleanup_is_default"] and before["client"]["cleanup_days"] == 30
    assert list(before["not_kept"][0]) == ["path", "size_bytes", "missing_bytes", "age_days", "is_at_risk"]
    assert after["ok"] and after["advice"] == [] and after["not_kept"] == []
    assert after["client"]["folder"] == str(tmp_path / "claude") and after["client"]["kept"] == 1
    assert after["vault"]["conversations"] == 1 and after["vault"]["free_bytes"] > 0


def test_damage_needs_attention(path, tmp_path):
    """A damaged line is found and makes the exit code 1."""
    keep(FileVault(tmp_path / "vault"), tmp_path / "vault", tmp_path / "claude")
    (stored,) = (tmp_path / "vault" / "conversations").glob("*/main/*.jsonl")
    lines = stored.read_bytes().splitlines(keepends=True)
    stored.write_bytes(b"".join([b"damage\n", *lines[1:]]))

    for options in ((), ("--full",)):
        shown = run("doctor", *options)
        assert shown.exit_code == 1 and "1 place in the vault cannot be trusted" in shown.output


def test_no_client_is_no_trouble(tmp_path, monkeypatch):
    """Without a client's folder and without a vault, nothing is wrong and no file is created."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "none"))

    shown = run("doctor", "--vault", tmp_path / "vault")

    assert shown.exit_code == 0 and not (tmp_path / "vault").exists()


def test_a_damaged_file_of_state_is_accepted_as_it_is(path, tmp_path):
    """`--accept` accepts a file after a person looked at it. Then the file has a proof again, and work continues."""
    vault = tmp_path / "vault"
    keep(FileVault(vault), vault, tmp_path / "claude")
    assert run("forget", "--yes", path.stem).exit_code == 0
    state = vault / "state" / "forgotten.jsonl"
    state.write_bytes(state.read_bytes()[:-9])
    before = run("doctor")
    assert before.exit_code == 1 and "chorus doctor --accept forgotten.jsonl" in " ".join(before.output.split())
    with pytest.raises(VaultUnwritable, match="doctor --accept"):
        run("sync", tmp_path / "claude")

    accepted = run("doctor", "--accept", "forgotten.jsonl")

    assert "forgotten.jsonl" not in accepted.output
    assert "forgotten.jsonl" not in run("doctor").output
    assert run("sync", tmp_path / "claude").exit_code == 0


@pytest.mark.parametrize("name", ["../vault.json", "inventory.jsonl", "nothing.jsonl", "forgotten.jsonl/../x"])
def test_only_known_files_of_state_are_accepted(path, tmp_path, name):
    """Any other name is refused, and nothing is written for it."""
    vault = tmp_path / "vault"
    keep(FileVault(vault), vault, tmp_path / "claude")
    before = sorted(each.name for each in (vault / "state").iterdir())

    with pytest.raises(ChorusError, match="no such file that can be accepted"):
        run("doctor", "--accept", name)

    assert sorted(each.name for each in (vault / "state").iterdir()) == before
