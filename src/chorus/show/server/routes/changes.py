"""Routes for what a conversation changed in files: the list, the differences, and undoing."""

from collections.abc import Callable
from typing import Annotated, TypeVar

from litestar import get, post
from litestar.params import JSONBody, QueryParameter

from chorus.errors import IndexDamaged
from chorus.find.index.port import Index
from chorus.show import wire
from chorus.show.server.context import Context, ServerContext
from chorus.show.server.services import changes as service
from chorus.show.server.services import undoing
from chorus.show.server.services.addresses import ONE, ConversationName
from chorus.show.transcripts.call_prompts import prompts_of

_Found = TypeVar("_Found")
_Commit = Annotated[str, QueryParameter(max_length=64)]
_File = Annotated[str, QueryParameter(max_length=24_576)]


@get(f"{ONE}/changes")
async def changes(server: Context, conversation_name: ConversationName) -> wire.Changes:
    """Returns what the agents of the conversation changed in files, turn by turn."""

    def look(index: Index | None) -> wire.Changes:
        opened = server.transcripts.of(index, conversation_name) if index is not None else None
        return service.shown_changes(
            server.vault,
            conversation_name,
            lambda calls: prompts_of(opened, index, calls) if opened is not None and index is not None else {},
        )

    return await _even_without_index(server, conversation_name, look)


@get(f"{ONE}/changes/diff")
async def edit_diff(
    server: Context, conversation_name: ConversationName, commit: _Commit, file: _File
) -> wire.EditDiff:
    """Returns what one edit changed in one file."""
    return await _read(
        server, conversation_name, lambda: service.shown_diff(server.vault, conversation_name, commit, file)
    )


@post(f"{ONE}/changes/undo/preview", status_code=200)
async def preview_undo(
    server: Context, conversation_name: ConversationName, data: JSONBody[wire.UndoAsked]
) -> wire.UndoPreview:
    """Returns what undoing would do to each file. Changes nothing."""
    return await _read(server, conversation_name, lambda: undoing.preview(server.vault, conversation_name, data))


@post(f"{ONE}/changes/undo", status_code=200)
async def undo(
    server: Context, conversation_name: ConversationName, data: JSONBody[wire.UndoConfirmed]
) -> wire.UndoResult:
    """Undoes what the person saw and confirmed, unless a file changed since. Returns what was done."""
    return await _read(server, conversation_name, lambda: undoing.undo(server.vault, conversation_name, data))


async def _read(server: ServerContext, name: str, act: Callable[[], _Found]) -> _Found:
    return await _even_without_index(server, name, lambda _: act())


async def _even_without_index(server: ServerContext, name: str, act: Callable[[Index | None], _Found]) -> _Found:
    """Returns the result of `act`; calls it with None while the index is being built: snapshots need no index."""
    try:
        return await server.readers.run(act, lane=name)
    except IndexDamaged:
        return await server.readers.in_thread(lambda: act(None))
