

def test_a_record_type_that_nobody_handles_is_internal():
    """A new struct of the model makes no row by itself: it has to say so."""
    from typing import get_args

    from chorus.core.records.model import TYPED
    from chorus.core.records.model.base import Envelope

    class Brandnew(Envelope, tag="brand-new"):
        """A type that a newer client might write."""

    assert not Brandnew.is_row
    shown = {struct.__name__ for struct in get_args(TYPED) if struct.is_row}
    assert {"User", "Assistant", "System", "Result", "Error"} < shown
    assert not shown & {"Attachment", "Snapshot", "Progress", "KeepAlive", "CostState"}
