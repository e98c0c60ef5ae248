"""Tests that a source that uses the ids of another one changes no row and no sum of the record."""

import json
import random
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from chorus.core.conversation.todos import todos
from chorus.core.query.parse import parse
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import FOLDER, IndexKeeper
from chorus.keep.archive.listing import find
from chorus.keep.archive.opening import open_kept
from chorus.keep.sources.sync import Sync
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Layout, Line, Session, encode_all, lay_out
from chorus.testing.builders.lines import usage
from tests.find.indexing.forgeries import EVIL, KINDS, Forgery, forge, lay_out_honest, recorded, write
from tests.find.indexing.vaults import SAVED

NOW = "2026-02-01T00:00:00.000Z"
WHEN = datetime(2026, 2, 1, tzinfo=UTC)
ORDERS = ("honest first", "forged first", "at once", "in between")


def is_marked(item) -> bool:
    """Returns whether an item is shown as coming from another source or belongs to the sub-agent of the forger."""
    return getattr(item, "source", None) is not None or item.agent == EVIL


def described(vault: FileVault, session: str) -> dict:
    """Returns everything that the conversation shows, in its order, without the places of its records."""
    (kept,) = find(vault, session)
    conversation = open_kept(vault, kept)
    found = sorted(conversation.items.values(), key=lambda item: (item.order[0], item.order[3:], item.id))
    return {
        "items": [_bare(item) for item in found if not is_marked(item)],
        "session": structs.replace(conversation.session, order=("", 0, "", 0, 0)),
        "tokens": conversation.tokens,
        "reported": conversation.reported_cost_usd,
        "todos": todos(conversation),
    }


def indexed(vault: FileVault, session: str) -> dict:
    """Returns the same facts from the index."""
    index = SqliteIndex(vault.root / FOLDER)
    try:
        (name,) = (each for each in index.positions() if each.endswith(session))
        row = index.conversation(name)
        assert row is not None
        spent, reported, _ = index.spent([name])
        entries = [entry for entry in index.all_entries(name) if not is_marked(entry.item)]
        return {
            "entries": [
                (_bare(entry.item), [(part.id, part.kind, part.call) for part in entry.parts])
                for entry in sorted(entries, key=lambda entry: (entry.order[0], entry.order[3:], entry.id))
            ],
            "row": (row.title, row.status, row.tokens, row.calls, row.reported_usd, row.session.messages),
            "times": (row.session.started_at, row.session.ended_at),
            "spent": [structs.replace(each, conversation="") for each in spent],
            "reported": [structs.replace(each, conversation="") for each in reported],
        }
    finally:
        index.close()


def conflicts(vault: FileVault) -> int:
    index = SqliteIndex(vault.root / FOLDER)
    try:
        return len(index.search(parse("is:conflict", now=WHEN), limit=1000).hits)
    finally:
        index.close()


def _bare(item):
    # The name of a stream depends on which file was seen first.
    name = re.sub("/(copy-[0-9a-f]+|session-file)@", "/session@", item.id)
    empty: dict[str, Any] = {"order": ("", 0, "", 0, 0), "id": name}
    if hasattr(item, "place"):
        empty["place"] = None
    return structs.replace(item, **empty)


def keep(vault: FileVault, *sources: Path) -> None:
    Sync(vault, vault.root, lambda: NOW).run(sources)
    keeper = IndexKeeper(vault, saved_since=SAVED)
    keeper.catch_up()
    keeper.close()


def rebuilt(vault: FileVault) -> None:
    keeper = IndexKeeper(vault, saved_since=SAVED)
    keeper.rebuild()
    keeper.close()


def attacked(folder: Path, seed: int, order: str, kind: str | None = None) -> tuple[FileVault, str, Forgery]:
    """Returns a vault that recorded an honest session and a forgery of it."""
    chance = random.Random(seed)
    session, layout = recorded(seed % 7)
    config, elsewhere = folder / "config", folder / "elsewhere"
    lay_out_honest(config, session, layout)
    forgery = forge(session, config, elsewhere, chance, kind)
    vault = FileVault(folder / "vault")
    honest = list((config / "projects").rglob("*.jsonl"))
    match order:
        case "honest first":
            keep(vault, config)
            write(forgery)
            keep(vault, config, forgery.path)
        case "forged first":
            write(forgery)
            keep(vault, forgery.path)
            keep(vault, config, forgery.path)
        case "at once":
            write(forgery)
            keep(vault, config, forgery.path)
        case _:
            (main,) = (path for path in honest if path.stem == session.id)
            whole = main.read_bytes()
            lines = whole.splitlines(keepends=True)
            main.write_bytes(b"".join(lines[: len(lines) // 2]))
            keep(vault, config)
            write(forgery)
            keep(vault, config, forgery.path)
            with main.open("ab") as file:
                file.write(b"".join(lines[len(lines) // 2 :]))
            keep(vault, config, forgery.path)
    return vault, session.id, forgery


def honest_alone(folder: Path, seed: int) -> tuple[dict, dict]:
    session, layout = recorded(seed % 7)
    lay_out_honest(folder / "config", session, layout)
    vault = FileVault(folder / "vault")
    keep(vault, folder / "config")
    return described(vault, session.id), indexed(vault, session.id)


def check(folder: Path, seed: int, kind: str | None = None) -> None:
    expected = honest_alone(folder / "alone", seed)
    for n, order in enumerate(ORDERS):
        vault, session, forgery = attacked(folder / str(n), seed, order, kind)
        where = f"{forgery.kind}, {order}, seed {seed}"
        assert described(vault, session) == expected[0], where
        assert indexed(vault, session) == expected[1], where
        rebuilt(vault)
        assert indexed(vault, session) == expected[1], f"{where}, rebuilt"
        if forgery.kind != "other session":
            assert conflicts(vault), where


@pytest.mark.parametrize("kind", KINDS)
def test_a_forgery_changes_no_honest_row_and_no_honest_sum(tmp_path, kind):
    """A source that uses the ids of a conversation changes no honest row and no honest sum, in any order of import."""
    check(tmp_path, KINDS.index(kind), kind)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(300))
def test_random_forgeries_change_no_honest_row_and_no_honest_sum(tmp_path, seed):
    """Three hundred forgeries, in four orders of import, grown and rebuilt, change no honest row and no honest sum."""
    check(tmp_path, 1000 + seed)


@pytest.mark.parametrize("layout", list(Layout))
@pytest.mark.parametrize("order", ["honest first", "forged first", "at once"])
def test_copies_in_a_sub_agent_s_file_take_nothing_out_of_the_conversation(tmp_path, layout, order):
    """A sub-agent's file with true copies of honest lines, at earlier times, moves no call, no time and no sum."""
    session, _ = recorded(2)
    lay_out_honest(tmp_path / "alone" / "config", session, Layout.BELOW)
    alone = FileVault(tmp_path / "alone" / "vault")
    keep(alone, tmp_path / "alone" / "config")
    copies: list[Line] = []
    for line in session.lines:
        copy = json.loads(json.dumps(line)) | {"isSidechain": True, "agentId": EVIL, "version": "1.0.17"}
        copy["timestamp"] = "2020-01-01T00:00:00.000Z"
        if copy["type"] == "assistant":
            copy |= {"costUSD": 7.5, "durationMs": 1}
            copy["message"]["usage"] = usage(given=4_000_000, said=4_000_000)
        copies.append(copy)
    for kind, fields in {
        "custom-title": {"customTitle": "FORGED"},
        "cost-state": {"totalCostUSD": 9_000.0},
        "permission-mode": {"permissionMode": "bypassPermissions"},
        "last-prompt": {"lastPrompt": "x", "leafUuid": session.lines[0]["uuid"], "explicit": True},
    }.items():
        copies.append({"type": kind, "sessionId": session.id, "isSidechain": True, "agentId": EVIL, **fields})
    config = tmp_path / "config"
    project = lay_out(config, session, Layout.BELOW).parent
    forged = {
        Layout.BELOW: project / session.id / "subagents" / f"agent-{EVIL}.jsonl",
        Layout.BESIDE: project / f"agent-{EVIL}.jsonl",
    }.get(layout, project / session.id / "subagents" / "workflows" / "one" / f"agent-{EVIL}.jsonl")
    (main,) = (path for path in config.rglob("*.jsonl") if path.stem == session.id)
    steps = {"honest first": [main, forged], "forged first": [forged, main], "at once": [None]}[order]
    content = {main: main.read_bytes(), forged: encode_all(copies)}
    vault = FileVault(tmp_path / "vault")
    main.unlink()
    for step in steps:
        for path in content if step is None else [step]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content[path])
        keep(vault, config)

    assert described(vault, session.id) == described(alone, session.id)
    assert indexed(vault, session.id) == indexed(alone, session.id)
    rebuilt(vault)
    assert indexed(vault, session.id) == indexed(alone, session.id)


NOTIFIED = "<task-notification><task-id>a0000002</task-id><status>failed</status></task-notification>"
STRANGERS = {
    "with the same prompt": ({"content": "Look around"}, {}, None),
    "with a sidecar": ({"content": "Look around"}, {}, {"toolUseId": "toolu_agent2", "finished": True}),
    "with a notification": ({"content": NOTIFIED}, {}, None),
    "with a report": (
        {"content": [{"type": "tool_result", "tool_use_id": "toolu_x", "content": "stopped"}]},
        {"toolUseResult": {"task": {"task_id": "a0000002", "status": "failed"}}},
        None,
    ),
}


@pytest.mark.parametrize("stranger", STRANGERS)
def test_a_stranger_says_nothing_about_other_agents(tmp_path, monkeypatch, stranger):
    """A file beside those of sub-agents takes no call from them, and does not say how they ended."""
    name = "00evil01"
    monkeypatch.setattr("tests.find.indexing.test_forgeries.EVIL", name)
    session, _ = recorded(2)
    for config in (tmp_path / "alone", tmp_path / "config"):
        lay_out_honest(config, session, Layout.BELOW)
    folder = next((tmp_path / "config" / "projects").iterdir()) / session.id / "subagents"
    message, more, sidecar = STRANGERS[stranger]
    line: Line = {
        "type": "user",
        "uuid": "00000001-0000-4000-8000-0000000000ee",
        "sessionId": session.id,
        "isSidechain": True,
        "agentId": name,
        "parentUuid": None,
        "timestamp": "2027-01-05T09:30:00.000Z",
        "message": {"role": "user", **message},
        **more,
    }
    (folder / f"agent-{name}.jsonl").write_bytes(encode_all([line]))
    if sidecar:
        (folder / f"agent-{name}.meta.json").write_text(json.dumps(sidecar))
    alone, vault = FileVault(tmp_path / "vault of it"), FileVault(tmp_path / "vault")
    keep(alone, tmp_path / "alone")
    keep(vault, tmp_path / "config")

    assert described(vault, session.id) == described(alone, session.id)


def test_a_log_that_agrees_does_not_change_when_the_session_began(tmp_path):
    """A log that repeats a line and adds a record of another day changes neither begin nor end of the session."""
    session, _ = recorded(2)
    for config in (tmp_path / "alone", tmp_path / "config"):
        lay_out_honest(config, session, Layout.BELOW)
    more = {"type": "novelty", "sessionId": session.id, "timestamp": "2020-01-01T00:00:00.000Z"}
    log = tmp_path / "run.jsonl"
    log.write_bytes(encode_all([session.lines[0], more]))
    alone, vault = FileVault(tmp_path / "vault of it"), FileVault(tmp_path / "vault")
    keep(alone, tmp_path / "alone")
    keep(vault, tmp_path / "config", log)

    assert described(vault, session.id)["session"] == described(alone, session.id)["session"]
    assert indexed(vault, session.id)["times"] == indexed(alone, session.id)["times"]


def _with_lines_without_ids() -> Session:
    """Returns a session with records of every kind that has no id: titles, modes, snapshots, the queue."""
    session, _ = recorded(1)
    session.title("A second title")
    session.queue("enqueue", "typed while it worked")
    session.queue("dequeue")
    session.snapshot({"/a": {"version": 1, "backupTime": "2026-01-05T09:30:00.000Z"}})
    for kind, fields in {
        "mode": {"mode": "normal"},
        "permission-mode": {"permissionMode": "plan"},
        "last-prompt": {"lastPrompt": "x", "leafUuid": session.leaf},
        "summary": {"summary": "A summary", "leafUuid": session.leaf},
        "novelty": {"value": 1},
    }.items():
        session.lines.append({"type": kind, "sessionId": session.id, **fields})
    return session


@pytest.mark.parametrize("order", ["copy last", "copy first", "at once", "growing"])
def test_a_true_copy_in_another_folder_is_no_other_source(tmp_path, order):
    """A backup of a session's file changes nothing and contradicts nothing, also where its records have no ids."""
    session = _with_lines_without_ids()
    lay_out_honest(tmp_path / "alone" / "config", session, Layout.BELOW)
    alone = FileVault(tmp_path / "alone" / "vault")
    keep(alone, tmp_path / "alone" / "config")
    config, copy = tmp_path / "config", tmp_path / "backup" / f"{session.id}.jsonl"
    lay_out_honest(config, session, Layout.BELOW)
    (main,) = (path for path in config.rglob("*.jsonl") if path.stem == session.id)
    whole = main.read_bytes()
    copy.parent.mkdir()
    vault = FileVault(tmp_path / "vault")
    steps = {"copy last": [(1, 0), (1, 1)], "copy first": [(0, 1), (1, 1)], "at once": [(1, 1)]}
    lines = whole.splitlines(keepends=True)
    growing = [(0.3, 0), (0.3, 0.6), (0.7, 0.6), (0.7, 1), (1, 1)]
    for own, other in steps.get(order, growing):
        for path, share in ((main, own), (copy, other)):
            path.unlink(missing_ok=True)
            if share:
                path.write_bytes(b"".join(lines[: round(len(lines) * share)]))
        keep(vault, config, copy.parent)

    assert conflicts(vault) == 0
    assert described(vault, session.id) == described(alone, session.id)
    assert indexed(vault, session.id) == indexed(alone, session.id)
    rebuilt(vault)
    assert indexed(vault, session.id) == indexed(alone, session.id)
