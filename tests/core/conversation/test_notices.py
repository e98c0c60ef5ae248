"""Which records are shown as rows of their own, and which are bookkeeping of the client."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import get_args

from chorus.core.records import model
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


def test_every_struct_of_the_model_is_a_known_type():
    """A struct that somebody writes and does not list in `TYPED` fails here instead of being read as unknown."""
    for found in pkgutil.iter_modules(model.__path__, f"{model.__name__}."):
        importlib.import_module(found.name)
    written = {each for each in _below(Envelope) if each.__module__.startswith(model.__name__)}

    assert {each.__name__ for each in written - set(get_args(TYPED))} == {"Decision"}


def _below(struct: type) -> Iterator[type]:
    for each in struct.__subclasses__():
        yield each
        yield from _below(each)
