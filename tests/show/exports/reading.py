"""Reads exported files."""

import json
import re
import zlib
from base64 import b64decode

DATA = re.compile(rb'<script type="application/json" id="chorus-data">(.*?)</script>', re.DOTALL)


def page_data(page: bytes) -> bytes:
    """Returns the JSON in an exported page."""
    (found,) = DATA.findall(page)
    value = json.loads(found)
    assert value["encoding"] == "deflate-raw+base64"
    return zlib.decompress(b64decode(value["data"]), -zlib.MAX_WBITS)


def readable(made) -> bytes:
    """Returns everything readable in an exported file, unpacked."""
    return made.data + page_data(made.data) if made.format == "html" else made.data
