"""Images that the client accepts, recognised by their content."""

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
    """Returns the image in these bytes. Raises `ChorusError` if the client would not accept it."""
    if len(data) > LARGEST_BYTES:
        raise ChorusError(f"larger than {LARGEST_BYTES >> 20} MB; make it smaller")
    kind = next((name for mark, name in _KINDS.items() if data.startswith(mark)), None)
    if kind is None and data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        kind = "image/webp"
    if kind is None:
        raise ChorusError("not an image that the client accepts (PNG, JPEG, GIF, WebP)")
    return Image(media_type=kind, data=base64.b64encode(data).decode())


def picture_from_base64(text: str) -> Image:
    """Returns the image in a Base64 text. Raises `ChorusError` as `picture` does, and for invalid Base64."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ChorusError("an image must be sent as Base64") from error
    return picture(data)
