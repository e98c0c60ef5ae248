"""Tests of the part of the library that needs the vault, prices or a watcher."""

import asyncio
import threading

import pytest

import chorus
from chorus.errors import SourceUnreadable
from chorus.keep.sources.sync import Sync
from chorus.keep.vault.files import FileVault
from chorus.testing.builders import Session, lay_out, tool_use
from chorus.testing.builders.lines import usage

ONE = "0b0e0c1a-0000-4000-8000-000000000001"
TWO = "0b0e0c1b-0000-4000-8000-000000000002"


def _session(session_id: str = ONE, words: str = "Build the harbour") -> Session:
    session = Session(session_id, model="claude-sonnet-4-5-20250929")
    session.user(words)
    session.assistant(tool_use("Bash", {"command": "make"}, id="toolu_1"), tokens=usage(given=1_000, said=10))
    session.tool_result("toolu_1", "all good", structured={"stdout": "all good"})
    session.assistant("Done.", stop="end_turn", tokens=usage(given=2_000, said=20))
    return session


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The home of Chorus with two recorded conversations."""
    root = tmp_path / "home"
    monkeypatch.setenv("CHORUS_HOME", str(root))
    lay_out(tmp_path / "claude", _session())
    lay_out(tmp_path / "claude", _session(TWO, "Paint the lighthouse"))
    vault = FileVault(root)
    Sync(vault, root, lambda: "2026-11-16T00:00:00.000Z").run([tmp_path / "claude"])
    return root


def _conversation(session: Session) -> chorus.Conversation:
    (talk,) = chorus.fold(chorus.read(bytes(session)))
    return talk


def test_a_call_has_its_input_and_its_result():
    """The input and the result of a call are decoded, and the text of a result is available in any recorded form."""
    (call,) = _conversation(_session()).calls

    assert (call.id, call.name, call.state, call.input) == (
        "toolu_1",
        "Bash",
        chorus.CallState.DONE,
        {"command": "make"},
    )
    assert call.result is not None and call.message is not None
    assert (call.result.text, call.result.is_error) == ("all good", False)
    assert call.result.structured == {"stdout": "all good"}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        ([{"type": "text", "text": "a"}, {"type": "image", "source": {}}, {"type": "text", "text": "b"}], "a\nb"),
        ([], ""),
        (7, ""),
        ({"odd": True}, ""),
    ],
)
def test_the_text_of_any_result(content, text):
    """A result without text gives an empty text, and no content raises an error."""
    session = Session(model="claude-sonnet-4-5-20250929")
    session.user("go")
    session.assistant(tool_use("Odd", {}, id="toolu_1"))
    session.tool_result("toolu_1", content)
    (call,) = _conversation(session).calls

    assert call.result is not None
    assert call.result.text == text
    assert call.result.content == content


def test_a_call_without_a_result():
    """A call without a result has None as its result, and its input is available."""
    session = Session(model="claude-sonnet-4-5-20250929")
    session.user("go")
    session.assistant(tool_use("Bash", {"command": "sleep"}, id="toolu_1"))
    (call,) = _conversation(session).calls

    assert call.result is None
    assert call.input == {"command": "sleep"}


def test_tokens_add_up():
    """Tokens can be added with `+` and with `sum`."""
    talk = _conversation(_session())
    tokens = [message.tokens for message in talk.messages if message.tokens]

    assert sum(tokens) == tokens[0] + tokens[1] == talk.tokens
    assert talk.tokens.total == 3_030


def test_what_a_conversation_costs():
    """The cost of a conversation is the sum over its messages, and also over its threads, with each message once."""
    session = _session()
    session.assistant(tool_use("Task", {"prompt": "look"}, id="toolu_a"))
    agent = session.agent("a1", "toolu_a")
    agent.assistant("found it", stop="end_turn", tokens=usage(given=5_000, said=50))
    talk = _conversation(session)
    talk = chorus.fold([*chorus.read(bytes(session)), *chorus.read(bytes(agent))])[0]
    cost = chorus.cost(talk)

    assert cost.usd is not None and cost.usd > 0
    assert cost.tokens == talk.tokens
    assert sum(each.usd or 0 for each in cost.messages.values()) == pytest.approx(cost.usd)
    assert sum(each.usd or 0 for each in cost.agents.values()) == pytest.approx(cost.usd)
    assert cost.agents["a1"].tokens.output == 50
    assert set(cost.messages) <= set(talk.items)
    assert not cost.unpriced


def test_a_model_without_a_price_is_not_free():
    """The cost of a model without a price is unknown, with the reason."""
    session = Session(model="mystery-9")
    session.user("go")
    session.assistant("gone", stop="end_turn")
    cost = chorus.cost(_conversation(session))

    assert cost.usd is None
    assert list(cost.unpriced.values()) == [1]


def test_usage_that_no_api_returns_has_no_price():
    """The cost of a conversation whose usage is impossible is unknown, with the reason."""
    session = Session(model="claude-sonnet-4-5-20250929")
    session.assistant("gone", stop="end_turn", tokens=usage(given=-1))
    cost = chorus.cost(_conversation(session))

    assert cost.usd is None
    assert cost.unpriced == {"figures that no API returns": 1}


def test_a_kept_conversation_is_opened_by_its_id(home):
    """A recorded conversation is opened by the beginning of its id.

    A beginning that two conversations share is refused, and the error names both.
    """
    assert chorus.open(ONE).title == "Build the harbour"
    assert chorus.vault().open(TWO[:8]).title == "Paint the lighthouse"
    with pytest.raises(SourceUnreadable, match="2 conversations"):
        chorus.vault().open("0b0e")
    with pytest.raises(SourceUnreadable):
        chorus.open("ffffffff")


def test_kept_conversations_are_searched_and_listed(home):
    """Recorded conversations are searched and listed with the query language of the command line."""
    (found,) = chorus.search("lighthouse")

    assert found.conversation.id == TWO
    assert {row.id for row in chorus.vault().conversations()} == {ONE, TWO}
    assert [row.id for row in chorus.vault(home).conversations("harbour")] == [ONE]
    assert b"".join(record.raw + record.tail for record in chorus.vault().records(ONE)) == bytes(_session())


def test_the_records_of_all_conversations_are_those_of_the_sources(tmp_path, monkeypatch):
    """If lines of two sessions are in one file, each line is a record of exactly one conversation."""
    mixed = _session()
    mixed.agent("a1", "toolu_1").user("Look at the boats")
    mixed.agents[0].assistant("Three boats.")
    for line in (*mixed.lines[2:], mixed.agents[0].lines[0]):
        line["sessionId"] = TWO
    expected = sorted((bytes(mixed) + bytes(mixed.agents[0])).splitlines())
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "home"))
    lay_out(tmp_path / "claude", mixed)
    Sync(FileVault(tmp_path / "home"), tmp_path / "home", lambda: "2026-11-16T00:00:00.000Z").run([tmp_path / "claude"])

    vault = chorus.vault()
    records = {each.id: [bytes(record.raw) for record in vault.records(each.id)] for each in vault.conversations()}

    assert {name: len(own) for name, own in records.items()} == {ONE: 3, TWO: 3}
    assert sorted(raw for own in records.values() for raw in own) == expected


def test_an_empty_home_is_no_error(tmp_path, monkeypatch):
    """In an empty home nothing is found and nothing is written."""
    monkeypatch.setenv("CHORUS_HOME", str(tmp_path / "none"))

    assert chorus.search("anything") == []
    assert chorus.vault().conversations() == []
    assert not (tmp_path / "none").exists()


def test_a_file_is_followed_as_it_grows(tmp_path):
    """Each record of a growing file is given once, with the conversation up to that record.

    The file may be created later and may have any name.
    """
    path = tmp_path / "run.log"
    lines = bytes(_session()).splitlines(keepends=True)
    follow = chorus.follow(path)
    seen: list[tuple[str, int]] = []

    def write() -> None:
        with path.open("wb", buffering=0) as file:
            for line in lines:
                half = len(line) // 2
                file.write(line[:half])
                file.write(line[half:])

    writer = threading.Thread(target=write)
    writer.start()
    for step in follow:
        seen.append((step.record.type, len(step.conversation.messages)))
        if len(seen) == len(lines):
            follow.stop()
    writer.join()

    assert [kind for kind, _ in seen] == ["user", "assistant", "user", "assistant"]
    assert [count for _, count in seen] == [1, 2, 2, 3]


def test_a_file_is_followed_in_an_event_loop(tmp_path):
    """A file is also followed with `async for`, and the event loop continues in the meantime."""
    path = tmp_path / "run.log"
    lines = bytes(_session()).splitlines(keepends=True)
    path.write_bytes(lines[0])

    async def collect() -> list[str]:
        kinds = []
        async for step in chorus.follow(path):
            kinds.append(step.record.type)
            if len(kinds) == len(lines):
                break
            with path.open("ab") as file:
                file.write(lines[len(kinds)])
        return kinds

    assert asyncio.run(asyncio.wait_for(collect(), 30)) == ["user", "assistant", "user", "assistant"]


def test_following_ends_at_the_present_end_when_asked(tmp_path):
    """Without `is_live`, the file is read step by step to its present end."""
    path = tmp_path / "done.jsonl"
    path.write_bytes(bytes(_session()))

    assert [step.record.type for step in chorus.follow(path, is_live=False)] == [
        "user",
        "assistant",
        "user",
        "assistant",
    ]
