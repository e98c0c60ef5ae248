"""Tests that Chorus follows no links that an agent puts into a vault inside its workspace."""

import contextlib

import pytest

from chorus.errors import ChorusError
from chorus.keep.restore.traces import remove_traces
from chorus.keep.sources.taken_notes import Taken, TakenNotes
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.tombstones import Tombstone, add_tombstones, is_forgotten
from chorus.show.recorder.decisions import Decisions
from chorus.show.server.edge.control import sole_server
from chorus.show.server.edge.link_page import write_link_page
from chorus.show.server.edge.logins import Logins
from chorus.show.server.log import close_log, open_log
from chorus.steer.hooks.home import Home, make_key
from chorus.steer.runs.run_folders import Runs
from tests.steer.approvals.samples import add_approver
from tests.support.runs import described, named

NOW = "2026-11-15T00:00:00.000Z"
NOTE = b'["/a/session.jsonl",1,2,3,4,["work","ada","session",""]]\n'


def serve(root):
    with sole_server(root):
        pass


def log_in(root):
    logins = Logins(root / "state" / "logins.json")
    logins.redeem(logins.new_link())


def note_a_source(root):
    notes = TakenNotes(root)
    notes.add(Taken("/b/session.jsonl", 1, 2, 3, 4))
    notes.save()


def log(root):
    close_log(open_log(root, is_verbose=False))


WRITERS = {
    serve: "state",
    log_in: "state",
    note_a_source: "state",
    lambda root: remove_traces(root, {"session"}, set()): "state",
    lambda root: write_link_page(root / "state", "http://127.0.0.1/#t=x"): "state",
    lambda root: add_tombstones(root, [Tombstone("a", NOW)]): "state",
    lambda root: make_key(Home(root)): "state",
    lambda root: add_approver(root / "state", "ada"): "state",
    lambda root: Decisions(FileVault(root)).take(): "state",
    lambda root: described(named(root, "abcd")): "runs",
    log: "logs",
}


@pytest.mark.parametrize(("write", "folder"), WRITERS.items())
def test_nothing_is_written_behind_a_link_in_the_place_of_a_folder(tmp_path, write, folder):
    root, outside = tmp_path / "vault", tmp_path / "outside"
    root.mkdir()
    outside.mkdir(mode=0o755)
    for name in ("sources.jsonl", "approvals.jsonl"):
        (outside / name).write_bytes(NOTE)
    (root / folder).symlink_to(outside)

    with contextlib.suppress(ChorusError, OSError):
        write(root)

    assert {path.name: path.read_bytes() for path in outside.iterdir()} == {
        "sources.jsonl": NOTE,
        "approvals.jsonl": NOTE,
    }


def test_a_server_says_that_it_follows_no_link(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "state").symlink_to(tmp_path / "outside")

    with pytest.raises(ChorusError, match="is a link, and links are not followed"):
        serve(tmp_path)


def test_notes_of_sources_are_not_read_through_a_link(tmp_path):
    """Notes of sources are not read through a link, nor from anything that is not a regular file.

    A pipe would block every pass.
    """
    (tmp_path / "state").mkdir()
    (tmp_path / "notes").write_bytes(NOTE)
    (tmp_path / "state" / "sources.jsonl").symlink_to(tmp_path / "notes")

    assert TakenNotes(tmp_path).by_path == {}


def test_a_list_of_forgotten_sessions_that_is_a_link_stops_recording(tmp_path):
    (tmp_path / "state").mkdir()
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "state" / "forgotten.jsonl").symlink_to(tmp_path / "empty")

    with pytest.raises(ChorusError, match="link"):
        is_forgotten(tmp_path, "a")


def test_runs_behind_a_link_are_none_and_none_of_them_is_removed(tmp_path):
    run = described(named(tmp_path / "elsewhere", "abcd"))
    (tmp_path / "runs").symlink_to(tmp_path / "elsewhere" / "runs")

    Runs(tmp_path).forget(set(run.sessions))

    assert list(Runs(tmp_path)) == []
    assert [each.id for _, each in Runs(tmp_path / "elsewhere")] == ["abcd"]
