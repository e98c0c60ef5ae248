"""Tests the check of the whole vault: each kind of damage is found at its place, and nothing else is reported."""

import pytest

from chorus.keep.restore.blobs import blob_names
from chorus.keep.restore.checking import check
from chorus.keep.vault.files import FileVault
from chorus.keep.vault.line import encode
from chorus.keep.vault.memory import MemoryVault
from tests.support.keeping import (
    AGENT,
    PROJECT,
    SEEN_AT,
    SESSION,
    WORKSPACE,
    client_folder,
    files,
    keep,
    key,
    note,
    talk,
)

STREAM = f"{WORKSPACE}/main/{SESSION}"


@pytest.fixture
def config(tmp_path):
    return tmp_path / "claude"


@pytest.fixture
def vault(tmp_path, config):
    """A vault that recorded a client's folder, which still exists."""
    vault = FileVault(tmp_path / "vault")
    client_folder(config)
    keep(vault, config)
    return vault


def checked(vault):
    return check(FileVault(vault.root), blob_names(vault.root))


def places(found):
    return [(each.stream.removeprefix(STREAM), each.line) for each in found.damaged]


def change_lines(vault, change, stream="session"):
    path = vault.path(key(stream))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(change(lines)))


def test_a_sound_vault_is_identical(vault, config):
    """A sound vault has no damage and equal sources. Its lines and bytes are those of the sources and the manifest."""
    found = checked(vault)
    manifest = sum(len(line.bytes) for line in vault.lines(key("manifest")))
    sources = [path for path in files(config) if path.suffix == ".jsonl"]

    assert found.as_json() == {
        "streams": 3,
        "lines": sum(path.read_bytes().count(b"\n") for path in sources) + len(list(vault.lines(key("manifest")))),
        "bytes": sum(path.stat().st_size for path in sources) + manifest,
        "damaged": [],
        "sources": {"equal": 2, "ahead": 0, "differs": 0, "gone": 0},
        "identical": True,
    }
    assert found.blobs == 5


def test_an_empty_vault_is_identical(tmp_path):
    """A vault without conversations has no damage."""
    found = check(MemoryVault(), [])

    assert (found.streams, found.is_identical) == (0, True)


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (lambda lines: [lines[0].replace(b"hello", b"hellO"), *lines[1:]], 1, "checksum"),
        (lambda lines: [*lines[:2], lines[2][: len(lines[2]) // 2] + b"\n", *lines[3:]], 3, ""),
        (lambda lines: [*lines[:2], b"\n", *lines[3:]], 3, "empty"),
        (lambda lines: [*lines[:2], *lines[3:]], 3, "1 line before it"),
        (lambda lines: lines[1:], 1, "1 line before it"),
        (lambda lines: [*lines, lines[-1]], 7, "out of order"),
    ],
    ids=["flipped", "cut", "emptied", "removed", "first removed", "doubled"],
)
def test_a_damaged_line_is_located(vault, change, line, words):
    """A changed byte or a cut, removed or doubled line is reported once, with the line where it is noticed."""
    change_lines(vault, change)
    found = checked(vault)

    assert places(found) == [("/session", line)]
    assert words in found.damaged[0].reason
    assert not found.is_identical


def test_exchanged_lines_are_located(vault):
    """Exchanged lines are reported, although each of them is whole."""
    change_lines(vault, lambda lines: [lines[1], lines[0], *lines[2:]])

    assert {line for _, line in places(checked(vault))} <= {1, 2, 3} and places(checked(vault))


def test_a_line_of_another_stream_is_located(vault):
    """A line of another stream is recognised by its id and reported."""
    (foreign, *_) = vault.path(key(AGENT)).read_bytes().splitlines(keepends=True)
    change_lines(vault, lambda lines: [foreign, *lines[1:]])

    assert [each.line for each in checked(vault).damaged] == [1]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"offset": 7}, "of the source should be here, this is 7"),
        ({"conversation": "another"}, "it belongs to conversation another of agent main"),
        ({"agent": "another"}, "of agent another"),
        ({"stream": "another"}, "its id does not match its place"),
        ({"revision": 2}, "revision 0 is followed by 2"),
        ({"revision": 1}, "revision 1 does not say what it follows"),
        ({"revision": 1, "offset": 10_000, "follows": 10_000}, "revision 1 does not say what it follows"),
    ],
)
def test_a_whole_line_in_a_wrong_place_is_located(vault, wrong, words):
    """A whole line that claims another place than its own is reported."""
    place = {"conversation": SESSION, "agent": "main", "stream": "session", "seq": 1, "offset": len(first_line(vault))}
    line = encode(b'{"type":"user"}\n', seen_at=SEEN_AT, **(place | wrong))
    change_lines(vault, lambda lines: [lines[0], line, *lines[2:]])
    found = checked(vault)

    assert places(found)[0] == ("/session", 2)
    assert words in found.damaged[0].reason


def first_line(vault):
    return next(iter(vault.lines(key()))).bytes


def test_several_damages_are_all_reported(vault):
    """Every damaged line is reported, and damage does not stop the check of the stream or of the vault."""
    change_lines(vault, lambda lines: [b"x\n", lines[1], b"y\n", *lines[3:]])
    change_lines(vault, lambda lines: [b"z\n", *lines[1:]], AGENT)

    assert sorted(places(checked(vault))) == [(f"/{AGENT}", 1), ("/session", 1), ("/session", 3)]


def test_a_sealed_stream_is_checked_alike(vault):
    """A sealed stream is unpacked and checked line by line."""
    change_lines(vault, lambda lines: [lines[0], lines[1].replace(b"hello", b"hellO"), *lines[2:]])
    vault.close()
    vault.seal(key())

    assert places(checked(vault)) == [("/session", 2)]


def test_a_damaged_content_is_named(vault):
    """A side file whose content does not match its name is reported with its place in the vault."""
    (path, *_) = files(vault.root / "blobs")
    path.write_bytes(b"other")

    assert places(checked(vault)) == [(path.relative_to(vault.root).as_posix(), None)]


def test_a_missing_content_is_named(vault):
    """A side file that a manifest names and that is missing is reported with its conversation."""
    (plan,) = [path for path in files(vault.root / "blobs") if path.read_bytes() == b"# Plan\n"]
    plan.unlink()
    (damage,) = checked(vault).damaged

    assert SESSION in damage.stream and "plans/a-plan.md" in damage.stream and "missing" in damage.reason


@pytest.mark.parametrize(
    ("change", "state"),
    [
        (lambda path: path.write_bytes(path.read_bytes() + b"more\n"), "ahead"),
        (lambda path: path.write_bytes(path.read_bytes()[:-5]), "differs"),
        (lambda path: path.write_bytes(path.read_bytes().replace(b"hello", b"Hello")), "differs"),
        (lambda path: path.unlink(), "gone"),
        (lambda path: (path.unlink(), path.mkdir()), "gone"),
    ],
)
def test_what_became_of_a_source_is_no_damage(vault, config, change, state):
    """A source that grew, was rewritten or is gone is counted as such, and is no damage of the vault."""
    path = config / "projects" / PROJECT / f"{SESSION}.jsonl"
    change(path)
    found = checked(vault)

    assert found.sources[state] == [str(path)] and found.damaged == []
    assert found.is_identical == (state != "differs")


def test_only_the_last_revision_is_held_against_the_source(vault, config):
    """After a rewrite the source must equal the last revision, and an earlier revision may differ."""
    path = config / "projects" / PROJECT / f"{SESSION}.jsonl"
    prefix = len(talk("hello"))
    path.write_bytes(talk("hello") + talk("again"))
    assert checked(vault).sources["differs"] == [str(path)]

    vault.revise(key(), prefix)
    vault.append(key(), talk("again"), seen_at=SEEN_AT)
    vault.flush()
    found = checked(vault)

    assert found.damaged == [] and len(found.sources["equal"]) == 2


def test_a_source_that_was_cut_equals_the_revision_of_its_own(vault, config):
    """A cut source differs until the vault has a revision for it. A source that ends within a line is ahead."""
    path = config / "projects" / PROJECT / f"{SESSION}.jsonl"
    prefix = len(talk("hello"))
    path.write_bytes(path.read_bytes()[:prefix])
    assert checked(vault).sources["differs"] == [str(path)]

    vault.revise(key(), prefix)
    vault.append(key(), b"", seen_at=SEEN_AT)
    vault.flush()

    assert checked(vault).damaged == [] and len(checked(vault).sources["equal"]) == 2
    path.write_bytes(path.read_bytes() + b'{"type":')
    assert checked(vault).sources["ahead"] == [str(path)]


def test_a_revision_that_follows_nothing_is_damage(vault):
    """A revision whose first line does not say what it follows is reported as damage."""
    vault.revise(key(), len(talk("hello")))
    vault.append(key(), talk("again"), seen_at=SEEN_AT)
    vault.close()
    change_lines(vault, lambda lines: [line.replace(b'"follows":', b'"fallows":') for line in lines])

    assert places(checked(vault))[0] == ("/session", 7)


def test_a_source_that_is_a_pipe_does_not_block(vault, tmp_path):
    """If a manifest names a pipe or a relative path, the check does not wait, and the source counts as gone."""
    import os

    os.mkfifo(tmp_path / "pipe")
    note(vault, type="source", stream="session", path=str(tmp_path / "pipe"))
    note(vault, type="source", stream=AGENT, path="relative.jsonl")
    vault.flush()

    assert len(checked(vault).sources["gone"]) == 2
