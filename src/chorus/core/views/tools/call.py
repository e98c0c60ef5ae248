"""The input and output of a tool's view: a call with its result, and a title with view blocks."""

from collections.abc import Callable

from msgspec import Raw, Struct

from chorus.core.records.model import blocks as wire
from chorus.core.views import content
from chorus.core.views.blocks import Block, Image, Json, Note, Output, SideFile


class Result(Struct, frozen=True, kw_only=True):
    """The result of a tool call."""

    text: str
    """The text that the model received, joined."""
    parts: list[wire.Block]
    structured: Struct | None = None
    """The client's typed form, if the tool and the format are known."""
    is_error: bool = False
    side_file: SideFile | None = None

    def blocks(self, *, is_bulk: bool = False) -> tuple[Block, ...]:
        """Returns the result unchanged, for tools that have no better view."""
        found: list[Block] = []
        text = self.text
        if text.strip() or self.side_file:
            pretty = content.indented(text) if not self.is_error and text.lstrip()[:1] in ("{", "[") else None
            if pretty and not self.side_file:
                found.append(Json(text=pretty, is_bulk=is_bulk))
            else:
                found.append(Output(text=text, is_error=self.is_error, is_bulk=is_bulk, side_file=self.side_file))
        found.extend(self.others())
        return tuple(found)

    def others(self) -> list[Block]:
        """Returns the parts that are not text: images and references."""
        others = (content.view_block(part) for part in self.parts if part.type != "text")
        return [block for block in others if isinstance(block, Image | Note | Json)]


class MadeCall(Struct, frozen=True, kw_only=True):
    """A tool call."""

    name: str
    raw: Raw
    input: Struct | None = None
    """The typed input, if the tool is known and the bytes match its type."""
    result: Result | None = None

    def results(self, *, is_bulk: bool = False) -> tuple[Block, ...]:
        return self.result.blocks(is_bulk=is_bulk) if self.result else ()

    @property
    def failure(self) -> tuple[Block, ...] | None:
        """The result of a failed call; None if the call did not fail."""
        return self.result.blocks() if self.result and self.result.is_error else None


class View(Struct, frozen=True):
    """How a call is shown: a title after the tool's name, what was asked, and what was returned."""

    title: str
    asked: tuple[Block, ...] = ()
    given: tuple[Block, ...] = ()
    label: str | None = None
    """The display name of the tool, if its name is not meant for people."""
    refers: str | None = None
    """The id of the background shell, task or agent that the call refers to."""


Viewer = Callable[[MadeCall], View | None]
"""Returns None for a call that it cannot interpret; then the fallback view is used."""
