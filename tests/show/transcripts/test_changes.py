"""Tests that a reader who applies the changes sees the same rows as a reader who reads everything again."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from chorus.core.views.rows import AgentRow, QueuedRow, TurnRow
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.memory import MemoryVault
from chorus.show.transcripts.changes import MAX_ROWS, changed_rows
from chorus.show.transcripts.locating import locate
from chorus.show.transcripts.open_transcripts import OpenTranscripts
from chorus.testing.builders import Run, Session, tool_use
from chorus.testing.indexes import SEEN_AT, keep
from chorus.testing.work import steps
from tests.core.conversation.talks import Talk
from tests.find.indexing.growing import grow, pieces_of
from tests.show.transcripts.reading import CONVERSATION, Read, read


class Follower:
    """An application that read everything once and applies the changes from the feed."""

    def __init__(self, found, last=None):
        """With `last`, the changes come from a transcript that has only so many of the last entries."""
        self.found = found
        self.tails = OpenTranscripts(found.vault, found.opened.costs, last=last) if last else None
        self.seq = self._opened.seq
        self.rereads = 0
        self.read_again()

    @property
    def _opened(self) -> Any:
        return self.tails.of(self.found.index, self.found.kept.name) if self.tails else self.found.opened

    def read_again(self):
        self.rows = {row.row.id: row for row in self.found.forwards(100)}

    def follow(self) -> Any:
        """Applies the changes from the feed, and returns the changed rows."""
        opened = self._opened
        events = self.found.index.feed(self.found.index.epoch, self.seq).events
        self.seq = opened.seq
        rows, removed, is_whole = changed_rows(opened, self.found.index, dict.fromkeys(each.item for each in events))
        if is_whole:
            self.rereads += 1
            self.read_again()
            return rows
        for row in removed:
            self.rows.pop(row, None)
        self.rows |= {row.row.id: row for row in rows if row.thread == ""}
        return rows

    @property
    def seen(self) -> list[Any]:
        return sorted(self.rows.values(), key=lambda row: row.key)


@given(st.integers(0, 2**32), st.integers(5, 40))
@settings(max_examples=60)
def test_what_changed_is_enough(tmp_path_factory, seed, count):
    """However a conversation grows, the changed rows bring a reader's view up to date."""
    talk = Talk(seed, count)
    pieces = pieces_of(talk, CONVERSATION)
    vault = MemoryVault()
    assert grow(vault, pieces, talk.random)
    found = Read(vault, tmp_path_factory.getbasetemp())
    follower = Follower(found)
    while grow(vault, pieces, talk.random):
        found.catch_up()
        follower.follow()

        growing = {row.row.id for row in found.forwards(100) if any("~" in part for part in row.places)}
        assert _without(follower.seen, growing) == _without(found.forwards(100), growing)


@given(st.integers(0, 2**32), st.integers(5, 60), st.integers(1, 12))
@settings(max_examples=30)
def test_the_end_of_a_conversation_is_enough(tmp_path_factory, seed, count, last):
    """If only the last entries are in memory, a reader gets the same rows or must read everything again."""
    talk = Talk(seed, count)
    pieces = pieces_of(talk, CONVERSATION)
    vault = MemoryVault()
    assert grow(vault, pieces, talk.random)
    found = Read(vault, tmp_path_factory.getbasetemp())
    follower = Follower(found, last)
    while grow(vault, pieces, talk.random):
        found.catch_up()
        follower.follow()

        growing = {row.row.id for row in found.forwards(100) if any("~" in part for part in row.places)}
        assert _without(follower.seen, growing) == _without(found.forwards(100), growing)


def test_new_lines_of_a_long_conversation_are_found_at_its_end(tmp_path):
    """New lines of a long conversation come row by row, and memory has at most about twice the last entries."""
    talk = Session()
    for number in range(100):
        talk.user(f"prompt {number}")
        talk.assistant(f"answer {number}")
    found = read(tmp_path, talk)
    follower = Follower(found, 20)
    for number in range(30):
        talk.user("one more")
        talk.assistant("an answer", tool_use("Bash", {"command": "ls"}, id=f"call {number}"))
        _grown(talk, found)
        follower.follow()
        talk.tool_result(f"call {number}", "files")
        _grown(talk, found)
        follower.follow()
        assert follower._opened.size <= 45

    assert follower.rereads == 0
    assert follower.seen == found.forwards(100)


def _without(rows, growing):
    """Returns the rows without those that are being written, because these are not in the feed."""
    return [row for row in rows if row.row.id not in growing]


def _grown(talk, found):
    keep(found.vault, talk)
    found.catch_up()


def test_errors_of_the_api_that_follow_each_other_stay_one_row(tmp_path):
    """Each further API error changes the row of the first one, and every error is found at this row."""
    talk = Session()
    talk.user("go")
    ids = [talk.system("api_error", error={"status": 529}, retryAttempt=1)["uuid"]]
    found = read(tmp_path, talk)
    follower = Follower(found)
    for attempt in (2, 3):
        ids.append(talk.system("api_error", error={"status": 529}, retryAttempt=attempt)["uuid"])
        _grown(talk, found)
        (row,) = follower.follow()
        assert row.row.id == f"note:{ids[0]}" and f"retrying {attempt}" in row.row.blocks[0].text
        assert set(row.places) == {f"note:{each}" for each in ids}

    for each in ids:
        located = locate(found.opened, found.index, each)
        assert located is not None and located.id == f"note:{ids[0]}"
        around = found.page(at=f"note:{each}", limit=2)
        assert [row.row.id for row in around.rows][-1] == f"note:{ids[0]}"
    assert follower.seen == found.forwards(1) and len(follower.seen) == 2 and follower.rereads == 0


def test_a_result_changes_the_row_of_its_message(tmp_path):
    """The result of a call changes the row of the message that made the call, and no other row."""
    talk = Session()
    talk.user("go")
    talk.assistant(tool_use("Bash", {"command": "ls"}, id="call"))
    found = read(tmp_path, talk)
    follower = Follower(found)
    talk.tool_result("call", "files")
    _grown(talk, found)

    (row,) = follower.follow()

    assert row.row.pieces[0].state == "done"
    assert follower.rereads == 0


def test_an_agent_that_goes_on_changes_the_row_of_its_call(tmp_path):
    """A sub-agent's new message changes its thread and the row of its call, which counts its entries."""
    talk = Session()
    talk.assistant(tool_use("Agent", {"prompt": "look", "description": "d"}, id="call"))
    agent = talk.agent("a1", "call")
    agent.user("look")
    found = read(tmp_path, talk)
    follower = Follower(found)
    agent.assistant("seen")
    _grown(talk, found)

    rows = follower.follow()

    assert {row.thread for row in rows} == {"", "a1"}
    (above,) = [row.row for row in rows if row.thread == ""]
    assert above.pieces[0].agent.entries == 2


def test_an_agent_whose_call_comes_late_is_no_row_of_its_own_any_more(tmp_path):
    """When the call that started a sub-agent is read after it, the sub-agent's row at the end disappears."""
    talk = Session()
    talk.user("go")
    agent = talk.agent("a1", "call")
    agent.user("look")
    found = read(tmp_path, talk)
    follower = Follower(found)
    assert any(isinstance(row.row, AgentRow) for row in follower.seen)
    talk.assistant(tool_use("Agent", {"prompt": "look", "description": "d"}, id="call"))
    _grown(talk, found)
    follower.follow()

    assert not any(isinstance(row.row, AgentRow) for row in follower.seen)
    assert follower.seen == found.forwards()


def test_an_agent_that_gets_a_name_changes_the_calls_that_name_it(tmp_path):
    """The title of a message to a sub-agent is sent again when the call that named the sub-agent is read later."""
    talk = Session()
    agent = talk.agent("b934981", "call")
    agent.user("look")
    talk.assistant(tool_use("SendMessage", {"to": "b934981", "message": "go on"}, id="message"))
    found = read(tmp_path, talk)
    follower = Follower(found)
    talk.assistant(tool_use("Agent", {"prompt": "look", "description": "Look"}, id="call"))
    _grown(talk, found)
    follower.follow()

    assert follower.rereads == 0
    assert follower.seen == found.forwards()
    assert "to Look" in [piece.title for row in follower.seen for piece in getattr(row.row, "pieces", ())]


def test_queued_input_that_was_taken_is_gone(tmp_path):
    """Queued input has a row until the client takes it."""
    talk = Session()
    talk.user("go")
    talk.queue("enqueue", "next")
    found = read(tmp_path, talk)
    follower = Follower(found)
    assert any(isinstance(row.row, QueuedRow) for row in follower.seen)
    talk.queue("dequeue")
    _grown(talk, found)
    follower.follow()

    assert not any(isinstance(row.row, QueuedRow) for row in follower.seen)


def test_permissions_are_shown_with_their_call(tmp_path):
    """The answer to a permission request changes the row of its call."""
    run = Run()
    run.assistant(tool_use("Bash", {"command": "rm a"}, id="rm"))
    run.ask("rm", "Bash")
    vault = MemoryVault()
    key = StreamKey("w-1", "main", CONVERSATION, "stdout")
    vault.append(key, bytes(run), seen_at=SEEN_AT)
    vault.flush()
    found = Read(vault, tmp_path)
    follower = Follower(found)
    assert follower.seen[0].row.pieces[0].permission == "open"
    run.answer("allow")
    vault.append(key, bytes(run)[vault.tail(key).offset :], seen_at=SEEN_AT)
    vault.flush()
    found.catch_up()
    follower.follow()

    assert follower.seen[0].row.pieces[0].permission == "allowed"


def test_a_new_branch_is_read_again(tmp_path):
    """After a new branch everything must be read again, because the rows of the abandoned branch disappear."""
    talk = Session()
    talk.user("root")
    at = talk.leaf
    talk.assistant("left")
    found = read(tmp_path, talk)
    follower = Follower(found)
    talk.leaf = at
    talk.assistant("right")
    _grown(talk, found)
    follower.follow()

    assert follower.rereads == 1
    talk.user("and on")
    _grown(talk, found)
    follower.follow()
    assert follower.rereads == 1 and follower.seen == found.forwards()


def test_much_at_once_is_read_again(tmp_path):
    """If more rows changed than a page has, everything must be read again."""
    talk = Session()
    talk.user("go")
    found = read(tmp_path, talk)
    ids = [talk.user(f"{number}")["uuid"] for number in range(MAX_ROWS + 1)]
    _grown(talk, found)

    assert changed_rows(found.opened, found.index, ids) == ((), (), True)
    assert changed_rows(found.opened, found.index, [None]) == ((), (), True)
    assert changed_rows(found.opened, found.index, ["gone"]) == ((), ("gone",), False)


def test_the_end_of_a_turn_is_shown_with_its_cost(tmp_path):
    """A turn shows only the cost that it added, although its turn result has the cost so far."""
    run = Run()
    run.assistant("a")
    run.result("a", cost=0.5)
    vault = MemoryVault()
    key = StreamKey("w-1", "main", CONVERSATION, "stdout")
    vault.append(key, bytes(run), seen_at=SEEN_AT)
    vault.flush()
    found = Read(vault, tmp_path)
    follower = Follower(found)
    run.result("b", cost=0.75)
    vault.append(key, bytes(run)[vault.tail(key).offset :], seen_at=SEEN_AT)
    vault.flush()
    found.catch_up()
    follower.follow()

    assert [row.row.cost_usd for row in follower.seen if isinstance(row.row, TurnRow)] == [0.5, 0.25]


def test_a_line_costs_the_same_in_a_long_conversation(tmp_path):
    """Reading one line and sending its row takes as much work after 2,000 messages as after 200."""
    work = []
    for length in (200, 2000):
        talk = Session()
        for number in range(length):
            talk.user(f"prompt {number}")
        found = read(tmp_path, talk)
        follower = Follower(found)
        talk.assistant("one more")
        _grown(talk, found)
        work.append(steps(follower.follow, package="chorus/pages"))

    assert work[1] <= work[0] * 1.1
