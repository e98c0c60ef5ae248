"""Tests of C11: an agent tries every known way to approve its own actions, with and without root's rights."""

import json
import shutil
import sys

import pytest

from chorus.errors import ChorusError
from chorus.steer.runs.starting import find_containment
from tests.support.users import ROOT, User

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="these attacks are for Linux"),
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]

REFUSED, REACHED = "refused", "reached"
COMMANDS = {
    "the_command": REFUSED,
    "the_command_from_far_away": REFUSED,
    "a_space_of_its_own": REFUSED,
    "a_terminal_server_of_its_own": REFUSED,
    "the_widest_mode": REFUSED,
    "keys_into_the_person_s_terminal": REFUSED,
}
PROCESSES = {
    "typed_into_a_terminal": REFUSED,
    "grabbed:ptrace": REFUSED,
    "grabbed:gdb": REFUSED,
    "grabbed:mem": REFUSED,
    "grabbed:readv": REFUSED,
    "grabbed:environ": REFUSED,
    "a_stolen_socket": REFUSED,
    "the_client_s_input": REFUSED,
    "the_holder_s_own_door": REFUSED,
}
FILES = {
    # These succeed without effect: a check reports each of them, or they open nothing by themselves.
    "a_forged_decision": REACHED,
    "an_approver_of_its_own": REACHED,
    "the_hook_s_key": REACHED,
    "a_login": REACHED,
    # These succeed and remain possible: docs/security.md says so.
    "a_planted_program": REACHED,
    "rules_for_later_runs": REACHED,
    "the_client_s_memory": REACHED,
    "the_client_debugged": REACHED,
}
SETTINGS = {"rules_in_settings": REACHED, "hooks_in_settings": REACHED}
EVERY = COMMANDS | PROCESSES | FILES | SETTINGS


def drilled(user, kind, ways):
    done = user.run(user.python, str(ROOT / "tests/security/drill.py"), str(user.folder / "drill"), kind, *ways)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def outcomes(found):
    return {way: REFUSED if came.startswith("refused") else REACHED for way, came in found["tried"].items()}


@pytest.fixture
def user(request):
    found = User(request.param)
    yield found
    found.close()


@pytest.mark.parametrize("user", ["unprivileged"], indirect=True)
def test_nothing_that_an_agent_does_approves(user):
    """Each way through commands, terminals, processes or files is refused, has no effect, or is documented."""
    ways = COMMANDS | PROCESSES | FILES
    found = drilled(user, "open", ways)

    assert outcomes(found) == ways, found
    assert '"allow"' not in found["answers"] and "set_permission_mode" not in found["asked"]
    assert found["state"] != "approved" and found["flaws"] >= 2 and not found["tampering"]
    assert ".evil" in found["bashrc"]


@pytest.mark.parametrize("way", ["hooks_in_settings", pytest.param("rules_in_settings", marks=pytest.mark.long)])
@pytest.mark.parametrize("user", ["unprivileged", pytest.param("root", marks=pytest.mark.long)], indirect=True)
def test_settings_written_by_the_agent_end_its_run(user, way):
    """Settings that the agent writes are noticed within two seconds; the run stops and shows the diff."""
    found = drilled(user, "open", [way])

    assert "settings.json was changed while it worked" in found["tampering"] and "+" in found["tampering"]
    assert '"allow"' not in found["answers"]


@pytest.mark.parametrize("user", ["root"], indirect=True)
def test_what_root_reaches_is_seen(user):
    """If root takes the holder's sockets and answers in its place, the run is stopped and its row says why.

    The warden sees the answer too, and may end the client before the client accepts it.
    """
    found = drilled(user, "open", ["a_stolen_socket"])

    assert outcomes(found) == {"a_stolen_socket": REACHED} or not found["tried"]
    if '"allow"' in found["answers"]:
        assert found["tampering"] and found["note"].startswith("TAMPERING: "), found
    assert found["state"] in ("invalid", "answered", "withdrawn"), found


@pytest.mark.long
@pytest.mark.parametrize("user", ["root"], indirect=True)
def test_root_gets_no_further_by_any_other_way(user):
    """With root's rights the processes are open, but nothing that the agent reaches approves anything."""
    theirs = dict.fromkeys(("grabbed:ptrace", "grabbed:gdb", "grabbed:mem", "grabbed:readv"), REACHED)
    ways = COMMANDS | PROCESSES | FILES | theirs | {"grabbed:environ": REACHED, "typed_into_a_terminal": REACHED}
    del ways["a_stolen_socket"]
    found = drilled(user, "open", ways)

    assert {way: came for way, came in outcomes(found).items() if came != ways[way]} == {}, found
    assert '"allow"' not in found["answers"] and "set_permission_mode" not in found["asked"]


@pytest.mark.parametrize("user", ["unprivileged", pytest.param("root", marks=pytest.mark.long)], indirect=True)
def test_contained_nothing_is_reached(user):
    """In containment none of the ways reaches anything, for any user."""
    try:
        find_containment()
    except ChorusError as error:
        pytest.skip(str(error))
    found = drilled(user, "contained", EVERY)

    assert set(found["tried"]) == set(EVERY), found
    # It plants the program in a home of its own, which no shell of the person reads.
    reached = {way for way, came in outcomes(found).items() if came == REACHED}
    assert reached <= {"a_planted_program"}, found["tried"]
    assert '"allow"' not in found["answers"] and "set_permission_mode" not in found["asked"]
    assert not found["bashrc"] and not found["flaws"] and not found["tampering"]
