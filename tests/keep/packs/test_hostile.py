"""Tests that a hostile pack writes nothing outside of its place, and no part of a session."""

import io
import json
import random
import tarfile

import pytest

from chorus.errors import ChorusError
from chorus.keep.packs import contents, reading, rewriting
from tests.keep.packs.packs import archive, line, listed, packed, usual, zstd
from tests.support.keeping import AGENT, SESSION

OTHER = "6a2d3b01-0000-4000-8000-000000000002"
SIDE = f"project/{SESSION}/tool-results"


def refused(machine, data, match, **options):
    """Checks that a pack is refused with one line, and that nothing of it is left."""
    with pytest.raises(ChorusError, match=match) as caught:
        machine.unpack(data, **options)
    assert "\n" not in str(caught.value) and "nothing was written" in str(caught.value)
    assert machine.is_untouched()


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "../x",
        f"{SIDE}/../../../x",
        f"{SIDE}/./x",
        f"{SIDE}//x",
        f"{SIDE}/",
        "",
        "project",
        f"{SIDE}/a\\b",
        f"{SIDE}/a\nb",
        f"{SIDE}/a\x00b",
        f"{SIDE}/a\x1b[31m",
        f"{SIDE}/a\u202eb",
        f"{SIDE}/CON",
        f"{SIDE}/nul.txt",
        f"{SIDE}/com1.log",
        f"{SIDE}/a.",
        f"{SIDE}/a ",
        f"{SIDE}/a:b",
        f"{SIDE}/{'x' * 300}",
        f"{SIDE}/{'/'.join('x' * 20)}",
        f"project/{OTHER}.jsonl",
        f"project/{OTHER}/tool-results/x.txt",
        "project/settings.json",
        "project/memory/MEMORY.md",
        "client/settings.json",
        "client/CLAUDE.md",
        "client/commands/x.md",
        "client/projects/-x/y.jsonl",
        f"client/session-env/{SESSION}/hook.sh",
        f"client/file-history/{OTHER}/0123456789abcdef@v1",
        f"client/todos/{OTHER}-agent-{OTHER}.json",
        "client/plans/x.sh",
        "home/.bashrc",
    ],
)
def test_names_are_checked(machine, name):
    """A name that is absolute, leaves its folder, hides something, or does not belong to a session is refused."""
    refused(machine, packed({**usual(), name: b"x"}), "the name .* (would|has|is)")


@pytest.mark.parametrize(
    ("first", "second"),
    [("b1.txt", "b1.txt"), ("b1.txt", "B1.TXT"), ("é.txt", "e\u0301.txt"), ("x", "x/y"), ("ss", "ß")],
)
def test_names_that_clash_are_refused(machine, first, second):
    """Two names for one file, on this or another system, and a file that is also a folder are refused."""
    stated = listed({**usual(), f"{SIDE}/{first}": b"x"})
    stated["files"] += listed({f"{SIDE}/{second}": b"x"})["files"]

    refused(machine, packed(None, stated), "two files have the name|is a file and a folder")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (tarfile.SYMTYPE, "a link"),
        (tarfile.LNKTYPE, "a link"),
        (tarfile.CHRTYPE, "a device"),
        (tarfile.BLKTYPE, "a device"),
        (tarfile.FIFOTYPE, "a named pipe"),
        (tarfile.DIRTYPE, "a folder"),
        (tarfile.GNUTYPE_LONGNAME, "not a regular file"),
        (tarfile.GNUTYPE_SPARSE, "not a regular file"),
        (tarfile.XGLTYPE, "not a regular file"),
    ],
)
@pytest.mark.parametrize("is_first", [False, True])
def test_only_regular_files_are_taken(machine, kind, words, is_first):
    """An entry that is a link, a device, a folder or an extension is refused wherever it is."""
    info = tarfile.TarInfo(f"{SIDE}/x")
    info.type, info.linkname = kind, "/etc/passwd"
    block = info.tobuf(tarfile.USTAR_FORMAT)
    whole = archive(usual())
    at = 0 if is_first else 512 + -(-len(json.dumps(listed(usual())).encode()) // 512) * 512

    refused(machine, zstd.compress(whole[:at] + block + whole[at:]), words)


def changed(change, **more):
    """Returns a pack whose list of contents was changed."""
    stated = listed(usual(), **more)
    change(stated)
    return packed(None, stated)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda it: it.update(format="zip"), "not a pack of Chorus"),
        (lambda it: it.update(version=2), "a newer Chorus wrote it"),
        (lambda it: it.update(version="1"), "cannot be read"),
        (lambda it: it.update(session="../../x"), "is not a session id"),
        (lambda it: it.update(session=SESSION.upper()), "is not a session id"),
        (lambda it: it.update(session=OTHER), "its first file is not the session file"),
        (lambda it: it.update(files=[]), "its first file is not the session file"),
        (lambda it: it["files"].reverse(), "its first file is not the session file"),
        (lambda it: it["files"].pop(), "it has more files"),
        (lambda it: it["files"].append(it["files"][1] | {"name": f"{SIDE}/z"}), "where .* should be|cut off"),
        (lambda it: it["files"][1].update(size=7), "where .* should be is something else"),
        (lambda it: it["files"][1].update(size=-1), "cannot be read"),
        (lambda it: it["files"][1].update(size=1 << 62), "pass --large"),
        (lambda it: it["files"][1].update(sha256="0" * 64), "its digest is another one"),
        (lambda it: it["files"][1].update(sha256="0"), "cannot be read"),
        (lambda it: it["files"][1].update(name=f"{SIDE}/other"), "where .* should be is something else"),
        (lambda it: it.update(project="relative"), "is not the path of a folder"),
        (lambda it: it.update(project="/" + "x" * 5000), "is not the path of a folder"),
        (lambda it: it.update(configDir="x\0"), "is not the path of a folder"),
        (lambda it: it.update(projectKey="../.."), "is not the name of a project's folder"),
    ],
)
def test_lies_are_found(machine, change, match):
    """A list of contents that does not match the files is refused."""
    refused(machine, changed(change), match)


def test_too_many_files_are_refused(machine, monkeypatch):
    """The number of files is limited."""
    monkeypatch.setattr(contents, "MAX_FILES", 5)

    refused(machine, packed(), "it has 6 files")


def test_records_of_another_session_need_a_permission(machine):
    """A file with records of another session is refused unless a person accepts it; the line is named."""
    files = {**usual(), f"project/{SESSION}.jsonl": line(type="user") + line(type="user", sessionId=OTHER)}
    refused(machine, packed(files), f"line 2 belongs to another session .'{OTHER}'")
    agent = {**usual(), f"project/{SESSION}/subagents/{AGENT}.jsonl": b'{"session_id":"x"}\n'}
    refused(machine, packed(agent), "line 1 belongs to another session")

    assert len(machine.unpack(packed(files), allows_other_sessions=True).files) == 6


@pytest.mark.parametrize("data", [b"", b"no pack", b"\x28\xb5\x2f\xfd", b'{"type":"user"}\n' * 99, bytes(2000)])
def test_what_is_no_pack_is_refused(machine, data):
    """Any other file is refused in one line, also if it is compressed in the same way."""
    refused(machine, data, "cut off|not a pack of Chorus")
    refused(machine, zstd.compress(data), "cut off|not a pack of Chorus|header of an entry is damaged")


def test_a_zip_file_is_no_pack(machine):
    """An archive of another kind is refused."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        tar.addfile(tarfile.TarInfo("contents.json"))

    refused(machine, out.getvalue(), "not a pack of Chorus")


def test_a_pack_cut_anywhere_is_refused(machine):
    """A pack that is cut at any length is refused, and nothing of it is written."""
    whole = packed()
    for end in range(0, len(whole), 7):
        refused(machine, whole[:end], "cut off|damaged|not a pack")
    plain = archive(usual())
    for end in range(0, len(plain) - 20 * 512, 512 * 3):
        refused(machine, zstd.compress(plain[:end]), "cut off|damaged|not a pack|something else|more files")


@pytest.mark.parametrize("tail", [b"x", packed(), zstd.compress(b"more")])
def test_bytes_after_the_end_are_refused(machine, tail):
    """A pack ends where it says, both in the archive and in the file."""
    refused(machine, packed() + tail, "bytes after its end")
    refused(machine, zstd.compress(archive(usual()) + tail), "bytes after its end")


def test_a_bomb_stops_at_its_limits(machine, monkeypatch):
    """A pack that unpacks to a thousand times its size, or to more than the limit, is stopped.

    A person can allow it.
    """
    files = {**usual(), f"{SIDE}/zeros": bytes(8 << 20)}
    monkeypatch.setattr(reading, "FREE_BYTES", 1 << 20)
    refused(machine, packed(files), "pass --large")
    monkeypatch.setattr(reading, "MAX_RATIO", 1 << 40)
    monkeypatch.setattr(reading, "MAX_BYTES", 4 << 20)
    refused(machine, packed(files), "pass --large")

    assert len(machine.unpack(packed(files), is_large=True).files) == 7


def test_a_window_that_takes_too_much_memory_is_refused(machine):
    """The memory for unpacking is bounded, whatever the pack asks for."""
    options: dict[int, int] = {zstd.CompressionParameter.window_log: 30, zstd.CompressionParameter.content_size_flag: 0}
    packer = zstd.ZstdCompressor(options=options)

    refused(machine, packer.compress(archive(usual())) + packer.flush(), "not a pack of Chorus, or it is damaged")


def test_a_line_without_end_is_refused(machine, monkeypatch):
    """A line is read into memory, so its length is limited."""
    monkeypatch.setattr(rewriting, "MAX_LINE_BYTES", 1 << 20)

    refused(machine, packed({**usual(), f"project/{SESSION}.jsonl": b"x" * (2 << 20)}), "a line has more than 1 MiB")


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_deep_nesting_is_refused(machine, opening):
    """A line that is nested too deeply to be understood is refused."""
    refused(machine, packed({**usual(), f"project/{SESSION}.jsonl": opening * 200_000}), "nested too deeply")


def test_mutated_packs_write_nothing_by_half(machine, request):
    """A random change of a pack, before or after compression, gives one line of error or a complete session."""
    chance = random.Random(20261118)
    whole, plain = packed(), archive(usual())
    count = 20_000 if request.config.getoption("--long") else 400
    complete = 0
    for _ in range(count):
        is_inner = chance.random() < 0.7
        data = mutated(chance, plain if is_inner else whole)
        if error := error_of(machine, zstd.compress(data) if is_inner else data):
            assert "\n" not in error and machine.is_untouched(), error
        else:
            complete += 1
            found = machine.everything()
            del found[machine.root / "precious.txt"]
            assert len(found) == 6 and all(path.is_relative_to(machine.client) for path in found)
            for path in found:
                path.unlink()
            for path in sorted(machine.client.rglob("*"), reverse=True):
                path.rmdir()
    assert complete < count / 2, "most mutations must be seen"


def error_of(machine, data):
    try:
        machine.unpack(data)
    except ChorusError as error:
        return str(error)
    return None


def mutated(chance, data):
    """Returns the data with one to three changes: bits, runs, or pieces moved, doubled, dropped or replaced."""
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 3))):
        at = chance.randrange(len(data))
        size = chance.choice((1, 1, 8, 100, 512, 1024))
        match chance.randrange(6):
            case 0:
                data[at] ^= 1 << chance.randrange(8)
            case 1:
                data[at : at + size] = bytes(chance.randrange(256) for _ in range(size))
            case 2:
                del data[at : at + size]
            case 3:
                data[at:at] = data[at : at + size]
            case 4:
                data[at : at + 4] = chance.choice((b"../.", b"/etc", b"\0\0\0\0", b"9999", b'"":{'))
            case _:
                to = chance.randrange(len(data))
                data[to : to + size] = data[at : at + size]
    return bytes(data)
