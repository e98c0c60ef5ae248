"""What a tool's view is given and what it gives: one call with its result in, a title and blocks out."""

from collections.abc import Callable

from msgspec import Raw, Struct

from chorus.core.records.model import blocks as wire
from chorus.core.views import content
from chorus.core.views.blocks import Block, Image, Json, Note, Output, SideFile


class Result(Struct, frozen=True, kw_only=True):
    """What came back."""

    text: str
    """The model's view of it, joined."""
    parts: list[wire.Block]
    structured: Struct | None = None
    """The client's typed form, where the tool and the bytes are known."""
    is_error: bool = False
    side_file: SideFile | None = None

    def blocks(self, *, is_bulk: bool = False) -> tuple[Block, ...]:
        """The result as it is, for tools that have nothing better to show."""
        found: list[Block] = []
        text = self.text
        if text.strip() or self.side_file:
            pretty = content.laid_out(text) if not self.is_error and text.lstrip()[:1] in ("{", "[") else None
            if pretty and not self.side_file:
                found.append(Json(text=pretty, is_bulk=is_bulk))
            else:
                found.append(Output(text=text, is_error=self.is_error, is_bulk=is_bulk, side_file=self.side_file))
        found.extend(self.others())
        return tuple(found)

    def others(self) -> list[Block]:
        """What is not text: pictures and references."""
        shapes = (content.shape(part) for part in self.parts if part.type != "text")
        return [found for found in shapes if isinstance(found, Image | Note | Json)]


class Made(Struct, frozen=True, kw_only=True):
    """A tool call."""

    name: str
    raw: Raw
    input: Struct | None = None
    """Typed, where the tool is known and the bytes fit."""
    result: Result | None = None

    def results(self, *, is_bulk: bool = False) -> tuple[Block, ...]:
        return self.result.blocks(is_bulk=is_bulk) if self.result else ()

    @property
    def failure(self) -> tuple[Block, ...] | None:
        """The result of a call that failed; None if it did not."""
        return self.result.blocks() if self.result and self.result.is_error else None


class View(Struct, frozen=True):
    """What a reader sees of a call: a title after the tool's name, what was asked, and what came back."""

    title: str
    asked: tuple[Block, ...] = ()
    given: tuple[Block, ...] = ()
    label: str | None = None
    """What to call the tool, where its name is not for people."""
    refers: str | None = None
    """The id of the background shell, task or agent that the call is about."""


Viewer = Callable[[Made], View | None]
"""Gives None for a call it cannot make sense of; the fallback shows that one."""
