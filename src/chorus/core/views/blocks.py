"""The shapes a reader sees: every tool call and message becomes some of these once, and each door draws them.

Plain data, made to cross the wire: tagged by `type`, every field always present. Text is exact, as the transcript has
it; a door neutralises it for its own medium.
"""

from typing import Literal

from msgspec import Struct


class Shape(Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base of the shapes."""

    cut_chars: int = 0
    """Characters that were left out, where a page shows only the beginning; of an output, also how it ends."""


class Prose(Shape, frozen=True, tag="prose"):
    """Words in Markdown: what a person or the model said."""

    markdown: str


class Thinking(Shape, frozen=True, tag="thinking"):
    """What the model thought; `reason` says why there is no text where there is none."""

    text: str
    reason: str | None = None


class Code(Shape, frozen=True, tag="code"):
    """Text in a language, from line `first_line` on."""

    text: str
    language: str = ""
    title: str | None = None
    first_line: int = 1
    is_bulk: bool = False
    """Rarely read in full: a door folds it to a few lines."""


class Hunk(Struct, frozen=True, kw_only=True):
    """A piece of a diff; each line begins with a blank, `+` or `-`.

    The lines that it begins at are None where nobody told them: then it has no line numbers.
    """

    old_start: int | None
    new_start: int | None
    lines: tuple[str, ...]


class Diff(Shape, frozen=True, tag="diff"):
    """How a file changed, or is to change."""

    path: str
    hunks: tuple[Hunk, ...]
    is_new: bool = False


class Shell(Shape, frozen=True, tag="shell"):
    """A command line."""

    command: str
    language: str = "bash"


class SideFile(Struct, frozen=True, kw_only=True):
    """Where the whole of a long output lies; `size_bytes` is None when the file is missing."""

    name: str
    size_bytes: int | None


class Output(Shape, frozen=True, tag="output"):
    """What a tool or command printed."""

    text: str
    is_error: bool = False
    is_bulk: bool = False
    side_file: SideFile | None = None
    tail: str = ""
    """How it ends, where `cut_chars` were left out between `text` and this."""


class TodoItem(Struct, frozen=True, kw_only=True):
    text: str
    status: str
    id: str | None = None
    note: str | None = None


class Todos(Shape, frozen=True, tag="todos"):
    """A list of things to do, in order."""

    items: tuple[TodoItem, ...]


class Image(Shape, frozen=True, tag="image"):
    """A picture, by its facts: no door fetches one."""

    media_type: str
    size_bytes: int | None = None
    source: str = ""
    """`inline`, or the address or file it is said to come from."""
    item: str = ""
    """The id of the item whose record holds it."""
    nth: int = 0
    """Which picture of that record it is."""


class Json(Shape, frozen=True, tag="json"):
    """JSON, laid out for reading; `title` names what it is."""

    text: str
    title: str | None = None
    is_bulk: bool = False


class Option(Struct, frozen=True, kw_only=True):
    label: str
    description: str = ""
    is_chosen: bool = False


class Question(Shape, frozen=True, tag="question"):
    """A question to the person; `answer` is theirs, in words."""

    header: str
    question: str
    options: tuple[Option, ...] = ()
    is_multiple: bool = False
    answer: str | None = None


class Plan(Shape, frozen=True, tag="plan"):
    """A plan in Markdown."""

    markdown: str


class Link(Struct, frozen=True, kw_only=True):
    title: str
    url: str


class Links(Shape, frozen=True, tag="links"):
    """Web addresses with their titles."""

    links: tuple[Link, ...]


class Note(Shape, frozen=True, tag="note"):
    """A word about what happened, from Chorus or from the client."""

    text: str
    level: Literal["info", "warning", "error"] = "info"
    is_bulk: bool = False


class Unread(Shape, frozen=True, tag="unread"):
    """Bytes that could not be read: why, where, and how they begin."""

    reason: str
    text: str
    place: str


Block = Prose | Thinking | Code | Diff | Shell | Output | Todos | Image | Json | Question | Plan | Links | Note | Unread
