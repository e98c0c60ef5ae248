"""View blocks: every message and tool call is turned into these once, and each front end draws them.

They are plain data that can be sent as JSON: tagged by `type`, with every field always present. Text is exactly as in
the transcript; each front end makes it harmless for its own medium.
"""

from typing import Literal

from msgspec import Struct


class ViewBlock(Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base class of all view blocks."""

    cut_chars: int = 0
    """How many characters a page left out; it shows only the beginning, and of an output also the end."""


class Prose(ViewBlock, frozen=True, tag="prose"):
    """Markdown text that a person or the model wrote."""

    markdown: str


class Thinking(ViewBlock, frozen=True, tag="thinking"):
    """What the model thought. If `text` is empty, `reason` says why."""

    text: str
    reason: str | None = None


class Code(ViewBlock, frozen=True, tag="code"):
    """Source text in a language. Its first line has the number `first_line`."""

    text: str
    language: str = ""
    title: str | None = None
    first_line: int = 1
    is_bulk: bool = False
    """Rarely read in full: a front end folds it to a few lines."""


class Hunk(Struct, frozen=True, kw_only=True):
    """A part of a diff; each line begins with a space, `+` or `-`.

    `old_start` and `new_start` are None if the line numbers are unknown.
    """

    old_start: int | None
    new_start: int | None
    lines: tuple[str, ...]


class Diff(ViewBlock, frozen=True, tag="diff"):
    """How a file was changed, or would be changed."""

    path: str
    hunks: tuple[Hunk, ...]
    is_new: bool = False


class Shell(ViewBlock, frozen=True, tag="shell"):
    """A command line."""

    command: str
    language: str = "bash"


class SideFile(Struct, frozen=True, kw_only=True):
    """The file that stores the complete text of a long output; `size_bytes` is None if the file is missing."""

    name: str
    size_bytes: int | None


class Output(ViewBlock, frozen=True, tag="output"):
    """What a tool or command printed."""

    text: str
    is_error: bool = False
    is_bulk: bool = False
    side_file: SideFile | None = None
    tail: str = ""
    """The end of the output, if `cut_chars` characters were left out between `text` and this."""


class TodoItem(Struct, frozen=True, kw_only=True):
    text: str
    status: str
    id: str | None = None
    note: str | None = None


class Todos(ViewBlock, frozen=True, tag="todos"):
    """A to-do list, in order."""

    items: tuple[TodoItem, ...]


class Image(ViewBlock, frozen=True, tag="image"):
    """The facts about an image. No front end loads an image from `source`."""

    media_type: str
    size_bytes: int | None = None
    source: str = ""
    """`inline`, or the URL or file that the record names."""
    item: str = ""
    """The id of the item whose record contains the image."""
    nth: int = 0
    """The index of the image within that record, from 0."""


class Json(ViewBlock, frozen=True, tag="json"):
    """Indented JSON; `title` names what it is."""

    text: str
    title: str | None = None
    is_bulk: bool = False


class Option(Struct, frozen=True, kw_only=True):
    label: str
    description: str = ""
    is_chosen: bool = False


class Question(ViewBlock, frozen=True, tag="question"):
    """A question to the person; `answer` is the person's answer as text."""

    header: str
    question: str
    options: tuple[Option, ...] = ()
    is_multiple: bool = False
    answer: str | None = None


class Plan(ViewBlock, frozen=True, tag="plan"):
    """A plan in Markdown."""

    markdown: str


class Link(Struct, frozen=True, kw_only=True):
    title: str
    url: str


class Links(ViewBlock, frozen=True, tag="links"):
    """URLs with their titles."""

    links: tuple[Link, ...]


class Note(ViewBlock, frozen=True, tag="note"):
    """A short message about what happened, from Chorus or from the client."""

    text: str
    level: Literal["info", "warning", "error"] = "info"
    is_bulk: bool = False


class Unread(ViewBlock, frozen=True, tag="unread"):
    """Bytes that are no record: the reason, the place, and how they begin."""

    reason: str
    text: str
    place: str


Block = Prose | Thinking | Code | Diff | Shell | Output | Todos | Image | Json | Question | Plan | Links | Note | Unread
