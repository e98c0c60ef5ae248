"""Costs: which conversation a message counts for."""

from chorus.testing.builders import Session
from chorus.testing.builders.lines import Clock, usage
from chorus.testing.index_contract.sessions import FIRST_ID, SECOND_ID, THIRD_ID, MakeIndex
from chorus.testing.indexes import name_of, writings_of


def messages_count_once(make_index: MakeIndex) -> None:
    """Copies of a message count once, for the conversation that started first; a different message with the same id
    takes nothing from it."""
    origin = Session(FIRST_ID, clock=Clock("2026-02-01T10:00:00.000Z"))
    origin.user("begin")
    origin.assistant("one", message_id="msg_shared", tokens=usage(said=10), stop="end_turn")
    fork = Session(SECOND_ID, clock=Clock("2026-02-01T10:00:00.000Z"))
    fork.user("begin")
    fork.assistant("one", message_id="msg_shared", tokens=usage(said=10), stop="end_turn")
    fork.assistant("two", message_id="msg_own", tokens=usage(said=7), stop="end_turn")
    claim = Session(THIRD_ID, clock=Clock("2026-01-01T10:00:00.000Z"))
    claim.user("begin")
    claim.assistant("one", message_id="msg_shared", tokens=usage(said=3), stop="end_turn")
    results = []
    for order in ((origin, fork, claim), (claim, fork, origin), (fork, claim, origin)):
        index = make_index()
        for session in (origin, fork, claim):
            index.write([], gone=[name_of(session)])
        for session in order:
            index.write(writings_of(session))
        spent, _, forks = index.spent()
        results.append((sorted(map(repr, spent)), forks))
        outputs = {each.conversation: each.tokens.output for each in spent}
        assert outputs == {name_of(origin): 10, name_of(fork): 7, name_of(claim): 3}
    assert results[0] == results[1] == results[2]
    assert results[0][1] == {name_of(fork)}
    index.write([], gone=[name_of(origin)])
    outputs = {each.conversation: each.tokens.output for each in index.spent()[0]}
    assert sum(outputs.values()) == 20
