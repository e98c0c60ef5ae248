"""Tests of `chorus verify`, which checks that a reader loses no byte."""

import json
from pathlib import Path

import pytest

from chorus.core.records.split import Splitter
from chorus.testing.builders import Session, corpus, tool_use, wrap
from tests.cli.commands import SHARED, below, run, run_json, run_process

KEYS = ["files", "lines", "bytes", "identical", "differences", "coverage"]


def talk():
    session = Session()
    session.user("Rename the option ☃")
    session.assistant(tool_use("Read", {"file_path": "/w/a.py"}, id="toolu_1"))
    session.tool_result("toolu_1", "import os")
    return bytes(session)


HOSTILE = {
    "plain": talk(),
    "empty": b"",
    "no last line end": talk().rstrip(b"\n"),
    "carriage returns": talk().replace(b"\n", b"\r\n"),
    "wrapped": wrap(talk(), 80),
    "noise": b"\xef\xbb\xbf\n\x1b[1mBoom\x1b[0m \xff\xfe\n\n" + talk() + b'{"type":"user","a":[1,\n' + talk() + b"\0\0",
    "joined": talk().replace(b"\n", b""),
    "array": b"[\n" + talk().replace(b"}\n", b"},\n").rstrip(b",\n") + b"\n]\n",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("is_piped", [True, False])
def test_every_byte_comes_back(name, is_piped, tmp_path):
    """For any content of a file or pipe, the pieces together are exactly its bytes."""
    data = HOSTILE[name]
    path = tmp_path / "a.jsonl"
    path.write_bytes(data)
    found = run_json("verify", "-", given=data) if is_piped else run_json("verify", path)

    assert list(found) == KEYS
    assert (found["files"], found["bytes"], found["identical"], found["differences"]) == (1, len(data), True, [])


def forgetful(damage):
    """Returns a faulty reader that applies `damage` to each piece."""
    good = Splitter.feed

    def feed(self, data):
        for piece in good(self, data):
            damage(piece)
            yield piece

    return feed


def lose_tail(piece):
    if piece.offset:
        piece.tail = b""


def change_byte(piece):
    if piece.offset:
        piece.raw = piece.raw.replace(b"os", b"sos")


def misplace(piece):
    if piece.offset:
        piece.offset += 1


def invent(piece):
    piece.tail += b"more"


SECOND = talk().index(b"\n") + 1
FAULTS = {
    "loses a line end": (lose_tail, talk().index(b"\n", SECOND), "a piece says"),
    "changes a record": (change_byte, talk().index(b"os"), "read b'sos"),
    "says a wrong offset": (misplace, SECOND, f"byte {SECOND + 1}"),
    "invents bytes": (invent, SECOND, "read b'more', but"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("is_piped", [True, False])
def test_a_faulty_reader_is_caught(fault, is_piped, monkeypatch, tmp_path):
    """A reader that loses, changes, invents or misplaces a byte is found with the place, and the exit code is 1."""
    damage, offset, reason = FAULTS[fault]
    monkeypatch.setattr(Splitter, "feed", forgetful(damage))
    path = tmp_path / "a.jsonl"
    path.write_bytes(talk())
    outcome = run("verify", "-" if is_piped else path, "--json", given=talk())
    found = json.loads(outcome.stdout_bytes)

    assert (outcome.exit_code, found["identical"]) == (1, False)
    (difference,) = found["differences"]
    assert (difference["file"], difference["offset"]) == ("-" if is_piped else str(path), offset)
    assert reason in difference["reason"]


def test_a_lost_last_piece_is_caught(monkeypatch):
    """Bytes that are in no piece are a difference, too."""
    monkeypatch.setattr(Splitter, "close", lambda self: iter(()))
    outcome = run("verify", "-", given=talk() + b'{"type":"user"}')

    assert outcome.exit_code == 1
    assert "15 bytes at the end were not read" in outcome.stdout and "1 differ" in outcome.stdout


def test_coverage():
    """The coverage is given for each record type, for tool inputs and tool outputs, and in total."""
    data = talk() + b'{"type":"mode","mode":"plan","sessionId":"s","novelty":1}\n'
    shares = run_json("verify", "-", given=data)["coverage"]

    assert shares.keys() == {"user", "assistant", "mode", "tool inputs", "tool outputs", "total"}
    assert shares["user"] == 1.0 and 0 < shares["mode"] < 1 and shares["mode"] < shares["total"] < 1


def test_tables_for_people():
    """Without --json, the output has a table and the result in words."""
    shown = run("verify", "-", given=talk()).stdout

    assert shown.endswith(f"1 file, 3 lines, {len(talk()):,} bytes: identical, byte for byte\n")
    assert "assistant     100.00%" in shown


def test_a_growing_file_is_no_difference(tmp_path, monkeypatch):
    """A file that grows during the check is checked up to its earlier size."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(talk())
    good = Splitter.close

    def close(self):
        with path.open("ab") as file:
            file.write(talk())
        yield from good(self)

    monkeypatch.setattr(Splitter, "close", close)

    assert run_json("verify", path)["identical"]


def test_two_processes_verify_as_one(tmp_path):
    """If there are enough files for several processes, all bytes are checked."""
    corpus(tmp_path, seed=4, megabytes=26)
    outcome = run_process("verify", tmp_path, "--json")
    found = json.loads(outcome.stdout)

    assert outcome.returncode == 0 and found["identical"]
    assert found["files"] == len(below(tmp_path))
    assert found["bytes"] == sum(Path(path).stat().st_size for path in below(tmp_path))
    assert found["coverage"] == pytest.approx(alone(tmp_path)["coverage"])


def alone(folder):
    """Returns the same numbers, found one file at a time in this process."""
    from chorus.lab.census.verification import Verification

    found = Verification()
    for name in below(folder):
        found.take(name)
    return found.as_json()


@pytest.mark.skipif(not SHARED.is_dir(), reason="no recordings beside this clone (../shared)")
@pytest.mark.parametrize("folder", ["transcripts", "captures"])
def test_recordings_are_identical(folder):
    """All recordings are identical byte for byte, and more than 95 % of their content is typed."""
    found = run_json("verify", SHARED / folder)

    assert found["identical"] and found["files"] == len(below(SHARED / folder))
    assert found["coverage"]["total"] > 0.95
