"""Bytes of a transcript as they are served: a stranger's, so never anything that a browser could run."""

import re

from litestar.response import Response

from chorus.show.transcripts.pictures import Picture

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_SANDBOX = {"content-security-policy": "sandbox; default-src 'none'"}
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def picture(found: Picture) -> Response[bytes]:
    """An image to be shown: what it is was told from its own bytes. Anything else is for saving."""
    if found.media_type not in PICTURES:
        return attachment(found.data, "picture")
    return Response(found.data, media_type=found.media_type, headers=_SANDBOX)


def attachment(data: bytes, name: str) -> Response[bytes]:
    """Bytes for saving, under a name that is harmless."""
    plain = _UNSAFE.sub("_", name).strip("._-")[-80:] or "record"
    headers = {**_SANDBOX, "content-disposition": f'attachment; filename="{plain}"'}
    return Response(data, media_type="application/octet-stream", headers=headers)
