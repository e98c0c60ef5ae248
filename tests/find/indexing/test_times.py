"""Tests that entries are shown and found by the time of their own record, which is independent of their order."""

import json
import shutil
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from chorus.core.conversation import items
from chorus.core.query.tree import Query, Time
from chorus.core.records.times import canonical_time
from chorus.find.costs.conversation_costs import Costs
from chorus.find.index.memory import MemoryIndex
from chorus.find.index.rows import Note
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import FOLDER
from chorus.keep.vault.files import FileVault
from chorus.show.transcripts.outline import outline
from chorus.show.transcripts.transcript import OpenTranscript
from chorus.testing.builders import Session, tool_use
from chorus.testing.indexes import name_of, writings_of
from tests.cli.commands import SHARED, below
from tests.find.indexing.vaults import kept_up
from tests.keep.sources.keeping import Keeper

SMALL_BYTES = 60_000
START = datetime(2026, 3, 10, 12, tzinfo=UTC)


def wandering(seed):
    """Returns a session whose clock jumps over days, the time of each word, and the times of all its entries."""
    random, session, told, times = Random(seed), Session(f"{seed:08d}-0000-4000-8000-000000000000"), {}, []

    def time():
        moment = START + timedelta(minutes=random.randrange(-4 * 1440, 4 * 1440))
        return f"{moment:%Y-%m-%dT%H:%M:%S}.000Z"

    for n in range(40):
        said = f"word{seed}x{n}"
        told[said] = time()
        times.append(told[said])
        match random.randrange(3):
            case 0:
                session.user(said, timestamp=told[said])
            case 1:
                session.assistant(said, stop="end_turn", timestamp=told[said])
            case _:
                call = f"toolu_{seed}_{n}"
                session.assistant(tool_use("Bash", {"command": said}, id=call), timestamp=told[said])
                session.tool_result(call, "done", timestamp=time())
                # The message and its call are two entries.
                times.append(told[said])
    return session, told, times


def days(times):
    return Counter(time[:10] for time in times)


def hits_on(index, day):
    since = datetime.fromisoformat(day).replace(tzinfo=UTC)
    until = since + timedelta(days=1)
    asked = Time(*(f"{each:%Y-%m-%dT%H:%M:%S}.000Z" for each in (since, until)))
    found, below_ = [], None
    while True:
        answer = index.search(Query(asked), limit=1000, below=below_)
        found += index.entries(hit.number for hit in answer.hits).values()
        if answer.next is None:
            return found
        below_ = answer.next


@pytest.mark.parametrize("seed", range(4))
def test_entries_are_asked_for_by_their_own_time(seed, tmp_path):
    """If times run backwards, a day finds the entries whose records have that day, in every index, with their times."""
    session, _, times = wandering(seed)
    for index in (MemoryIndex(), SqliteIndex.build(tmp_path)):
        index.write(writings_of(session))
        shown = {entry.id: entry.time for entry in index.all_entries(name_of(session)) if entry.number}
        assert sorted(time or "" for time in shown.values()) == sorted(times)
        for day, count in days(times).items():
            found = hits_on(index, day)
            assert len(found) == count and all((entry.time or "").startswith(day) for entry in found)


def test_an_outline_shows_the_times_of_records(tmp_path):
    """A prompt has its own time in the outline, also if it follows a later prompt in the file."""
    session, told, _ = wandering(7)
    vault = FileVault(tmp_path / "vault")
    Path(tmp_path / f"{session.id}.jsonl").write_bytes(bytes(session))
    Keeper(tmp_path / "vault").sync(tmp_path / f"{session.id}.jsonl")
    kept_up(vault)
    index = SqliteIndex(vault.root / FOLDER)
    (row,), _ = index.conversations(Query(None), limit=2)
    marks = outline(OpenTranscript(vault, Costs(tmp_path), row, index), index).marks
    prompts = [mark for mark in marks if mark.kind == "prompt"]
    assert len(prompts) > 5
    assert all(mark.time == told[mark.text] for mark in prompts)


def test_an_entry_without_a_time_is_dated_by_what_its_stream_stated_before():
    """An entry without a time shows none, and a query treats it as having the latest earlier time of its stream."""
    session = Session()
    session.user("earlier", timestamp="2026-03-01T10:00:00.000Z")
    session.user("timeless", timestamp=None)
    index = MemoryIndex()
    index.write(writings_of(session))
    entries = [(entry.time, entry.dated) for entry in index.all_entries(name_of(session)) if entry.number]
    assert entries == [("2026-03-01T10:00:00.000Z",) * 2, (None, "2026-03-01T10:00:00.000Z")]
    assert len(hits_on(index, "2026-03-01")) == 2


def recounted(files):
    """Returns uuid, message id or call → the times of its records, read without any code of Chorus."""
    times = {}
    for name in files:
        for line in Path(name).read_bytes().split(b"\n"):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if not isinstance(record, dict):
                continue
            for each in (record, *_embedded(record)):
                _add_times(each, times)
    return times


def _embedded(record):
    data = record.get("data")
    inner = data.get("message") if isinstance(data, dict) else None
    return [inner] if isinstance(inner, dict) else []


def _add_times(record, times):
    time, message = record.get("timestamp"), record.get("message")
    if not isinstance(time, str):
        return
    names = [record.get("uuid")]
    if isinstance(message, dict):
        names.append(message.get("id"))
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            names += [block.get("id"), block.get("tool_use_id")]
    for name in names:
        times.setdefault(name, set()).add(canonical_time(time))


def test_recordings_are_shown_and_found_by_their_own_times(tmp_path):
    """In a sample of recordings, each entry has the time of one of its records, and a day finds exactly its entries."""
    _check_recordings(tmp_path, lambda path: path.stat().st_size < SMALL_BYTES)


@pytest.mark.long
def test_all_recordings_are_shown_and_found_by_their_own_times(tmp_path):
    """In all recordings, each entry has the time of one of its records, and a day finds exactly its entries."""
    _check_recordings(tmp_path, lambda path: True)


def _check_recordings(tmp_path, is_wanted):
    files = [Path(name) for name in below(SHARED / "transcripts") if is_wanted(Path(name))]
    if not files:
        pytest.skip("no recordings beside this clone (../shared)")
    for path in files:
        copy = tmp_path / "source" / path.relative_to(SHARED)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    Keeper(tmp_path / "vault").sync(tmp_path / "source")
    vault = FileVault(tmp_path / "vault")
    kept_up(vault)
    index = SqliteIndex(vault.root / FOLDER)
    times, expected, timed = recounted(files), Counter(), 0
    for name in index.positions():
        for entry in index.all_entries(name):
            item = entry.item
            named = [getattr(item, field, None) for field in ("message_id", "uuid", "tool_use_id")]
            if isinstance(item, Note | items.Turn | items.Queued):
                named.append(item.id.partition(":")[2].rpartition("/")[2])
            told = set().union(*(times.get(each, set()) for each in named if each))
            if entry.time is not None and told:
                assert entry.time in told, (name, entry.id)
                timed += 1
            if entry.number:
                expected[(entry.time or entry.order[0])[:10]] += 1
    assert timed > 100
    for day, count in expected.items():
        if len(day) == 10:
            assert len(hits_on(index, day)) == count, day
