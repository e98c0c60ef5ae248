"""Tests that every record is in exactly one conversation, in the files, the vault, the index and a recount."""

import json
import shutil
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from chorus.core.conversation.folding import Folding
from chorus.core.conversation.items import Message
from chorus.core.query.tree import Phrase, Query
from chorus.find.index.sqlite.index import SqliteIndex
from chorus.find.indexing.index_keeper import FOLDER
from chorus.keep.archive.listing import conversations, name_of
from chorus.keep.archive.opening import records_of
from chorus.keep.sources.ownership import router_of
from chorus.keep.sources.parts import names_others
from chorus.keep.vault.files import FileVault
from chorus.library import files as library
from tests.cli.commands import SHARED, below
from tests.find.indexing.vaults import kept_up
from tests.keep.sources.keeping import Keeper

ONE, TWO, THREE = (f"{n}{n}{n}{n}{n}{n}{n}{n}-0000-4000-8000-000000000000" for n in "abc")
SMALL_BYTES = 20_000


class Sources:
    """Random files of a client with records of any session, and the session that each word belongs to."""

    def __init__(self, root, seed):
        self.root, self.random = root, Random(seed)
        self.words: dict[str, str] = {}
        """Word → the session of the record that says it."""
        self._count = 0
        project = root / "projects" / "-w"
        self._file(project / f"{ONE}.jsonl", home=ONE)
        self._file(project / f"{TWO}.jsonl", home=TWO)
        self._file(project / ONE / "subagents" / "agent-x.jsonl", home=ONE, agent="x")
        self._file(project / "agent-y.jsonl", home=None, agent="y", ids=[TWO, THREE, THREE, THREE, THREE])
        self._file(root / "logs" / "several.jsonl", home=None, ids=self.random.choices([ONE, TWO, THREE], k=6))
        for folder in ("one", "two"):
            self._nameless(root / "logs" / folder / "out.jsonl")

    def _file(self, path, home, agent=None, ids=None):
        mixed = self.random.choices([ONE, TWO, THREE, None] if home else [ONE, TWO, THREE], k=8)
        lines = [self._line(session, session or home, agent) for session in ids or mixed]
        self._write(path, lines)

    def _nameless(self, path):
        """Writes a log without an id. Two such logs with the same name are two conversations."""
        word = self._word(str(path))
        self._write(path, [json.dumps({"type": "user", "message": {"role": "user", "content": word}})])

    def _line(self, session, owner, agent):
        word = self._word(owner)
        record = {
            "type": "user",
            "uuid": f"{self._count:08d}-0000-4000-8000-0000000000ff",
            "timestamp": f"2026-03-01T10:{self._count // 60:02d}:{self._count % 60:02d}.000Z",
            "message": {"role": "user", "content": word},
        }
        if agent:
            record |= {"isSidechain": True, "agentId": agent}
        if session:
            record[self.random.choice(["sessionId", "session_id"])] = session
        spelled = json.dumps(record, separators=self.random.choice([(",", ":"), (", ", ": ")]))
        # A key that is spelled with escapes is the same key.
        return spelled.replace('"sessionId"', '"sess\\u0069onId"') if self.random.random() < 0.2 else spelled

    def _word(self, owner):
        self._count += 1
        word = f"word{self._count}"
        self.words[word] = owner
        return word

    def _write(self, path, lines):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines))

    def expected(self):
        """Returns the words of each session. Each log without an id is a session of its own."""
        found: dict[str, set[str]] = {}
        for word, owner in self.words.items():
            found.setdefault(owner if owner in (ONE, TWO, THREE) else Path(owner).parent.name, set()).add(word)
        return sorted(map(sorted, found.values()))


def words_in(talk):
    """Returns the words that a conversation shows, in messages or in rows that name another source."""
    aside = [notice.text for notice in talk.notices if notice.source is not None and notice.text]
    return sorted([*(talk.text(message) for message in talk.all(Message)), *aside])


def in_vault(vault):
    """Returns the words of each conversation, each as often as its records contain it."""
    found = []
    for kept in conversations(vault):
        folding = Folding(kept.router)
        for record in records_of(vault, kept):
            folding.feed(record)
        found += [words_in(talk) for talk in folding.finish() if kept.holds(talk.id)]
    return sorted(each for each in found if each)


def in_index(vault, words):
    index = SqliteIndex(vault.root / FOLDER)
    found: dict[str, list[str]] = {}
    for word in words:
        (hit,) = index.search(Query(Phrase(word)), limit=9).hits
        found.setdefault(hit.conversation, []).append(word)
    rows, _ = index.conversations(Query(None), limit=99)
    assert {row.name for row in rows} == set(found)
    return sorted(map(sorted, found.values()))


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(n, marks=pytest.mark.long) for n in range(4, 200))])
def test_each_record_is_in_one_conversation(seed, tmp_path):
    """The files, the vault and the index give each record the same conversation, whatever ids the lines have."""
    sources = Sources(tmp_path / "claude", seed)
    expected = sources.expected()
    assert sorted(map(words_in, library.open_all(tmp_path / "claude"))) == expected

    keeper = Keeper(tmp_path / "vault")
    keeper.sync(tmp_path / "claude" / "projects", tmp_path / "claude" / "logs")
    vault = FileVault(tmp_path / "vault")
    assert in_vault(vault) == expected
    kept_up(vault)
    assert in_index(vault, sources.words) == expected


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.long) for n in range(1, 40))])
def test_growth_in_any_steps_ends_alike(seed, tmp_path):
    """Files that are recorded a few lines at a time give the same conversations as files that are recorded at once."""
    sources = Sources(tmp_path / "claude", seed)
    keeper, random = Keeper(tmp_path / "vault"), Random(seed)
    vault = FileVault(tmp_path / "vault")
    whole = {
        path: path.read_bytes().splitlines(keepends=True) for path in sorted((tmp_path / "claude").rglob("*.jsonl"))
    }
    for path in whole:
        path.write_bytes(b"")
    while any(whole.values()):
        path = random.choice([path for path, lines in whole.items() if lines])
        with path.open("ab") as file:
            file.writelines(whole[path][:2])
        whole[path] = whole[path][2:]
        keeper.sync(tmp_path / "claude" / "projects", tmp_path / "claude" / "logs")
    assert in_vault(vault) == sources.expected()
    kept_up(vault)
    assert in_index(vault, sources.words) == sources.expected()


def test_parts_that_were_not_kept_before_are_kept(tmp_path):
    """Sources that another version recorded without looking for other sessions are read again, once."""
    sources = Sources(tmp_path / "claude", 1)
    keeper = Keeper(tmp_path / "vault")
    keeper.sync(tmp_path / "claude" / "projects", tmp_path / "claude" / "logs")
    for path in (tmp_path / "vault" / "conversations").rglob("*.part-*"):
        path.unlink()
    notes = tmp_path / "vault" / "state" / "sources.jsonl"
    old = [json.loads(line)[:10] for line in notes.read_bytes().splitlines()]
    notes.write_text("".join(json.dumps(note) + "\n" for note in old))
    keeper.sync(tmp_path / "claude" / "projects", tmp_path / "claude" / "logs")
    assert in_vault(FileVault(tmp_path / "vault")) == sources.expected()


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("where", ["logs/several.jsonl", f"projects/-w/{ONE}.jsonl"])
def test_a_session_that_is_only_a_part_of_others_is_found_by_its_id(tmp_path, where, is_packed):
    """A session that is only a part of a log, or of another session's file, is found by its id."""
    path = tmp_path / "claude" / where
    path.parent.mkdir(parents=True)
    lines = [
        {"type": "user", "sessionId": session, "message": {"role": "user", "content": "hi"}}
        for session in (ONE, ONE, TWO)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    Keeper(tmp_path / "vault").sync(path)
    vault = FileVault(tmp_path / "vault")
    if is_packed:
        vault.seal_all(vault.keys())

    found = {session: name_of(vault.root, session) for session in (ONE, TWO, THREE)}

    assert found == {**{kept.id: kept.name for kept in conversations(vault)}, THREE: None}


@pytest.mark.parametrize(
    ("line", "is_other"),
    [
        (b'{"sessionId":"%s"}' % ONE.encode(), False),
        (b'{"type":"summary"}', False),
        (b'{"text":"\\"sessionId\\":\\"other\\""}', False),
        (b'{"sessionId":"%s"}' % TWO.encode(), True),
        (b'{"session_id": "other"}', True),
        (b'{"sess\\u0069onId":"other"}', True),
    ],
)
def test_other_sessions_are_noticed_by_their_bytes(line, is_other):
    """Another session id is noticed in any spelling, and a text about ids is not."""
    assert names_others(line, ONE) is is_other


def recounted(path):
    """Returns session → number of its records in a file, read without any code of Chorus.

    Hook records count under None.
    """
    found = Counter()
    for line in path.read_bytes().split(b"\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            is_hook = str(record.get("subtype")).startswith("hook_")
            found[None if is_hook else record.get("sessionId") or record.get("session_id")] += 1
    return found


def test_recordings_are_distinguished(tmp_path):
    """In a sample of the recordings, each record is in exactly one conversation."""
    _check_recordings(tmp_path, lambda path: path.stat().st_size < SMALL_BYTES)


@pytest.mark.long
def test_all_recordings_are_distinguished(tmp_path):
    """In all recordings, each record is in exactly one conversation."""
    _check_recordings(tmp_path, lambda _: True)


def _check_recordings(tmp_path, is_wanted):
    files = [Path(name) for name in below(SHARED) if is_wanted(Path(name))]
    if not files:
        pytest.skip("no recordings beside this clone (../shared)")
    for number, path in enumerate(files):
        # Each recording has a vault of its own, because copies of a session in several recordings are another case.
        copy = tmp_path / f"{number}" / path.name
        copy.parent.mkdir()
        shutil.copy(path, copy)
        Keeper(tmp_path / f"vault{number}").sync(copy)
        vault = FileVault(tmp_path / f"vault{number}")
        own = Counter()
        for kept in conversations(vault):
            folding = Folding(kept.router)
            for record in records_of(vault, kept):
                folding.feed(record)
            folding.finish()
            own[kept.id] += sum(fold.state.records for name, fold in folding.folds.items() if kept.holds(name))
        live = Folding(router_of)
        for record in library.read(copy):
            live.feed(record)
        live.finish()
        counted = {name: fold.state.records for name, fold in live.folds.items()}
        assert +own == counted, path
        recount = recounted(path)
        assert sum(recount.values()) <= sum(counted.values()), path
        assert all(counted.get(session, 0) >= count for session, count in recount.items() if session), path
