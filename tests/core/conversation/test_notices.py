"""Tests which records are shown as rows of their own, and which ones are bookkeeping of the client."""

import importlib
import json
import pkgutil
from collections.abc import Iterator
from typing import get_args

import pytest

from chorus.core.conversation.fold import Fold
from chorus.core.conversation.items import Notice
from chorus.core.records import model
from chorus.core.records.model import TYPED
from chorus.core.records.model.base import Envelope
from chorus.core.records.model.stream import KeepAlive
from chorus.testing.builders.samples import sample_line
from chorus.testing.reading import records


class Brandnew(Envelope, tag="brand-new"):
    """A type that a newer client might write."""


def test_a_record_type_that_nobody_handles_is_internal():
    """A new record type is internal unless it says that it is a row."""
    shown = {struct.__name__ for struct in get_args(TYPED) if struct.is_row}

    assert not Brandnew.is_row
    assert {"User", "Assistant", "System", "Result", "Error"} < shown
    assert not shown & {"Attachment", "Snapshot", "Progress", "KeepAlive", "CostState"}


def test_every_struct_of_the_model_is_a_known_type():
    """A struct of the model that is not listed in `TYPED` fails this test instead of being read as unknown."""
    for found in pkgutil.iter_modules(model.__path__, f"{model.__name__}."):
        importlib.import_module(found.name)
    written = {each for each in _below(Envelope) if each.__module__.startswith(model.__name__)}

    assert {each.__name__ for each in written - set(get_args(TYPED))} == {"Decision"}


@pytest.mark.parametrize("struct", [each for each in get_args(TYPED) if each.is_row], ids=lambda each: each.__name__)
def test_every_row_has_words(struct):
    """A record type that is shown as a row of its own has words in `_text_of`."""
    notices = [
        each for each in fold(bytes_of(sample_line(struct))) if isinstance(each, Notice) and not each.is_internal
    ]

    assert all(each.text for each in notices), f"add words for {struct.__name__} to _text_of in notices.py"


def test_the_check_sees_a_row_without_words(monkeypatch):
    """A type that is a row without words is noticed by the check of the test above."""
    monkeypatch.setattr(KeepAlive, "is_row", True)
    (notice,) = (each for each in fold(bytes_of({"type": "keep_alive"})) if isinstance(each, Notice))

    assert not notice.is_internal and not notice.text


@pytest.mark.parametrize(
    ("info", "words"),
    [
        (
            {"status": "allowed_warning", "rateLimitType": "seven_day", "utilization": 0.92, "resetsAt": 1794744000},
            "The usage limit of seven days is nearly reached; 92% used; it resets at 2026-11-15 12:00 UTC",
        ),
        (
            {
                "status": "rejected",
                "rateLimitType": "five_hour",
                "overageStatus": "rejected",
                "overageDisabledReason": "out_of_credits",
            },
            "The usage limit of five hours is reached; extra usage is not allowed (out of credits)",
        ),
        ({"status": "odd", "rateLimitType": "new"}, "The usage limit “new” has the status “odd”"),
        ({"status": "allowed", "resetsAt": 1e300}, "The usage limit is not reached"),
        ({"status": "allowed", "resetsAt": -1e12, "utilization": -1e308}, "The usage limit is not reached"),
        ({"status": 7}, "The usage limit was reported"),
        ([], "The usage limit was reported"),
    ],
)
def test_a_usage_limit_is_described_in_words(info, words):
    """The notice of a limit says which limit, its status, how much is used and when it restarts; no value raises."""
    (notice,) = (
        each
        for each in fold(bytes_of({"type": "rate_limit_event", "session_id": "s", "rate_limit_info": info}))
        if isinstance(each, Notice)
    )

    assert notice.text == words


def fold(data):
    """Returns all changes of the records."""
    fold = Fold("s")
    return [change for record in records(data) for change in fold.feed(record)]


def bytes_of(line):
    return json.dumps(line).encode() + b"\n"


def _below(struct: type) -> Iterator[type]:
    for each in struct.__subclasses__():
        yield each
        yield from _below(each)
