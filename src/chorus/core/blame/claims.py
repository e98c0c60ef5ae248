"""What is told to other programs, and heard from them, about who wrote lines."""

from collections.abc import Mapping

from msgspec import Struct

from chorus.core.blame.line_ranges import Range
from chorus.core.blame.origins import Edit

LinesByEdit = Mapping[str, Mapping[Edit, list[Range]]]
"""Path from the top of the repository → edit → the lines that it wrote."""


class Claim(Struct, frozen=True):
    """What another program says about lines. It is shown beside the answer of Chorus, and never becomes part of it."""

    source: str
    """`git-ai` or `Agent Trace`."""
    author: str
    """`ai`, `human`, `mixed` or `unknown`."""
    tool: str = ""
    model: str = ""
    session: str = ""
    person: str = ""
