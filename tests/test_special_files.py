"""Tests of special files under any name that Chorus opens in the folder of a client.

Nothing hangs or leaks, and skipped files are reported.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.client_folder import KINDS, SECRET, fill, make_outside, names, put, session_id

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
PROGRAM = Path(__file__).parent / "support" / "client_commands.py"
PATIENCE_S = 120
MEMORY_BYTES = 2 << 30


def run(tmp_path):
    def small() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))

    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(tmp_path / "claude"), str(tmp_path / "home")],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        preexec_fn=small,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def kept_bytes(home):
    """Returns everything in the vault, sealed or not."""
    return b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file() and "index" not in path.parts)


def check(found, special):
    """Returns the special files that no command reported as skipped.

    It also checks that every command ended and that all files were opened through the one module for it.
    """
    for name, told in found["commands"].items():
        assert told.get("error") is None, (name, told)
    assert not [name for name, is_by_the_door in found["opened"].items() if not is_by_the_door]
    assert found["commands"]["served"]["state"] == "watching" and found["commands"]["served"]["ended"]
    assert found["commands"]["served"]["trouble"]
    said = json.dumps([found["commands"][name]["output"] for name in ("sync", "sync words", "doctor")])
    return [path for path in special if str(path) not in said]


def test_everything_that_is_opened_has_been_thought_of(tmp_path):
    """In a plain folder, every command opens files through one module, and only files that the next test replaces."""
    client = tmp_path / "claude"
    client.mkdir()
    fill(client, 1)
    known = names(client)
    found = run(tmp_path)

    assert not [name for name, is_by_the_door in found["opened"].items() if not is_by_the_door]
    made_meanwhile = {name for name in found["opened"] if "000777" in name or "000778" in name}
    assert set(found["opened"]) - made_meanwhile <= known | {"plans"}
    assert {name for name in known if (client / name).is_file()} <= set(found["opened"])


def special_tree(tmp_path, kinds):
    """Builds sessions in which each file in turn is a special file of each kind; returns the paths."""
    client, outside = tmp_path / "claude", make_outside(tmp_path / "outside")
    client.mkdir()
    of_session = [name for name in fill(client, 0) if session_id(0) in name or "plan-0" in name or "agent-b0" in name]
    special = []
    n = 0
    for kind in kinds:
        for name in of_session:
            n += 1
            fill(client, n)
            path = client / name.replace(session_id(0), session_id(n)).replace("plan-0", f"plan-{n}")
            path = path.with_name(path.name.replace("agent-b0", f"agent-b{n}"))
            put(kind, path, outside)
            special.append(path)
    return special


def some_in_the_default_run(kinds, chosen):
    return [pytest.param(kind, marks=[] if kind in chosen else [pytest.mark.long]) for kind in kinds]


@pytest.mark.parametrize(
    "kinds",
    some_in_the_default_run([("pipe", "folder outside"), *((each,) for each in KINDS)], [("pipe", "folder outside")]),
)
def test_special_files_in_place_of_a_sessions_own(tmp_path, kinds):
    """If a pipe, socket, device or outside link replaces a file of a session, the rest of the session is recorded."""
    special = special_tree(tmp_path, kinds)
    found = run(tmp_path)

    assert check(found, special) == []
    assert SECRET.encode() not in kept_bytes(tmp_path / "home")
    kept = json.loads(found["commands"]["sync"]["output"].splitlines()[-1])
    assert kept["failed"] == [] or kinds == ("loop",)


SHARED = ("history.jsonl", "settings.json", "sessions", "todos", "tasks", "file-history", "plans")


@pytest.mark.parametrize("kind", some_in_the_default_run(KINDS, ["zero"]))
def test_special_files_in_place_of_what_sessions_share(tmp_path, kind):
    """If a special file replaces a file or folder that all sessions share, the rest is recorded too."""
    client, outside = tmp_path / "claude", make_outside(tmp_path / "outside")
    client.mkdir()
    fill(client, 1)
    for name in SHARED:
        put(kind, client / name, outside)
    found = run(tmp_path)

    left = check(found, [client / "history.jsonl"])
    assert left == [] and SECRET.encode() not in kept_bytes(tmp_path / "home")


def test_links_that_a_person_made_are_followed(tmp_path):
    """The folder of the client and its projects may be links, and links may lead to folders that the settings allow."""
    real = tmp_path / "disk"
    (real / "claude").mkdir(parents=True)
    fill(real / "claude", 1)
    (real / "claude" / "projects").rename(real / "sessions")
    (real / "claude" / "projects").symlink_to(real / "sessions")
    (tmp_path / "claude").symlink_to(real / "claude")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    fill(elsewhere, 2)
    (real / "sessions" / "-more").symlink_to(elsewhere / "projects" / "-home-dev-work")
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.json").write_text(json.dumps({"followLinksTo": [str(elsewhere)]}))
    found = run(tmp_path)

    assert json.loads(found["commands"]["sync"]["output"].splitlines()[-1])["skipped"] == [
        f"{tmp_path}/claude/projects/-home-dev-work/5e551012-0000-4000-8000-000000000778.jsonl: is a named pipe"
    ]
    kept = {path.name for path in (home / "conversations").rglob("*.jsonl")}
    assert {f"{session_id(1)}.jsonl", f"{session_id(2)}.jsonl"} <= kept
