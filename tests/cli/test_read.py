"""Tests of `chorus read`, which prints each record on a line of its own with its captured bytes."""

import base64
import json
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from chorus.core.records.record import Record, Unread
from chorus.keep.sources import files
from chorus.testing.builders import Flat, Run, Session, tool_use, wrap
from tests.cli.commands import BROKEN, PATIENCE_S, SHARED, below, run, run_process


def lines_of(data, *arguments):
    """Returns the output lines for a stream, as objects and as bytes."""
    outcome = run("read", "-", *arguments, given=data)
    assert outcome.exit_code == 0
    raw = outcome.stdout_bytes.split(b"\n")
    assert raw.pop() == b""
    return [json.loads(line) for line in raw], raw


def talk():
    session = Session()
    session.user("Rename the option — bitte ☃")
    session.assistant(tool_use("Read", {"file_path": "/w/a.py"}, id="toolu_1"))
    session.tool_result("toolu_1", "import os")
    session.system("turn_duration", durationMs=5)
    return session


def test_each_record_is_one_line():
    """A line contains its source, place, dialect, type, subtype and record."""
    data = bytes(talk())
    found, _ = lines_of(data)

    assert [list(line) for line in found] == [["source", "offset", "dialect", "type", "subtype", "record"]] * 4
    assert [line["type"] for line in found] == ["user", "assistant", "user", "system"]
    assert [line["subtype"] for line in found] == [None, None, None, "turn_duration"]
    assert {(line["source"], line["dialect"]) for line in found} == {("-", "session")}
    offsets = [0]
    for line in data.splitlines(keepends=True)[:-1]:
        offsets.append(offsets[-1] + len(line))
    assert [line["offset"] for line in found] == offsets


def test_record_bytes_are_verbatim():
    """Spaces, escapes, the order of keys, repeated keys and numbers are printed unchanged."""
    odd = b'{"type" : "user", "n":1.50e+2,"n":1E400, "s":"\\u00e9\\/\\ud83d\\ude00 \xe2\x80\xa8","type2":null}'
    _, raw = lines_of(odd + b"\r\n")

    assert raw[0].endswith(b',"record":' + odd + b"}")


def test_json_flag_changes_nothing():
    """The output is JSON lines with and without --json."""
    data = bytes(talk())

    assert lines_of(data, "--json") == lines_of(data)


@pytest.mark.parametrize("script", [Run, Flat])
def test_every_dialect_is_named(script):
    """Each record is printed with its dialect."""
    made = script()
    made.init() if script is Run else made.start("s1")
    found, _ = lines_of(bytes(made))

    assert found[0]["dialect"] == ("stream-json" if script is Run else "flat")
    assert found[0]["subtype"] == ("init" if script is Run else None)


def test_a_wrapped_record_is_rebuilt_on_one_line():
    """A record that a terminal cut into rows is printed as one line and marked as reassembled."""
    data = bytes(talk())
    found, raw = lines_of(wrap(data, 80))

    assert [line["reassembled"] for line in found] == [True] * 4
    assert all(original in line for original, line in zip(data.splitlines(), raw, strict=True))
    assert not any("reassembled" in line for line in lines_of(data)[0])


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_pretty_printed_array_is_one_line_a_record(end):
    """Records that a formatter spread over rows are printed on one line each."""
    records = [json.loads(line) for line in bytes(talk()).splitlines()]
    data = json.dumps(records, indent=2).replace("\n", end).encode()
    found, _ = lines_of(data)

    assert [line["record"] for line in found] == records


def test_a_carriage_return_between_values_is_a_blank():
    """Programs that end a line at a carriage return see one line, too."""
    _, raw = lines_of(b'{"type":"user",\r"x":1}\n')

    assert raw[0].endswith(b'"record":{"type":"user", "x":1}}')


def test_what_cannot_be_read_is_printed_in_its_place():
    """Bytes that are no record are printed with the reason, as text, or as base64 if they are not UTF-8."""
    found, _ = lines_of(b'{"type":"user"}\nBoom \x1b[1m"\xff"\nplain words\n{"type":"user"}\n')

    assert [line["type"] for line in found] == ["user", "unread", "unread", "user"]
    assert base64.b64decode(found[1]["raw_base64"]) == b'Boom \x1b[1m"\xff"'
    assert found[2]["raw"] == "plain words"
    assert list(found[2]) == ["source", "offset", "dialect", "type", "subtype", "reason", "raw"]
    assert found[1]["reason"] and found[1]["offset"] == 16


def test_records_without_a_type_and_unknown_ones_are_printed():
    """A record of an unknown type keeps its type, and a record without a type has null."""
    found, _ = lines_of(b'{"type":"brand-new","subtype":"x"}\n{"a":1}\n')

    assert [(line["type"], line["subtype"]) for line in found] == [("brand-new", "x"), (None, None)]


def test_several_sources(tmp_path):
    """Files, folders and standard input are read in the given order, and hidden folders are included."""
    data = bytes(talk())
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "b.jsonl").write_bytes(data)
    (tmp_path / "a.txt").write_bytes(data)
    outcome = run("read", tmp_path / "a.txt", tmp_path, "-", given=data)
    sources = [json.loads(line)["source"] for line in outcome.stdout_bytes.splitlines()]

    assert list(dict.fromkeys(sources)) == [str(tmp_path / "a.txt"), str(tmp_path / ".hidden" / "b.jsonl"), "-"]


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are always Unicode here")
def test_a_file_name_that_is_no_utf8(tmp_path):
    """The output is valid JSON, whatever the name of the file is."""
    name = os.fsencode(tmp_path) + b"/\xff.jsonl"
    Path(os.fsdecode(name)).write_bytes(bytes(talk()))
    outcome = run_process("read", os.fsdecode(name))

    assert {json.loads(line)["source"] for line in outcome.stdout.splitlines()} == {os.fsdecode(name)}


@pytest.mark.skipif(sys.platform == "win32", reason="this system cannot wait for a pipe")
def test_a_record_is_printed_before_the_next_one_comes():
    """A complete record is printed at once while the pipe stays open."""
    call = [sys.executable, "-m", "chorus", "read", "-"]
    buffered = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=buffered) as reader:
        assert reader.stdin and reader.stdout
        reader.stdin.write(b'{"type":"user"}\n')
        reader.stdin.flush()
        ready = select.select([reader.stdout], [], [], PATIENCE_S / 4)[0]
        reader.stdin.close()
        assert ready


def test_a_closed_pipe_is_quiet(tmp_path):
    """When the reader ends early, as `head` does, the command prints no error."""
    path = tmp_path / "long.jsonl"
    path.write_bytes(bytes(talk()) * 3000)
    call = [sys.executable, "-m", "chorus", "read", str(path)]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        assert writer.stdout and writer.stderr
        writer.stdout.readline()
        writer.stdout.close()
        assert writer.stderr.read() == b""


@pytest.mark.parametrize(("name", "says"), [("missing.jsonl", "No such file"), ("empty", "no .jsonl file")])
def test_a_source_that_is_not_there(tmp_path, name, says):
    """A missing source gives one line and exit code 2 before any record is printed."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "good.jsonl").write_bytes(bytes(talk()))
    outcome = run_process("read", tmp_path / "good.jsonl", tmp_path / name)

    assert (outcome.returncode, outcome.stdout) == (2, b"")
    assert outcome.stderr.startswith(f"chorus: {tmp_path / name}: ".encode()) and says.encode() in outcome.stderr
    assert outcome.stderr.count(b"\n") == 1


@pytest.mark.skipif(not BROKEN.exists(), reason="this system has no file that fails when read")
def test_a_file_that_fails_when_its_turn_comes(tmp_path):
    """A file that fails while it is read is reported, the others are printed, and the exit code is 2."""
    (tmp_path / "a.jsonl").symlink_to(BROKEN)
    (tmp_path / "b.jsonl").write_bytes(bytes(talk()))
    outcome = run_process("read", tmp_path / "a.jsonl", tmp_path / "b.jsonl")

    assert (outcome.returncode, len(outcome.stdout.splitlines())) == (2, 4)
    assert outcome.stderr.startswith(b"chorus: " + bytes(tmp_path / "a.jsonl"))


def test_no_source_is_misuse():
    """The command without a source is refused."""
    assert run_process("read").returncode == 2


@pytest.mark.skipif(not SHARED.is_dir(), reason="no recordings beside this clone (../shared)")
@pytest.mark.parametrize("folder", ["transcripts", "captures"])
def test_recordings_come_out_verbatim(folder):
    """Every record of the recordings is one line of valid JSON that contains the bytes of the record, in order."""
    outcome = run("read", SHARED / folder)
    lines = iter(outcome.stdout_bytes.split(b"\n")[:-1])
    for name in files.expand([SHARED / folder]):
        for piece in files.pieces(name):
            if not isinstance(piece, Record):
                continue
            line = next(lines)
            shown = json.loads(line)
            assert (shown["source"], shown["offset"]) == (name, piece.offset)
            if isinstance(piece, Unread):
                assert shown["raw"].encode() == piece.raw
            else:
                assert piece.json in line
    assert next(lines, None) is None
    assert sorted(files.expand([SHARED / folder])) == below(SHARED / folder)
