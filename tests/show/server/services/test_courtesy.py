"""Tests that background work lets requests go first and still makes progress."""

import threading
import time

from chorus.show.server.services.courtesy import courtesy


def test_background_work_waits_until_a_request_is_answered():
    """A background thread waits during a request and continues as soon as the answer is sent."""
    is_answering = True
    went_on = threading.Event()
    give_way = courtesy(lambda: is_answering)

    def work() -> None:
        nonlocal is_answering
        give_way()
        went_on.set()

    thread = threading.Thread(target=work)
    thread.start()
    was_waiting = not went_on.wait(0.01)
    is_answering = False
    thread.join(10)

    assert was_waiting
    assert went_on.is_set()


def test_background_work_goes_on_however_many_requests_there_are(monkeypatch):
    """Background work waits only a bounded time, so sessions are stored and indexed even under many requests."""
    now = 0.0

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(time, "sleep", sleep)

    courtesy(lambda: True)()

    assert 0 < now < 0.2
