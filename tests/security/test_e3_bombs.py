"""E3: lines made to exhaust memory go through every command and the page in bounded memory, kept and named."""

import os
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from chorus.records.decode import MOST_VALUES, has_more_values
from chorus.testing.builders import Session
from tests.cli.commands import run
from tests.server.serving import serving, until

MB = 1 << 20
NOBODY = b"00000000-0000-4000-8000-000000000000"
"""Stands where the id of the session will."""
MOST_RSS_MB = 512
SHORT = {"string": 16 * MB, "tiny": 3_000, "blocks": 5_000}
LONG = {"string": 64 * MB, "tiny": 100_000, "blocks": MOST_VALUES // 2 - 50, "line": 1 << 30}
MOST_RSS_LONG_MB = 1_024


def filled(content: bytes) -> bytes:
    """A line whose message has this content."""
    session = Session(NOBODY.decode())
    session.assistant("@")
    line = bytes(session).splitlines(keepends=True)[-1]
    begin, end = line.index(b"["), line.rindex(b"]", 0, line.index(b"@") + 20) + 1
    return line[:begin] + content + line[end:]


def repeated(value: bytes, count: int) -> bytes:
    return b"[" + b",".join([value] * count) + b"]"


def bombs(sizes: dict[str, int]) -> Iterator[tuple[str, bytes, str]]:
    """Name, bytes, and what the unread line says of it; empty for one that is read."""
    too_many = "values: too many to be taken apart"
    deep = 1_000_000
    yield "deep lists", filled(b"[" * deep + b"]" * deep), too_many
    yield "deep objects", filled(b'{"a":' * (deep // 20) + b"1" + b"}" * (deep // 20)), "nested"
    yield "empty objects", filled(repeated(b"{}", 2_000_000)), too_many
    yield "blocks", filled(repeated(b'{"type":"text","text":"x"}', 1_000_000)), too_many
    yield "unknown", b'{"type":"new","x":' + repeated(b"{}", 2_000_000) + b"}\n", too_many
    yield "list", repeated(b"{}", sizes["tiny"]) + b"\n", ""
    yield "some blocks", filled(repeated(b"{}", sizes["blocks"])), ""
    yield "string", filled(b'[{"type":"text","text":"' + b"x, " * (sizes["string"] // 3) + b'"}]'), ""
    yield "tiny", b"{}\n" * sizes["tiny"], ""
    if size := sizes.get("line"):
        yield "line", b"x" * size + b"\n", "line longer than"


def write(client: Path, sizes: dict[str, int]) -> dict[Path, str]:
    """A session for each bomb, with an honest message on either side of it; gives what each must say."""
    project = client / "projects" / "-p"
    project.mkdir(parents=True)
    said = {}
    for number, (_, data, reason) in enumerate(bombs(sizes)):
        session = Session(f"5e551012-0000-4000-8000-{number:012d}")
        session.user("the message before")
        before = bytes(session)
        session.user("the message after")
        path = project / f"{session.id}.jsonl"
        path.write_bytes(before + data.replace(NOBODY, session.id.encode()) + bytes(session)[len(before) :])
        said[path] = reason
    return said


def bounded(most_mb: int, *command: object) -> tuple[str, int]:
    """What a command prints, and the most memory it held in megabytes; it ended by itself."""
    call = [sys.executable, "-m", "chorus", *map(str, command)]
    with Popen(call, stdout=PIPE) as child:
        assert child.stdout is not None
        output = child.stdout.read().decode()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode in (0, 1), (command, child.returncode, output[-2_000:])
    assert used.ru_maxrss >> 10 <= most_mb, f"{command}: {used.ru_maxrss >> 10} MB"
    return output, used.ru_maxrss >> 10


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="memory of a child cannot be measured here")
@pytest.mark.parametrize(
    ("sizes", "most_mb"), [(SHORT, MOST_RSS_MB), pytest.param(LONG, MOST_RSS_LONG_MB, marks=pytest.mark.long)]
)
def test_no_line_exhausts_memory(tmp_path, monkeypatch, sizes, most_mb):
    """Every command ends, the lines beside a bomb are shown, and the bomb is named as unread, byte for byte kept."""
    client, home = tmp_path / "claude", tmp_path / "home"
    said = write(client, sizes)
    own = {"CHORUS_HOME": str(home), "CLAUDE_CONFIG_DIR": str(client), "NO_COLOR": "1"}
    for name, value in own.items():
        monkeypatch.setenv(name, value)
    peaks = {}
    _, peaks["stats"] = bounded(most_mb, "stats", client)
    _, peaks["sync"] = bounded(most_mb, "sync")
    shown, peaks["show"] = bounded(most_mb, "show", "--all", client)
    assert shown.count("the message after") == len(said)
    for reason in set(said.values()) - {""}:
        assert " ".join(shown.split()).count(reason) == list(said.values()).count(reason), reason
    for path in said:
        assert run("restore", path.stem, "--to", tmp_path / "back").exit_code == 0
        assert (tmp_path / "back" / "projects" / "-p" / path.name).read_bytes() == path.read_bytes()

    with serving(home, client) as server:
        browser = server.browser()
        found = until(
            lambda: len(all_ := browser.get("/api/conversations").json["conversations"]) == len(said) and all_
        )
        for each in found:
            for address in ("", "/rows?limit=100", "/outline"):
                assert browser.get(f"/api/conversations/{each['name']}{address}").status == 200
    peaks["this process, with the server"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"E3: {len(said)} bombs, {sum(path.stat().st_size for path in said):,} bytes: all kept; most MB: {peaks}")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (b"{}", 1),
        (b'{"a":1,"b":[1,2]}', 4),
        (b'{"a,{[":",,,[{"}', 1),
        (rb'{"a\\":"\",,"}', 1),
        (rb'{"\\\"":",","b":1}', 2),
    ],
)
def test_values_are_counted_outside_strings(text, count):
    """An object, a list and each further member is one; what strings hold is none."""
    assert has_more_values(text, count - 1) and not has_more_values(text, count)
