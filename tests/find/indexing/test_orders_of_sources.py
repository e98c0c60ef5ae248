"""Tests that a session file and a log of the same run give the same view and numbers in any order of recording."""

import random
import re
from pathlib import Path
from typing import Any

import pytest

from chorus.core.views.markdown.page import markdown
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import FOLDER
from chorus.keep.archive.listing import find
from chorus.keep.archive.opening import open_kept
from chorus.keep.restore.all_copies import restore_all_versions
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session, encode_all
from tests.find.indexing.forgeries import lay_out_honest, recorded
from tests.find.indexing.test_forgeries import keep, rebuilt

ORDERS = ("file first", "log first", "at once", "log grows first", "log alone is indexed first")


def logged(session: Session, chance: random.Random) -> bytes:
    """Returns what the same client may have printed: the conversation as `stream-json`, between `init` and a result."""
    begin = {"type": "system", "subtype": "init", "session_id": session.id, "cwd": session.cwd, "model": "opus"}
    lines: list[dict[str, Any]] = [begin]
    for line in session.lines:
        if line.get("type") in ("user", "assistant") and not line.get("isSidechain"):
            described = {key: line[key] for key in ("type", "message", "uuid")}
            lines.append({**described, "session_id": session.id, "parent_tool_use_id": None})
    end = {"type": "result", "subtype": "success", "session_id": session.id, "total_cost_usd": 0.25, "num_turns": 1}
    kept = lines if chance.random() < 0.5 else lines[: chance.randrange(1, len(lines))]
    return encode_all([*kept, *([end] if chance.random() < 0.7 else [])])


def described(vault: FileVault, session: str) -> dict[str, Any]:
    """Returns what is shown and counted, without the names of streams."""
    (kept,) = find(vault, session)
    conversation = open_kept(vault, kept)
    index = SqliteIndex(vault.root / FOLDER)
    try:
        (name,) = (each for each in index.positions() if each.endswith(session))
        row = index.conversation(name)
        assert row is not None
        spent, reported, _ = index.spent([name])
        entries = [
            (entry.time, type(entry.item).__name__, _nameless(entry.id), [_nameless(part.id) for part in entry.parts])
            for entry in sorted(index.all_entries(name), key=lambda entry: entry.order)
        ]
    finally:
        index.close()
    return {
        "shown": "".join(markdown(conversation, internal=True)),
        "entries": entries,
        "row": (row.title, row.status, row.tokens, row.calls, row.reported_usd, row.session.messages, row.records),
        "spent": [str(each).replace(name, "") for each in (*spent, *reported)],
        "cost": conversation.reported_cost_usd,
        "tokens": conversation.tokens,
    }


def _nameless(item: str) -> str:
    return re.sub(r"/(session-file|session|log-[0-9a-f]+)@", "/stream@", item)


def kept_in(folder: Path, seed: int, order: str) -> tuple[FileVault, str, list[bytes]]:
    chance = random.Random(seed)
    session, layout = recorded(seed % 7)
    config, log = folder.parent / "config", folder.parent / "out.jsonl"
    if not config.exists():
        lay_out_honest(config, session, layout)
    whole = logged(session, chance)
    vault = FileVault(folder)
    log.write_bytes(whole)
    match order:
        case "file first":
            keep(vault, config)
        case "log first":
            keep(vault, log)
        case "log grows first":
            lines = whole.splitlines(keepends=True)
            log.write_bytes(b"".join(lines[: len(lines) // 2]))
            keep(vault, log)
            log.write_bytes(whole)
        case "log alone is indexed first":
            keep(vault, log)
            rebuilt(vault)
    keep(vault, log, config) if order != "at once" else keep(vault, config, log)
    sources = [log, *(config / "projects").rglob("*.jsonl")]
    return vault, session.id, sorted(path.read_bytes() for path in sources)


def check(folder: Path, seed: int) -> None:
    expected: dict[str, Any] | None = None
    for n, order in enumerate(ORDERS):
        vault, session, sources = kept_in(folder / str(n), seed, order)
        found = described(vault, session)
        expected = expected or found
        assert found == expected, order
        rebuilt(vault)
        assert described(vault, session) == expected, f"{order}, rebuilt"
        (kept,) = find(vault, session)
        given, left_out = restore_all_versions(vault, kept, folder / f"back{n}", is_forced=False)
        assert sorted(Path(each.path).read_bytes() for each in given) == sources and not left_out, order


@pytest.mark.parametrize("seed", range(4))
def test_the_order_in_which_sources_are_kept_changes_nothing(tmp_path, seed):
    """The view, the rows, the sums and the restored bytes are the same, whichever source has the main place."""
    check(tmp_path, seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 200))
def test_the_order_of_random_sources_changes_nothing(tmp_path, seed):
    """A hundred random sources, each in five orders, grown and rebuilt, give the same result."""
    check(tmp_path, seed)
