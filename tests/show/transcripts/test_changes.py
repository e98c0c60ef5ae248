"""A reader who takes in what changed sees what one sees who reads it all again."""

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
    """An application that read everything once and takes in what it is told."""

    def __init__(self, found, last=None):
        """`last`: it is told what changed by who holds only so many entries of the end."""
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
        """Take in what the feed tells."""
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
    """However a conversation grows, the rows that are told make a reader's view the present one."""
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
    """Told by who holds no more than the last entries, a reader sees the same, or is asked to read again."""
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


def test_new_lines_of_a_long_conversation_are_told_by_its_end(tmp_path):
    """A prompt, an answer, a call and its result are told row by row, and no more than twice the end is held."""
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
    """What is being written is told by other means, and is not in the feed."""
    return [row for row in rows if row.row.id not in growing]


def _grown(talk, found):
    keep(found.vault, talk)
    found.catch_up()


def test_errors_of_the_api_that_follow_each_other_stay_one_row(tmp_path):
    """Each changes the row of the first, by which all of them are found."""
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
    """What a tool gave back is told as the row of the message that called it; nothing else is."""
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
    """A sub-agent's new message is told in its thread, and the call above says how far it is."""
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
    """When the call that started an agent is read after it, the agent's row at the end goes away."""
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


def test_queued_input_that_was_taken_is_gone(tmp_path):
    """Input that waits is a row until it is taken."""
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


def test_permissions_are_told_with_their_call(tmp_path):
    """A question that is answered changes the row of the call it is about."""
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
    """Where a person went back, rows of the branch that was left disappear: everything is to be read again."""
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
    """More rows than a page has are not told one by one."""
    talk = Session()
    talk.user("go")
    found = read(tmp_path, talk)
    ids = [talk.user(f"{number}")["uuid"] for number in range(MAX_ROWS + 1)]
    _grown(talk, found)

    assert changed_rows(found.opened, found.index, ids) == ((), (), True)
    assert changed_rows(found.opened, found.index, [None]) == ((), (), True)
    assert changed_rows(found.opened, found.index, ["gone"]) == ((), ("gone",), False)


def test_the_end_of_a_turn_is_told_with_what_it_costs(tmp_path):
    """A turn that is read out of order changes what the next one added to the cost."""
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
    """To take in one line and tell its row is as much work after 2,000 messages as after 200."""
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
