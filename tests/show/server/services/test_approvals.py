"""Tests how the approval service reads the approvers for several requests at once."""

import sys
import threading

import pytest

from chorus.show.server.services.approvals import ApprovalService
from chorus.steer.approvals.approvers import ApproversFile
from chorus.steer.approvals.signing import Signer, fingerprint
from chorus.steer.approvals.trust import Change

AT_ONCE, TIMES = 6, 150


@pytest.fixture
def eager_threads():
    """Lets threads switch as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("eager_threads")
def test_simultaneous_readers_get_all_approvers(tmp_path):
    """Requests at the same time all get the complete list of approvers, and none gets a partly read list."""
    key = Signer("a key of the tests", b"s" * 32).public_key
    added = Change(
        action="add", id=fingerprint(key), at="2026-01-05T09:00:00.000Z", name="mine", kind="browser", public_key=key
    )
    ApproversFile(tmp_path).append(lambda _found, _head: added)
    told = []
    for _ in range(TIMES):
        approvals = ApprovalService(tmp_path)
        together = threading.Barrier(AT_ONCE)

        def ask(approvals=approvals, together=together):
            together.wait()
            told.append(len(approvals.approvers().approvers))

        threads = [threading.Thread(target=ask) for _ in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert told == [1] * AT_ONCE * TIMES
