"""Tests of E3: lines made to exhaust memory are stored and reported, and commands and page take bounded memory."""

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from chorus.core.records.decode import MAX_VALUES, has_more_values
from chorus.testing.builders import Session
from tests.cli.commands import run
from tests.show.server.serving import serving, until
from tests.support.memory import bounded

MB = 1 << 20
NOBODY = b"00000000-0000-4000-8000-000000000000"
"""Stands where the id of the session will."""
MAX_MORE_MB = 64
"""Beyond what the command takes for an honest session, by lines that are not taken apart."""
MAX_RSS_MB = 512
"""With those that are: many small values take more room than their bytes."""
SHORT = {"string": 16 * MB, "tiny": 3_000, "blocks": 5_000}
LONG = {"string": 30 * MB, "long string": 64 * MB, "tiny": 100_000, "blocks": MAX_VALUES // 2 - 50, "line": 1 << 30}


def filled(content: bytes) -> bytes:
    """Returns a line whose message has this content."""
    session = Session(NOBODY.decode())
    session.assistant("@")
    line = bytes(session).splitlines(keepends=True)[-1]
    begin, end = line.index(b"["), line.rindex(b"]", 0, line.index(b"@") + 20) + 1
    return line[:begin] + content + line[end:]


def repeated(value: bytes, count: int) -> bytes:
    return b"[" + b",".join([value] * count) + b"]"


def bombs(sizes: dict[str, int]) -> Iterator[tuple[str, bytes, str]]:
    """Yields name, bytes and the reason in the unread line, which is empty for a line that is read."""
    too_many = "values: too many to decode"
    deep = 1_000_000
    yield "deep lists", filled(b"[" * deep + b"]" * deep), too_many
    yield "deep objects", filled(b'{"a":' * (deep // 20) + b"1" + b"}" * (deep // 20)), "nested"
    yield "empty objects", filled(repeated(b"{}", 2_000_000)), too_many
    yield "blocks", filled(repeated(b'{"type":"text","text":"x"}', 1_000_000)), too_many
    yield "unknown", b'{"type":"new","x":' + repeated(b"{}", 2_000_000) + b"}\n", too_many
    yield "list", repeated(b"{}", min(sizes["tiny"], MAX_VALUES // 2 - 50)) + b"\n", ""
    yield "some blocks", filled(repeated(b"{}", sizes["blocks"])), ""
    yield "string", filled(b'[{"type":"text","text":"' + b"x, " * (sizes["string"] // 3) + b'"}]'), ""
    yield "tiny", b"{}\n" * sizes["tiny"], ""
    if size := sizes.get("long string"):
        yield "long string", filled(b'[{"type":"text","text":"' + b"x, " * (size // 3 + 1) + b'"}]'), "line longer than"
    if size := sizes.get("line"):
        yield "line", b"x" * size + b"\n", "line longer than"


def write(client: Path, sizes: dict[str, int]) -> dict[Path, str]:
    """Writes a session for each bomb, with a normal message before and after it; returns the expected reasons."""
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


@pytest.mark.skipif(not hasattr(os, "posix_spawn"), reason="memory of a child cannot be measured here")
@pytest.mark.parametrize("sizes", [SHORT, pytest.param(LONG, marks=pytest.mark.long)])
def test_no_line_exhausts_memory(tmp_path, monkeypatch, sizes):
    """Every command ends, the lines beside a bomb are shown, and the bomb is stored and reported as unread."""
    client, home = tmp_path / "claude", tmp_path / "home"
    said = write(client, sizes)
    own = {"CHORUS_HOME": str(home), "CLAUDE_CONFIG_DIR": str(client), "NO_COLOR": "1"}
    for name, value in own.items():
        monkeypatch.setenv(name, value)
    peaks = {}
    _, peaks["stats"] = bounded(MAX_RSS_MB, "stats", client)
    _, peaks["sync"] = bounded(MAX_RSS_MB, "sync")
    shown, peaks["show"] = bounded(MAX_RSS_MB, "show", "--all", client)
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


@pytest.mark.skipif(not hasattr(os, "posix_spawn"), reason="memory of a child cannot be measured here")
@pytest.mark.parametrize("size_mb", [64, pytest.param(1 << 10, marks=pytest.mark.long)])
def test_a_line_that_is_too_long_takes_no_more_than_64_mb(tmp_path, monkeypatch, size_mb):
    """A string of 64 MiB and a line of a gigabyte are stored and reported, and every command takes bounded memory."""
    peaks: dict[str, dict[str, int]] = {}
    for name, count in (("honest", 1), ("bomb", size_mb * MB // 3 + 1)):
        client = tmp_path / name / "claude"
        session = Session("5e551012-0000-4000-8000-000000000001")
        session.user("the message before")
        before = bytes(session)
        session.user("the message after")
        bomb = filled(b'[{"type":"text","text":"@"}]').replace(NOBODY, session.id.encode()).partition(b"@")
        path = client / "projects" / "-p" / f"{session.id}.jsonl"
        path.parent.mkdir(parents=True)
        with path.open("wb") as file:
            file.write(before + bomb[0])
            for start in range(0, count, MB):
                file.write(b"x, " * min(MB, count - start))
            file.write(bomb[2] + bytes(session)[len(before) :])
        monkeypatch.setenv("CHORUS_HOME", str(tmp_path / name / "home"))
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(client))
        commands = (
            ("stats", client),
            ("sync",),
            ("show", path),
            ("show", session.id),
            ("verify",),
            ("search", "after"),
        )
        said = {" ".join(map(str, command[:1])): bounded(10_000, *command) for command in commands}
        assert "the message after" in said["show"][0]
        assert ("line longer than" in said["show"][0]) == (name == "bomb")
        peaks[name] = {command: used for command, (_, used) in said.items()}
    more = {command: peaks["bomb"][command] - used for command, used in peaks["honest"].items()}
    print(f"E3: a line of {size_mb} MB: MB more than for an honest one: {more}")
    assert max(more.values()) <= MAX_MORE_MB, (peaks, more)


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
    """Each object, list and further member counts as one value; the content of strings does not count."""
    assert has_more_values(text, count - 1) and not has_more_values(text, count)
