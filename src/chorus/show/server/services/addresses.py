"""Conversations as addresses name them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from litestar.di import NamedDependency
from litestar.params import FromPath

from chorus.find.index.port import Index
from chorus.keep.vault.keys import is_safe_name
from chorus.show.server.errors import not_found
from chorus.show.transcripts.open_transcripts import OpenTranscript

if TYPE_CHECKING:
    from chorus.show.server.context import Served

_Found = TypeVar("_Found")

ONE = "/api/conversations/{workspace:str}/{agent:str}/{conversation:str}"
"""The address of a conversation."""
Whose = NamedDependency[str]
"""The name of the conversation that is asked for, in the index."""
_MISSING = "There is no such conversation; it may have been forgotten."


def name_of(workspace: FromPath[str], agent: FromPath[str], conversation: FromPath[str]) -> str:
    """The conversation's name in the index; `not_found` for what can be no name."""
    if not all(map(is_safe_name, (workspace, agent, conversation))):
        raise not_found(_MISSING)
    return f"{workspace}/{agent}/{conversation}"


async def read(served: "Served", name: str, act: Callable[[OpenTranscript, Index], _Found | None]) -> _Found:
    """What `act` finds in the transcript of that name; `not_found` when there is no such thing, or no transcript."""

    def look(index: Index) -> _Found:
        opened = served.transcripts.of(index, name)
        if opened is None:
            raise not_found(_MISSING)
        found = act(opened, index)
        if found is None:
            raise not_found("There is no such thing in this conversation.")
        return found

    return await served.readers.run(look, of=name)
