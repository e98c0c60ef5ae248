"""Tests the arguments with which the client is called."""

import ast
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chorus
from chorus.core.protocol.launch import MODES, Launch, arguments, version_in
from chorus.errors import ChorusError

SESSION = "5f1c2a90-0000-4000-8000-000000000001"
OTHER = "5f1c2a90-0000-4000-8000-000000000002"
MESSAGE = "5f1c2a90-0000-4000-8000-000000000003"
NASTY = ["-p", "--settings=/tmp/x", "--", "-", "", "\0", "a\nb", "a b", "; rm -rf /", "$(id)", "\ud800", "--resume"]
FLAGS = {
    "--print", "--verbose", "--forward-subagent-text", "--include-partial-messages", "--replay-user-messages",
    "--fork-session",
}  # fmt: skip
OPTIONS = {
    "--input-format", "--output-format", "--permission-prompt-tool", "--session-id", "--resume", "--resume-session-at",
    "--model", "--permission-mode", "--allowedTools", "--disallowedTools", "--append-system-prompt", "--max-turns",
}  # fmt: skip

texts = st.one_of(
    st.sampled_from(NASTY), st.text(max_size=40), st.sampled_from(NASTY).flatmap(lambda n: st.just(n * 2))
)
maybe = st.one_of(st.none(), texts)
ids = st.one_of(st.sampled_from([SESSION, OTHER]), texts)
launches = st.builds(
    Launch,
    session=ids,
    resumes=st.one_of(st.none(), ids),
    is_fork=st.booleans(),
    at=st.one_of(st.none(), st.just(MESSAGE), texts),
    model=st.one_of(st.just("opus"), maybe),
    mode=st.one_of(st.sampled_from(MODES), maybe),
    allowed_tools=st.lists(texts, max_size=3).map(tuple),
    denied_tools=st.lists(texts, max_size=3).map(tuple),
    instructions=maybe,
)


def test_a_new_session_gets_the_id_it_is_given():
    """A new session is started with the given id."""
    found = arguments(Launch(session=SESSION))

    assert f"--session-id={SESSION}" in found
    assert "--permission-prompt-tool=stdio" in found
    assert "--forward-subagent-text" in found


def test_a_session_file_is_gone_on_with_in_a_fork():
    """A fork can resume a session file instead of an id, and any other path is refused."""
    launch = Launch(session=SESSION, resumes_file="/c/projects/-w/mine.jsonl", is_fork=True, at=MESSAGE)

    assert arguments(launch)[-4:] == [
        "--resume=/c/projects/-w/mine.jsonl",
        "--fork-session",
        f"--session-id={SESSION}",
        f"--resume-session-at={MESSAGE}",
    ]
    for path in ("--dangerously", "mine.jsonl", "/c/mine.txt", "/c/a\nb.jsonl", "/c/\udc80.jsonl"):
        with pytest.raises(ChorusError):
            arguments(Launch(session=SESSION, resumes_file=path, is_fork=True))


def test_a_resumed_session_keeps_its_id_and_a_fork_gets_its_own():
    """A resumed session keeps its id, and a fork gets an id of its own."""
    resumed = arguments(Launch(session=SESSION, resumes=SESSION, at=MESSAGE))
    forked = arguments(Launch(session=OTHER, resumes=SESSION, is_fork=True))

    assert f"--resume={SESSION}" in resumed and f"--resume-session-at={MESSAGE}" in resumed
    assert not any(each.startswith("--session-id") for each in resumed)
    assert f"--resume={SESSION}" in forked and "--fork-session" in forked and f"--session-id={OTHER}" in forked


@settings(max_examples=10 * settings().max_examples)
@given(launches)
def test_no_value_gets_into_the_place_of_an_option(launch):
    """For any values, each argument is a known option, its value comes after `=`, and ids are UUIDs."""
    is_harmless(launch)


def test_five_thousand_launches_put_nothing_in_the_place_of_an_option():
    """D1: In 5,000 launches with values that sometimes look like options, no value becomes an option."""
    chance = random.Random(1)

    def some(*usual):
        return chance.choice(usual) if chance.random() < 0.9 else chance.choice(NASTY) * chance.randint(1, 2)

    def rules():
        return tuple(some("Read", "Bash(git log:*)", "--x", "-p") for _ in range(chance.randrange(3)))

    passed = 0
    for _ in range(5_000):
        is_resumed = chance.random() < 0.5
        launch = Launch(
            session=some(SESSION),
            resumes=some(SESSION) if is_resumed else None,
            at=some(MESSAGE, None) if is_resumed else None,
            model=some("opus", "claude-sonnet-4-5", None),
            mode=some(*MODES, None),
            allowed_tools=rules(),
            denied_tools=rules(),
            instructions=some("--settings=/x", "Be brief.\n--resume", None),
            max_turns=chance.choice([None, 1, 50, 0, -1]),
        )
        passed += is_harmless(launch)
    assert passed > 500


def is_harmless(launch) -> bool:
    """Returns whether the launch was accepted, and checks that no value is in the place of an option."""
    try:
        found = arguments(launch)
    except ChorusError:
        return False
    for argument in found:
        name, equals, value = argument.partition("=")
        assert (name in OPTIONS) if equals else (name in FLAGS)
        assert "\0" not in value
        argument.encode()
        if name in ("--session-id", "--resume", "--resume-session-at"):
            assert value in (SESSION, OTHER, MESSAGE)
    return True


def test_a_person_s_instructions_may_begin_with_a_dash():
    """Instructions of a person may begin with a dash, because they follow `=`."""
    assert "--append-system-prompt=--settings=x\nBe brief." in arguments(
        Launch(session=SESSION, instructions="--settings=x\nBe brief.")
    )


@pytest.mark.parametrize(
    ("printed", "version"), [("2.1.325 (Claude Code)\n", (2, 1, 325)), ("", None), ("no version", None)]
)
def test_the_version_is_found_in_what_the_client_prints(printed, version):
    """The version is read from the output of the client; other output gives none."""
    assert version_in(printed) == version


def test_no_shell_reads_anything_anywhere_in_the_package():
    """No call in the package of Chorus uses a shell."""
    root = Path(chorus.__file__).parent
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                assert name not in ("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput")
                assert not any(each.arg == "shell" for each in node.keywords), path


def test_a_mode_is_said_as_every_client_knows_it():
    """The mode `manual` is passed on as `default`, which every client knows, and an unknown mode is refused."""
    assert "--permission-mode=default" in arguments(Launch(session=SESSION, mode="manual"))
    with pytest.raises(ChorusError, match="not a permission mode"):
        arguments(Launch(session=SESSION, mode="yolo"))
