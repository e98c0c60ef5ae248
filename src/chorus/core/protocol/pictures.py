"""Pictures that the client takes, told by their content."""

import base64
import binascii

from chorus.core.protocol.outgoing import Image
from chorus.errors import ChorusError

LARGEST_BYTES = 20 << 20
_KINDS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


def picture(data: bytes) -> Image:
    """The picture in these bytes; `ChorusError` when the client would not take it."""
    if len(data) > LARGEST_BYTES:
        raise ChorusError(f"larger than {LARGEST_BYTES >> 20} MB; make it smaller")
    kind = next((name for mark, name in _KINDS.items() if data.startswith(mark)), None)
    if kind is None and data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        kind = "image/webp"
    if kind is None:
        raise ChorusError("no picture that the client takes (PNG, JPEG, GIF, WebP)")
    return Image(media_type=kind, data=base64.b64encode(data).decode())


def packed_picture(text: str) -> Image:
    """The picture in base 64."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ChorusError("a picture is sent as base 64") from error
    return picture(data)
