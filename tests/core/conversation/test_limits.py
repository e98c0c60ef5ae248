"""Tests the limits that the client reports, and the time at which a request was answered."""

import itertools

import pytest

from chorus.core.conversation.items import Limit, Permission
from chorus.testing.builders import Run, tool_use
from tests.core.conversation.talks import folded, read


def test_the_last_report_of_each_limit_counts():
    """The latest report of each limit counts, in whatever order the streams are read."""
    streams = []
    for name, used, time in (("a", 0.9, "2026-02-01T10:00:02.000Z"), ("b", 0.5, "2026-02-01T10:00:01.000Z")):
        log = Run("s")
        info = {"status": "allowed", "rateLimitType": "five_hour", "utilization": used, "resetsAt": 1_770_000_000}
        log.line("rate_limit_event", timestamp=time, uuid=name, rate_limit_info=info)
        streams.append(read(name, bytes(log)))
    for order in itertools.permutations(streams):
        session = folded([record for stream in order for record in stream]).session
        assert session.limits == (
            Limit(type="five_hour", status="allowed", utilization=0.9, resets_at_s=1_770_000_000,
                  reported_at="2026-02-01T10:00:02.000Z"),
        )  # fmt: skip


@pytest.mark.parametrize("info", [None, "x", 5, [], {"status": 5}, {"utilization": "high"}, {"resetsAt": {}}])
def test_a_report_that_cannot_be_read_is_no_limit(info):
    """A report that cannot be read raises nothing, is shown as an event, and gives no limit."""
    log = Run("s")
    log.line("rate_limit_event", rate_limit_info=info)
    assert folded(read("out", bytes(log))).session.limits == ()


def test_a_report_may_be_empty():
    """A limit without a name and numbers is listed, and its missing values are not 0."""
    log = Run("s")
    log.line("rate_limit_event", rate_limit_info={})
    (limit,) = folded(read("out", bytes(log))).session.limits
    assert (limit.type, limit.status, limit.utilization, limit.resets_at_s) == ("", None, None, None)


def test_a_request_knows_when_it_was_answered():
    """An answered request has the time of the answer; a request that only a result closed has no such time."""
    log = Run("s")
    log.assistant(tool_use("Bash", {}, id="t1"), tool_use("Bash", {}, id="t2"))
    for n in (1, 2):
        request = {"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": f"t{n}"}
        log.line("control_request", request_id=f"r{n}", timestamp=f"2026-02-01T10:00:0{n}.000Z", request=request)
    answer = {"request_id": "r1", "subtype": "success", "response": {"behavior": "deny"}}
    log.line("control_response", timestamp="2026-02-01T10:00:09.000Z", response=answer)
    log.tool_result("t2", "ran", timestamp="2026-02-01T10:00:12.000Z")
    conversation = folded(read("out", bytes(log)))
    requests = {item.request_id: item for item in conversation.items.values() if isinstance(item, Permission)}
    assert (requests["r1"].state, requests["r1"].ended_at) == ("denied", "2026-02-01T10:00:09.000Z")
    assert (requests["r2"].state, requests["r2"].ended_at) == ("settled", None)
