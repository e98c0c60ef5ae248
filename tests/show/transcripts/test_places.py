"""Tests the records, files and places of what a transcript names."""

from typing import Any

import msgspec
import pytest

from chorus.core.views.rows import MessageRow
from chorus.keep.archive.manifest import SideFile
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.memory import MemoryVault
from chorus.show.transcripts.locating import locate
from chorus.show.transcripts.places import PIECE_BYTES, record, record_bytes, side_file, side_file_bytes
from chorus.testing.builders import Session, tool_use, wrap
from chorus.testing.indexes import SEEN_AT, keep, name_of
from tests.show.transcripts.reading import CONVERSATION, Read, read


def test_the_record_of_anything(tmp_path):
    """A row names its records, and each can be read byte for byte."""
    talk = Session()
    talk.user("hello")
    talk.assistant("text", tool_use("Bash", {"command": "ls"}, id="call"))
    talk.tool_result("call", "files")
    found = read(tmp_path, talk)
    data = bytes(talk)
    _, row = found.page().rows

    raw: dict[str, Any] = {name: record(found.opened, place.stream, place.at) for name, place in row.places.items()}

    assert all(each is not None and each.text.encode() in data for each in raw.values())
    assert '"tool_result"' in raw["result:call"].text and '"tool_use"' in raw["call"].text
    place = row.places["result:call"]
    assert record_bytes(found.opened, place.stream, place.at) == data.splitlines(keepends=True)[-1]


@pytest.mark.parametrize(
    ("stream", "at"), [("session", 3), ("session", 10**9), ("nothing", 0), ("../../x", 0), ("", 0)]
)
def test_no_record(tmp_path, stream, at):
    """There is no record at an offset where none begins, and no stream name leads to another file."""
    talk = Session()
    talk.user("hello")
    found = read(tmp_path, talk)

    assert record(found.opened, stream, at) is None
    assert record_bytes(found.opened, stream, at) is None


def test_a_record_that_a_terminal_cut(tmp_path):
    """A record that a terminal broke into several lines is shown as a whole."""
    talk = Session()
    talk.user("a long prompt " * 30)
    wrapped = wrap(bytes(talk), 80)
    vault = MemoryVault()
    vault.append(StreamKey("w-1", "main", CONVERSATION, "log-a"), wrapped, seen_at=SEEN_AT)
    vault.flush()
    found = Read(vault, tmp_path)
    (row,) = [row for row in found.page().rows if isinstance(row.row, MessageRow)]
    place = row.places[row.row.id]

    raw = record(found.opened, place.stream, place.at)

    assert raw is not None and raw.text.count("\n") > 1 and raw.text.encode() in wrapped


def test_side_files_come_in_pieces(tmp_path):
    """A long side file is read in pieces that split no character and together are the file."""
    text = "ä€😀x" * 20_000
    talk, found = _with_side_file(tmp_path, text.encode())
    pieces, start = [], 0
    while start is not None:
        piece = side_file(found.opened, "call.txt", start)
        assert piece is not None and piece.start == start and piece.size_bytes == len(text.encode())
        assert len(piece.text.encode()) <= PIECE_BYTES
        pieces.append(piece.text)
        start = piece.next

    assert "".join(pieces) == text and "\ufffd" not in text
    assert side_file_bytes(found.opened, "call.txt") == text.encode()
    (output,) = found.page().rows[-1].row.pieces[0].given
    assert output.side_file.size_bytes == len(text.encode())
    assert talk.id


@pytest.mark.parametrize("data", [b"\xff" * 200_000, b"\x80" * 200_000, b"", b"\xf0\x9f"])
def test_a_side_file_that_is_no_text(tmp_path, data):
    """Reading a binary side file in pieces ends and covers all bytes."""
    _, found = _with_side_file(tmp_path, data)
    start, size = 0, 0
    while start is not None:
        piece = side_file(found.opened, "call.txt", start)
        assert piece is not None
        assert piece.next is None or piece.next > start
        size = piece.next or len(data)
        start = piece.next

    assert size == len(data)


@pytest.mark.parametrize("name", ["other.txt", "../../../etc/passwd", "/etc/passwd", "", ".", "call.txt/.."])
def test_no_side_file(tmp_path, name):
    """Only a name that the manifest lists leads to a side file."""
    _, found = _with_side_file(tmp_path, b"x")

    assert side_file(found.opened, name) is None
    assert side_file_bytes(found.opened, name) is None


def _with_side_file(tmp_path, data):
    talk = Session()
    talk.assistant(tool_use("Bash", {"command": "ls"}, id="call"))
    talk.tool_result("call", "<persisted-output>\nsaved to /w/tool-results/call.txt\n</persisted-output>")
    vault = MemoryVault()
    keep(vault, talk)
    fact = SideFile(path="tool-results/call.txt", blob=vault.put_blob(data), size=len(data))
    workspace, agent, conversation = name_of(talk).split("/")
    key = StreamKey(workspace, agent, conversation, "manifest")
    vault.append(key, msgspec.json.encode(fact) + b"\n", seen_at=SEEN_AT)
    vault.flush()
    return talk, Read(vault, tmp_path)


def test_everything_is_found_by_its_ids(tmp_path):
    """Entries, lines of messages, tool calls, sub-agents and background tasks are found by their ids."""
    talk = Session()
    prompt = talk.user("go")
    talk.assistant(tool_use("Grep", {"pattern": "shell_9"}, id="early"))
    lines = talk.assistant("one", "two", tool_use("Bash", {"command": "serve", "run_in_background": True}, id="bash"))
    talk.tool_result(
        "bash", "Command running in background with ID: shell_9", structured={"backgroundTaskId": "shell_9"}
    )
    message = lines[0]["message"]["id"]
    starting = talk.assistant(tool_use("Agent", {"prompt": "look", "description": "d"}, id="agent"))
    talk.tool_result("agent", "started", structured={"agentId": "a77", "status": "async_launched", "isAsync": True})
    agent = talk.agent("a77", "agent")
    inner = agent.user("look")
    talk.assistant(tool_use("BashOutput", {"bash_id": "shell_9"}, id="out"))
    result = talk.tool_result("out", "shell_9 still runs")
    note = talk.fact("never-seen-before", depth=1)
    found = read(tmp_path, talk)

    def at(wanted):
        place = locate(found.opened, found.index, wanted)
        return (place.id, place.thread) if place else None

    assert note["type"]
    assert at(prompt["uuid"]) == (prompt["uuid"], "")
    assert at(message) == at("bash") == at("call:bash") == at("result:bash") == (message, "")
    assert at(lines[1]["uuid"]) == at(lines[2]["uuid"]) == (message, "")
    assert at("shell_9") == (message, "")
    assert at("a77") == at("agent") == (starting[0]["message"]["id"], "")
    assert at(f"a77/{inner['uuid']}") == (f"a77/{inner['uuid']}", "a77")
    assert at(result["uuid"]) == at("out")
    assert at("no such thing") is None
    assert at("5e551011-dead-4000-8000-000000000001") is None
    assert at("") is None
    (row,) = [row for row in found.forwards() if (row.row.id, "") == at("out")]
    assert row.row.pieces[0].refers == "shell_9"


@pytest.mark.parametrize("is_told", [False, True], ids=["no record names a session", "the last one does"])
def test_records_that_waited_for_their_session_are_found(tmp_path, is_told):
    """In a log whose first records name no session, a row still names the place of its own record."""
    prompt = {"type": "user", "message": {"role": "user", "content": "hello"}}
    lines: list[Any] = [{"type": "control_request", "request_id": "1", "request": {"subtype": "initialize"}}, prompt]
    lines += [{"type": "system", "subtype": "init", "session_id": CONVERSATION}] if is_told else []
    vault = MemoryVault()
    key = StreamKey("w-1", "main", CONVERSATION if is_told else "log-1a2b3c4d", "log-a")
    vault.append(key, b"".join(msgspec.json.encode(line) + b"\n" for line in lines), seen_at=SEEN_AT)
    vault.flush()
    found = Read(vault, tmp_path)

    (row,) = [row for row in found.page().rows if isinstance(row.row, MessageRow)]

    raw: dict[str, Any] = {name: record(found.opened, place.stream, place.at) for name, place in row.places.items()}
    assert {msgspec.json.decode(each.text)["type"] for each in raw.values()} == {"user"}
