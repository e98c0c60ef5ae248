"""Routes for files over time: the files of a conversation, what changed in them, and who wrote each line."""

from collections.abc import Callable
from typing import Annotated, TypeVar

from litestar import get
from litestar.params import FromQuery, QueryParameter
from litestar.response import Response

from chorus.keep.archive.file_versions import FilesOverTime
from chorus.keep.archive.listing import Kept
from chorus.show import wire
from chorus.show.server.context import Context, ServerContext
from chorus.show.server.services.addresses import ONE, ConversationName
from chorus.show.server.services.blobs import attachment
from chorus.show.server.services.files import content_of, shown_blame, shown_diff, shown_files

_Found = TypeVar("_Found")
_Path = Annotated[str, QueryParameter(max_length=8_192)]
_Version = Annotated[int, QueryParameter(ge=1, le=1 << 31)]
_Before = Annotated[int, QueryParameter(ge=0, le=1 << 31)]


@get(f"{ONE}/files")
async def files(
    server: Context,
    conversation_name: ConversationName,
    together: FromQuery[bool] = False,  # noqa: FBT002 - a parameter of the address
) -> wire.Files:
    """Returns the files that the conversation touched, with their versions; with `together`, those of its workspace."""
    return await _read(server, conversation_name, shown_files, is_workspace=together)


@get(f"{ONE}/files/diff")
async def diff(
    server: Context,
    conversation_name: ConversationName,
    path: _Path,
    before: _Before,
    after: _Version,
    ignore_space: FromQuery[bool] = False,  # noqa: FBT002 - a parameter of the address
    together: FromQuery[bool] = False,  # noqa: FBT002 - a parameter of the address
) -> wire.FileDiff:
    """Returns what changed in a file between two versions; `before=0` is the time before the first one."""
    return await _read(
        server,
        conversation_name,
        lambda _, found: shown_diff(found, path, before, after, ignores_space=ignore_space),
        is_workspace=together,
    )


@get(f"{ONE}/files/blame")
async def blame(
    server: Context,
    conversation_name: ConversationName,
    path: _Path,
    version: _Version,
    together: FromQuery[bool] = False,  # noqa: FBT002 - a parameter of the address
) -> wire.FileBlame:
    """Returns which version each line of a version came with."""
    return await _read(
        server, conversation_name, lambda _, found: shown_blame(found, path, version), is_workspace=together
    )


@get(f"{ONE}/files/content", opt={"bytes": "application/octet-stream"})
async def content(
    server: Context,
    conversation_name: ConversationName,
    path: _Path,
    version: _Version,
    together: FromQuery[bool] = False,  # noqa: FBT002 - a parameter of the address
) -> Response[bytes]:
    """Returns the bytes of a version, as a file to save."""
    data = await _read(
        server, conversation_name, lambda _, found: content_of(found, path, version), is_workspace=together
    )
    return attachment(data, path.replace("\\", "/").rpartition("/")[2])


async def _read(
    server: ServerContext,
    name: str,
    act: Callable[[tuple[Kept, ...], FilesOverTime], _Found],
    *,
    is_workspace: bool,
) -> _Found:
    return await server.readers.run(lambda _: act(*server.files.of(name, is_workspace=is_workspace)), lane=name)
