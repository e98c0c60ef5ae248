"""Finds the conversation that an address names."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from litestar.di import NamedDependency
from litestar.params import FromPath

from chorus.find.index.port import Index
from chorus.keep.vault.keys import is_safe_name
from chorus.show.server.errors import not_found
from chorus.show.transcripts.open_transcripts import OpenTranscript

if TYPE_CHECKING:
    from chorus.show.server.context import ServerContext

_Found = TypeVar("_Found")

ONE = "/api/conversations/{workspace:str}/{agent:str}/{conversation:str}"
"""The path of a conversation's routes."""
ConversationName = NamedDependency[str]
"""The index name of the conversation in the address; the type of the parameter `conversation_name` of routes."""
MISSING = "There is no such conversation; it may have been forgotten."


def name_of(workspace: FromPath[str], agent: FromPath[str], conversation: FromPath[str]) -> str:
    """Returns the conversation's name in the index; raises `not_found` for parts that are no valid names."""
    if not all(map(is_safe_name, (workspace, agent, conversation))):
        raise not_found(MISSING)
    return f"{workspace}/{agent}/{conversation}"


async def read(server: "ServerContext", name: str, act: Callable[[OpenTranscript, Index], _Found | None]) -> _Found:
    """Returns what `act` finds in the transcript of `name`; raises `not_found` if it finds nothing or there is none."""

    def look(index: Index) -> _Found:
        opened = server.transcripts.of(index, name)
        if opened is None:
            raise not_found(MISSING)
        found = act(opened, index)
        if found is None:
            raise not_found("There is no such thing in this conversation.")
        return found

    return await server.readers.run(look, lane=name)
