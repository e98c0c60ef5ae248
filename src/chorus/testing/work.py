"""Work counted, not timed: how often a function runs, and how many lines of code a run takes."""

import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any


def returns_of(function: Callable[..., Any], run: Callable[[], object]) -> Iterator[dict[str, Any]]:
    """The local variables of `function` at each of its returns while `run` runs."""
    code, seen = _code_of(function), list[dict[str, Any]]()

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "return" and frame.f_code is code:
            seen.append(dict(frame.f_locals))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(before)
    return iter(seen)


def steps(run: Callable[[], object], *, package: str = "chorus") -> int:
    """How many lines of the package's own code `run` executes: the same on every machine."""
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


def _code_of(function: Callable[..., Any]) -> CodeType:
    return function.__code__  # type: ignore[attr-defined]
