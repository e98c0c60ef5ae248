"""Tests the routes for files over time: lists, differences, blame, bytes, and refusals that are not errors."""

from urllib.parse import quote

import pytest

from tests.core.file_versions.simulated_client import FOLDER, SimulatedClient
from tests.show.server.serving import serving, until


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Returns a function that asks a route of one conversation that changed files."""
    folder = tmp_path_factory.mktemp("files")
    client = SimulatedClient({}, keeps_backups=False)
    client.write("a.txt", "one\r\ntwo\r\n")
    client.edit("a.txt", "two", "zwei")
    client.write("b.txt", "x\n")
    client.shell("make")
    project = folder / "claude" / "projects" / "-p"
    project.mkdir(parents=True)
    (project / f"{client.session.id}.jsonl").write_bytes(bytes(client.session))
    with serving(folder / "vault", folder / "claude") as server:
        browser = server.browser()
        name = until(lambda: browser.get("/api/conversations").json.get("conversations"))[0]["name"]
        yield lambda what: browser.get(f"/api/conversations/{name}/{what}")


PATH = quote(f"{FOLDER}/a.txt", safe="")


def test_files_have_their_versions(asked):
    """Every file has its versions, each with its certainty, its call and its number of lines."""
    found = asked("files").json
    assert [(each["name"], each["added"], each["removed"]) for each in found["files"]] == [
        ("a.txt", 3, 1),
        ("b.txt", 1, 0),
    ]
    versions = found["files"][0]["versions"]
    assert [each["certainty"] for each in versions] == ["exact", "exact", "unknown"]
    assert versions[1]["tool"] == "Edit" and versions[1]["call"] == "toolu_0002"
    assert asked("files?together=1").json["files"] == found["files"]


def test_difference_blame_and_bytes(asked):
    """The routes compare two versions, name the origin of each line, and return the exact bytes to save."""
    diff = asked(f"files/diff?path={PATH}&before=1&after=2").json
    assert diff["diff"]["hunks"][0]["lines"] == [" one\r", "-two\r", "+zwei\r"]
    assert asked(f"files/diff?path={PATH}&before=0&after=1").json["diff"]["is_new"]
    blame = asked(f"files/blame?path={PATH}&version=2").json
    assert [(each["first"], each["lines"], each["version"]) for each in blame["groups"]] == [
        (1, ["one\r"], 1),
        (2, ["zwei\r"], 2),
    ]
    saved = asked(f"files/content?path={PATH}&version=1")
    assert saved.body == b"one\r\ntwo\r\n"
    assert saved.headers["content-disposition"] == 'attachment; filename="a.txt"'
    assert "sandbox" in saved.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("what", "status"),
    [
        ("files/diff?path=nothing&before=1&after=2", 404),
        (f"files/diff?path={PATH}&before=1&after=99", 404),
        (f"files/diff?path={PATH}&before=1&after=3", 404),
        (f"files/diff?path={PATH}&before=-1&after=2", 400),
        (f"files/blame?path={PATH}&version=3", 404),
        (f"files/blame?path={PATH}&version=x", 400),
        (f"files/content?path={PATH}&version=3", 404),
        ("files/content?path=..%2F..%2Fetc%2Fpasswd&version=1", 404),
        ("files/content", 400),
    ],
)
def test_what_is_not_there_is_refused(asked, what, status):
    """A request for a missing file, version or content is refused with one sentence."""
    answer = asked(what)
    assert answer.status == status
    assert answer.json["message"].endswith((".", "missing", "got `str`")) or status == 400
