"""Routes for sharing a conversation: a preview with everything that redaction found, and the file."""

from litestar import post
from litestar.params import JSONBody
from litestar.response import Response

from chorus.show import wire
from chorus.show.server.context import Context
from chorus.show.server.services import exports
from chorus.show.server.services.addresses import ONE, ConversationName
from chorus.show.server.services.blobs import attachment


@post(f"{ONE}/export/preview", status_code=200)
async def preview(
    server: Context, conversation_name: ConversationName, data: JSONBody[wire.ExportAsked]
) -> wire.ExportPreview:
    """Returns what an export would contain: its size, its beginning, and what redaction found. Nothing is written."""
    made = await server.readers.run(
        lambda _: exports.exported(server.vault, conversation_name, data), lane=exports.LANE
    )
    return exports.preview_of(made)


@post(f"{ONE}/export", status_code=200, opt={"bytes": "application/octet-stream"})
async def export(
    server: Context, conversation_name: ConversationName, data: JSONBody[wire.ExportAsked]
) -> Response[bytes]:
    """Returns the exported file."""
    made = await server.readers.run(
        lambda _: exports.exported(server.vault, conversation_name, data), lane=exports.LANE
    )
    return attachment(made.data, made.file_name)
