"""Tests of the four laws, each with the shortest test that detects a violation."""

import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

import chorus
from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.fold import Fold
from chorus.core.records.record import Record
from chorus.keep.sources import files
from chorus.testing.builders import Run, Session, tool_use
from tests.core.conversation.talks import Talk, folded

ROOT = Path(__file__).parents[1]
HOSTILE = (
    b"\xef\xbb\xbf\x1b[0m$ claude -p hi\r\n"
    b'{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"\\ud800"}]},"uuid":"u"}\r\n'
    b'{"type":"text","te\n{"type":"result","result":"ok"}{"type":"error"}\n\n\x00\x00\n'
    b'{"type":"user","message":"not an object","sessionId":7}\n[{"type":"text","text":"in an array"}]\n'
    b'{"type":"tool_use","id":["not","a","string"],"toolInput":NaN}\n\xff\xfe{}\n{"type":"assistant","message":{}}'
)


def test_law_1_the_bytes_are_kept(tmp_path: Path) -> None:
    """For any content of a file, its pieces together are the file."""
    path = tmp_path / "hostile.jsonl"
    path.write_bytes(HOSTILE)

    assert b"".join(piece.raw + piece.tail for piece in files.pieces(str(path))) == HOSTILE


def test_law_2_data_never_raises() -> None:
    """Hostile bytes are read, folded and shown, and unread bytes have a place and a reason."""
    records = list(chorus.read(HOSTILE))
    unread = [record for record in records if isinstance(record, chorus.Unread)]

    (talk, *_) = chorus.fold(records)

    assert unread
    assert all(record.reason and HOSTILE[record.offset :].startswith(record.raw) for record in unread)
    assert talk.session.unread == len(unread)
    assert {"ok", "in an array"} <= {talk.text(item) for item in talk.items.values()}


def test_law_3_there_is_one_fold(tmp_path: Path) -> None:
    """A conversation is the same when it is fed live, read from a file, or folded by the library."""
    talk = Talk(seed=7, steps=20)
    path = tmp_path / "main.jsonl"
    path.write_bytes(bytes(talk.file))
    stored = [record for record in files.pieces(str(path)) if isinstance(record, Record)]
    live = Conversation(talk.file.id)
    fold = Fold(talk.file.id)
    for record in stored:
        live.apply(fold.feed(record))

    (library,) = chorus.fold(stored)

    assert live == library
    assert folded(stored).items == library.items


def test_law_4_effects_have_one_door_each() -> None:
    """The core imports nothing that has effects outside the program, as the import contracts require."""
    contracts = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run([sys.executable, "-c", contracts], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout


def test_a_feed_costs_the_same_at_the_end_of_a_long_conversation() -> None:
    """The work for one more message does not grow with the conversation."""
    short, long = _work_of_one_more_message(30), _work_of_one_more_message(3000)

    assert long <= short + 5


def test_lines_of_one_message_cost_the_same_however_many_it_has() -> None:
    """The work for one more line of a message does not grow with the number of its lines."""
    short, long = (_calls_made(fold, last) for fold, last in map(_before_the_last_line, (30, 3000)))

    assert long <= short + 5


@pytest.mark.parametrize("is_one_message", [True, False])
@pytest.mark.parametrize("is_newest_first", [True, False])
def test_a_result_costs_the_same_however_many_calls_are_open(is_one_message: bool, is_newest_first: bool) -> None:
    """The work for one more result does not grow with the calls that have none, in whatever order results come."""

    def work(count: int) -> int:
        names = [f"t{n}" for n in range(count)]
        session = Session()
        for group in [names] if is_one_message else [[name] for name in names]:
            session.assistant(*(tool_use("Bash", {"command": "ls"}, id=name) for name in group))
        for name in reversed(names) if is_newest_first else names:
            session.tool_result(name, "done")
        records = [*chorus.read(bytes(session))]
        fold = Fold(session.id)
        for record in records[: -count + 2]:
            fold.feed(record)
        return _calls_made(fold, records[-count + 2 :][:3])

    assert work(3000) <= work(30) + 5


def test_a_message_that_moves_line_by_line_is_walked_over_once() -> None:
    """When lines leave a message one by one, the remaining lines are iterated only once.

    This happens when the lines first had an uncertain agent id.
    """
    count = 200
    session = Session()
    agent = session.agent("a1", "t1")
    agent.assistant(*(f"part {number}" for number in range(count)), message_id="m1")
    run = Run(session.id)
    for line in agent.lines:
        run.line("assistant", uuid=line["uuid"], message=line["message"], parent_tool_use_id="t1")
    fold = Fold(session.id)
    for record in chorus.read(bytes(run)):
        fold.feed(record)
    (message,) = fold.state.messages.values()
    message.shown = shown = _Walked(message.shown)

    for record in chorus.read(bytes(agent)):
        fold.feed(record)

    assert not shown
    assert shown.walks == 1


class _Walked(dict[str, Any]):
    """A dict that counts how often it is iterated."""

    walks = 0

    def values(self) -> Any:
        self.walks += 1
        return super().values()

    def items(self) -> Any:
        self.walks += 1
        return super().items()


def test_a_feed_walks_over_nothing_that_grows() -> None:
    """For one more message, the growing collections of a conversation are looked up and never iterated."""
    records = _rounds(200)
    fold = Fold("s")
    for record in records[:-5]:
        fold.feed(record)
    for name in fold.state.__struct_fields__:
        grown = getattr(fold.state, name)
        if isinstance(grown, dict) and len(grown) > 100:
            setattr(fold.state, name, _LookedUpOnly(grown))

    for record in records[-5:]:
        fold.feed(record)

    assert sum(isinstance(getattr(fold.state, name), _LookedUpOnly) for name in fold.state.__struct_fields__) >= 4


class _LookedUpOnly(dict[str, object]):
    """A dict that raises an error when it is iterated."""

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("gone through")

    def keys(self) -> NoReturn:
        raise AssertionError("gone through")

    def values(self) -> NoReturn:
        raise AssertionError("gone through")

    def items(self) -> NoReturn:
        raise AssertionError("gone through")


def test_the_fold_remembers_places_not_payloads() -> None:
    """The stored state of the fold stays small, however long the texts and outputs are."""
    session = Session()
    session.user("x" * 100_000)
    session.assistant("y" * 100_000, tool_use("Bash", {"command": "z" * 100_000}, id="t1"))
    session.tool_result("t1", "w" * 100_000, structured={"stdout": "w" * 100_000})
    run = Run()
    run.streamed("v" * 100_000)
    run.result("u" * 100_000)
    fold = Fold(session.id)
    for record in chorus.read(bytes(session) + bytes(run)):
        fold.feed(record)

    assert len(fold.dump()) < 10_000


def _work_of_one_more_message(messages: int) -> int:
    """Returns the number of Python calls that fold one prompt, call, result and answer after `messages` such rounds."""
    records = _rounds(messages + 1)
    fold = Fold("s")
    for record in records[:-5]:
        fold.feed(record)
    return _calls_made(fold, records[-5:])


def _before_the_last_line(lines: int) -> tuple[Fold, list[Record]]:
    """Returns a fold that has all lines of a message with `lines` lines except the last, and the last line."""
    session = Session()
    session.assistant(*(f"part {number}" for number in range(lines)))
    *records, last = chorus.read(bytes(session))
    fold = Fold(session.id)
    for record in records:
        fold.feed(record)
    return fold, [last]


def _calls_made(fold: Fold, records: list[Record]) -> int:
    """Returns the number of Python calls that feed these records.

    The garbage collector is off during the count, because it runs at random times and its calls do not belong to the
    feed.
    """
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    gc.disable()
    sys.setprofile(count)
    try:
        for record in records:
            fold.feed(record)
    finally:
        sys.setprofile(None)
        gc.enable()
    return calls


def _rounds(number: int) -> list[Record]:
    """Returns the records of `number` rounds of prompt, call, result and answer, with five records each."""
    session = Session()
    for n in range(number):
        session.user("again")
        session.assistant("ok", tool_use("Edit", {"file_path": f"/w/{n}"}, id=f"t{n}"))
        session.tool_result(f"t{n}", "done")
        session.assistant("next", stop="end_turn")
    return list(chorus.read(bytes(session)))
