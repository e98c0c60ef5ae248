"""Serves bytes of a transcript. They are untrusted, so a browser must never run them."""

import re

from litestar.response import Response

from chorus.show.transcripts.pictures import Picture

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_SANDBOX = {"content-security-policy": "sandbox; default-src 'none'"}
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def picture(found: Picture) -> Response[bytes]:
    """Returns an image to be shown, if its bytes are of a known image format; anything else is an attachment."""
    if found.media_type not in PICTURES:
        return attachment(found.data, "picture")
    return Response(found.data, media_type=found.media_type, headers=_SANDBOX)


def attachment(data: bytes, name: str) -> Response[bytes]:
    """Returns bytes to be saved as a file, with a safe file name."""
    plain = _UNSAFE.sub("_", name).strip("._-")[-80:] or "record"
    headers = {**_SANDBOX, "content-disposition": f'attachment; filename="{plain}"'}
    return Response(data, media_type="application/octet-stream", headers=headers)
