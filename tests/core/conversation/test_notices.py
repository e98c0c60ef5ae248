"""Which records are shown as rows of their own, and which are bookkeeping of the client."""

from typing import get_args

from chorus.core.records.model import TYPED
from chorus.core.records.model.base import Envelope


class Brandnew(Envelope, tag="brand-new"):
    """A type that a newer client might write."""


def test_a_record_type_that_nobody_handles_is_internal():
    """A new struct of the model makes no row by itself: it has to say so."""
    shown = {struct.__name__ for struct in get_args(TYPED) if struct.is_row}

    assert not Brandnew.is_row
    assert {"User", "Assistant", "System", "Result", "Error"} < shown
    assert not shown & {"Attachment", "Snapshot", "Progress", "KeepAlive", "CostState"}
