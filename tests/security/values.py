"""Records with random changes of values: huge, negative, not a number, of another type, missing or repeated."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from chorus.testing.builders import Flat, Run, Session, thinking, tool_use

SHARED = Path(__file__).resolve().parents[3] / "shared"
LITERALS = (
    "1" + "0" * 30,
    "-1" + "0" * 30,
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "1" + "0" * 400,
    "1e308",
    "1e999",
    "-1e999",
    "-1",
    "-0.0",
    "0.5",
    "NaN",
    "Infinity",
    "-Infinity",
    "true",
    "null",
    '""',
    '"x"',
    r'"\ud800"',
    r'"\u0000"',
    '"9999-12-31T23:59:59.999Z"',
    '"0001-01-01T00:00:00+14:00"',
    '"2026-02-30T25:61:61Z"',
    '"zzzz-99-99T99:99:99.999Z"',
    f'"/{"a" * 5_000}"',
    '"../../../etc/passwd"',
    '"-rf"',
    "[]",
    "{}",
    "[[[[[]]]]]",
    '{"a":{"b":[1,2,{"c":null}]}}',
    '["x",1,null]',
)
"""JSON texts, and some that only lax writers call so."""
_MARK = "@value@"


def mutated(line: dict[str, Any], random: Random) -> bytes:
    """Returns the line with one to four values changed, removed or written twice."""
    copy = json.loads(json.dumps(line))
    literals = []
    for _ in range(random.randint(1, 4)):
        places = list(_places(copy))
        if not places:
            break
        owner, key = random.choice(places)
        how = random.random()
        if how < 0.15:
            del owner[key]
        elif how < 0.25 and isinstance(owner, dict):
            # A key with this prefix becomes the same key again below.
            owner["@again@" + key] = random.choice(("x", 7, None, [], {}))
        else:
            owner[key] = f"{_MARK}{len(literals)}"
            literals.append(random.choice(LITERALS))
    text = json.dumps(copy).replace("@again@", "")
    for number, literal in enumerate(literals):
        text = text.replace(f'"{_MARK}{number}"', literal)
    return text.encode() + b"\n"


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yields every place of a value: its object or list, and its key."""
    for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(inner, (dict, list)):
            yield from _places(inner)


def made_up() -> list[list[dict[str, Any]]]:
    """Returns a session, a run's output and flat events, with every kind of record that has numbers."""
    session = Session()
    session.user("A needle, please")
    session.assistant(thinking("Hay."), tool_use("Bash", {"command": "ls", "timeout": 5}, id="t1"))
    session.tool_result("t1", "needle", structured={"stdout": "needle", "durationMs": 3, "exitCode": 0})
    session.assistant(tool_use("Edit", {"file_path": "/a", "old_string": "a", "new_string": "b"}, id="t2"))
    session.tool_result(
        "t2",
        "ok",
        structured={
            "filePath": "/a",
            "structuredPatch": [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"]}],
        },
    )
    session.assistant(tool_use("Task", {"description": "d", "prompt": "p"}, id="t3"))
    session.tool_result("t3", "done", structured={"agentId": "a1", "status": "completed", "totalTokens": 5})
    session.system("turn_duration", durationMs=7)
    session.system("api_error", error={"status": 529}, retryAttempt=1, maxRetries=10, retryInMs=500)
    session.compact("What was said")
    session.queue("enqueue", "next")
    session.snapshot({"/a": {"version": 1, "backupTime": "2026-01-01T00:00:00.000Z"}})
    session.title("A title")
    session.assistant("A needle.", stop="end_turn")
    run = Run()
    run.init()
    run.assistant("Hello", tool_use("Read", {"file_path": "/a", "offset": 1, "limit": 2}, id="t1"))
    run.result()
    flat = Flat()
    flat.start("0b0e0c1a-0000-4000-8000-00000000000f")
    flat.text("needle")
    flat.tool_use("t1", "Bash", {"command": "ls"})
    flat.tool_result("t1", "needle")
    flat.permission_request("May I?", tool="Bash")
    flat.error("overloaded", "Too many")
    flat.result()
    return [session.lines, run.lines, flat.lines]


def recorded(random: Random, *, most_bytes: int) -> list[list[dict[str, Any]]]:
    """Returns some recordings, if there are any."""
    files = sorted(path for path in SHARED.glob("*/**/*.jsonl") if path.stat().st_size <= most_bytes)
    return [lines for path in random.sample(files, min(len(files), 12)) if (lines := _objects(path))]


def _objects(path: Path) -> list[dict[str, Any]]:
    found = []
    for line in path.read_bytes().splitlines()[:60]:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found
