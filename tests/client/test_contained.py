"""Tests of the real client in containment: it works in its workspace and sees nothing else of the machine."""

import pytest

from chorus.errors import ChorusError
from chorus.steer.runs.attached import Attached
from chorus.steer.runs.containment import Containment
from chorus.steer.runs.starting import find_containment
from tests.client.test_run import asks, bash, calls, desk, questions_in, says, told
from tests.support.running import events_until, is_state

__all__ = ["desk"]


@pytest.fixture(autouse=True)
def _needs_bubblewrap():
    try:
        find_containment()
    except ChorusError as error:
        pytest.skip(str(error))


def test_a_contained_client_works_asks_and_is_kept(desk, tmp_path):
    """A contained client asks and runs like any other, and its session file is in the client's usual folder."""
    person = desk(calls(bash("toolu_1", "echo hi > made.txt; ls -a ~ > seen.txt")), says("All done."))
    signer = person.place.approver()
    with person.running(contain=Containment()) as folder, Attached(folder) as attached:
        told(attached, "go")
        (question,) = questions_in(events_until(attached, asks()))
        person.place.decide(question.id, "allow", signer)
        events_until(attached, is_state("idle"))
    run = folder.read()

    assert not run.tampering and b"All done." in person.place.kept(folder, "out")
    assert (person.client.workspace / "made.txt").read_text() == "hi\n"
    assert ".chorus" not in (person.client.workspace / "seen.txt").read_text()
    assert list(person.client.config.glob(f"projects/*/{run.session}.jsonl"))
