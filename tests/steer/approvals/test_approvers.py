"""Tests of the file of approvers while several threads read and change it."""

import sys
import threading

import pytest

from chorus.steer.approvals.approvers import ApproversFile, pin
from tests.steer.approvals.samples import add_approver, joining, key

AT_ONCE, TIMES = 6, 100


@pytest.fixture(autouse=True)
def eager_threads():
    """Makes threads switch as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(act):
    """Runs the same function in several threads at the same moment."""
    together = threading.Barrier(AT_ONCE)

    def run():
        together.wait()
        act()

    threads = [threading.Thread(target=run) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_simultaneous_readers_get_the_whole_file(state):
    """Threads that read the file at the same moment all get the whole list."""
    add_approver(state, "ada")
    add_approver(state, "bob", by="ada")
    told = []
    for _ in range(TIMES):
        file = ApproversFile(state)
        at_once(lambda file=file: told.append((len(file.load().valid), len(file.load().rejected))))

    assert told == [(2, 0)] * AT_ONCE * TIMES


def test_no_older_list_is_taken_after_a_newer(state):
    """Trust that several threads extend while approvers are added never reports that the list was rewritten."""
    add_approver(state, "ada")
    names = [f"friend {n}" for n in range(20)]
    for name in names:
        key(name)
    file, trust, wrong = ApproversFile(state), pin(state), []
    is_over = threading.Event()

    def change():
        try:
            for name in names:
                file.append(lambda _found, head, name=name: joining(name, "ada", head))
        finally:
            is_over.set()

    changing = threading.Thread(target=change)
    changing.start()

    def look():
        while not is_over.is_set():
            file.extend(trust)
            wrong.extend([trust.tampering] if trust.tampering else [])

    at_once(look)
    changing.join()

    assert wrong == []
    assert len(file.load().lines) == 21 and not file.load().rejected
