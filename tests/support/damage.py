"""Builds a vault with every kind of file, and damages any of them at random."""

import json
import os
import random
import shutil
from pathlib import Path

from chorus.keep.archive.listing import conversations
from chorus.keep.restore.forgetting import forget, planned_removal
from chorus.keep.sources.sync import Sync
from chorus.keep.vault.files import FileVault
from chorus.show.recorder.decisions import Decisions
from chorus.steer.runs.run_folders import Runs
from chorus.testing.builders import Flat, Layout, Session, lay_out, tool_use
from chorus.testing.builders.lines import Clock
from tests.steer.approvals.samples import add_approver, ledger_in, request

NOW = "2026-11-15T12:00:00.000Z"
_DISPOSABLE = {"index", "cache", "run", "runs", "stdin"}
KINDS = ("flip", "zero", "cut", "cut at a line", "remove line", "double line", "swap lines", "remove file", "append")


def session(number, turns):
    made = Session(
        f"5e551012-0000-4000-8000-0000000{number:05d}", clock=Clock("2026-01-05T09:00:00.000Z"), cwd=f"/w/{number % 3}"
    )
    made.title(f"Talk {number}")
    for turn in range(turns):
        made.user(f"Question {turn} of {number} ☃")
        made.assistant(tool_use("Bash", {"command": f"ls {turn}"}, id=f"t{turn}"))
        made.tool_result(f"t{turn}", "out " * (turn + 1))
    if number % 2:
        made.assistant(tool_use("Agent", {"prompt": "Dig"}, id="tx"))
        agent = made.agent(f"a{number}", "tx", description="Dig")
        agent.user("Dig")
        agent.assistant("Found it.", stop="end_turn")
    made.assistant("Done.", stop="end_turn")
    return made


def build(folder: Path) -> tuple[Path, Path]:
    """Builds a client's folder and its vault: streams, sealed streams, revisions, parts, logs, side files and state."""
    client, root = folder / "claude", folder / "vault"
    paths = [
        lay_out(client, session(n, 2 + n % 4), Layout.BELOW, side_files={"t1.txt": f"long {n} " * 50}) for n in range(6)
    ]
    history = [
        {"display": f"say {n}", "timestamp": 1_767_000_000_000 + n, "project": "/w/0", "sessionId": "gone-1"}
        for n in range(5)
    ]
    (client / "history.jsonl").write_text("".join(json.dumps(each) + "\n" for each in history))
    # The second half of this file has another session id, as the log below has.
    mixed = session(7, 4)
    half = len(mixed.lines) // 2
    for line in mixed.lines[half:]:
        line["sessionId"] = "5e551012-0000-4000-8000-0000000000aa"
    lay_out(client, mixed, Layout.BELOW)
    (folder / "logs").mkdir()
    both = [*session(8, 2).lines, *session(10, 2).lines]
    (folder / "logs" / "both.jsonl").write_text("".join(json.dumps(each) + "\n" for each in both))
    flat = Flat()
    flat.start("f1a70000-0000-4000-8000-000000000001")
    flat.user("hello")
    flat.text("there")
    flat.result()
    (folder / "logs" / "talk.jsonl").write_bytes(bytes(flat))
    vault = FileVault(root)
    syncing = Sync(vault, root, lambda: NOW)
    syncing.run([client, folder / "logs"])
    with paths[0].open("ab") as file:
        file.write(bytes(session(0, 1)))
    data = paths[1].read_bytes().splitlines(keepends=True)
    paths[1].write_bytes(b"".join(data[:3] + data[4:]))
    syncing.run([client])
    for path in paths[3:5]:
        os.utime(path, (1_700_000_000, 1_700_000_000))
    syncing.run([client])
    syncing.seal_idle(1_750_000_000_000_000_000)
    last = next(each for each in conversations(vault) if each.id == session(5, 0).id)
    forget(vault, [planned_removal(vault, last)], Runs(root), time=NOW, pattern=None)
    state = root / "state"
    add_approver(state, "ada")
    add_approver(state, "bob", by="ada")
    ledger = ledger_in(state)
    rows = [ledger.ask(request(session=session(n, 0).id, key=f"run/{n}", tool_use=f"t{n}")) for n in range(3)]
    for row in rows:
        ledger.withdraw(row.id, "not needed")
    Decisions(vault).take()
    vault.close()
    return client, root


def targets(root: Path) -> list[Path]:
    """Returns every file of the vault that is not a lock and cannot be built again."""
    found = [path for path in sorted(root.rglob("*")) if path.is_file()]
    return [
        path
        for path in found
        if path.relative_to(root).parts[0] not in _DISPOSABLE
        and path.suffix not in (".lock", ".tmp")
        and path.stat().st_size
    ]


def damage(path: Path, kind: str, chance: random.Random) -> bool:
    """Damages a file in this way, and returns whether that changed it."""
    data = path.read_bytes()
    lines = data.splitlines(keepends=True) if path.suffix in (".jsonl", ".json") else [data]
    at = chance.randrange(len(data))
    n, m = chance.randrange(len(lines)), chance.randrange(len(lines))
    match kind:
        case "flip":
            new = data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]
        case "zero":
            size = chance.randrange(1, 65)
            new = data[:at] + bytes(len(data[at : at + size])) + data[at + size :]
        case "cut":
            new = data[:at]
        case "cut at a line":
            new = b"".join(lines[:n])
        case "remove line":
            new = b"".join(lines[:n] + lines[n + 1 :])
        case "double line":
            new = b"".join(lines[: n + 1] + lines[n:])
        case "swap lines":
            lines[n], lines[m] = lines[m], lines[n]
            new = b"".join(lines)
        case "append":
            new = data + bytes(chance.randrange(256) for _ in range(chance.randrange(1, 40)))
        case _:
            path.unlink()
            return True
    path.write_bytes(new)
    return new != data


def copied(root: Path, to: Path) -> Path:
    """Copies the vault with the times of its files."""
    shutil.copytree(root, to, copy_function=shutil.copy2)
    return to
