"""Counts work instead of measuring time: calls of a function, and executed lines of code."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def _one(_: dict[str, Any]) -> int:
    return 1


def returns_of(
    function: Callable[..., Any], run: Callable[[], object], measure: Callable[[dict[str, Any]], int] = _one
) -> int:
    """Returns how often `function` returns during `run`, or the sum of `measure` over its local variables at return."""
    code = getattr(function, "__code__", None)
    total = 0

    def watch(frame: FrameType, event: str, _: object) -> None:
        nonlocal total
        if event == "return" and frame.f_code is code:
            total += measure(frame.f_locals)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(before)
    return total


def steps(run: Callable[[], object], *, package: str = "chorus") -> int:
    """Returns how many lines of the package's own code `run` executes: the same on every machine."""
    count = 0
    within = f"/{package}/"

    def in_frame(_frame: FrameType, event: str, _: object) -> Callable[..., Any]:
        nonlocal count
        count += event == "line"
        return in_frame

    def watch(frame: FrameType, _event: str, _: object) -> Callable[..., Any] | None:
        return in_frame if within in frame.f_code.co_filename.replace("\\", "/") else None

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        run()
    finally:
        sys.settrace(before)
    return count
