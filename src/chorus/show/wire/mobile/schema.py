"""The JSON schema of `chorus.mobile.v1`, for clients in any language."""

from inspect import cleandoc
from typing import Any

import msgspec

from chorus.show.wire.mobile import PROTOCOL
from chorus.show.wire.mobile.incoming import MobileSaid
from chorus.show.wire.mobile.outgoing import MobileFrame


def json_schema() -> dict[str, Any]:
    """Returns the schema: `MobileFrame` is what the server sends, `MobileSaid` what a phone says."""
    kinds = [MobileFrame, MobileSaid]
    (frame, said), parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    for part in parts.values():
        if "description" in part:
            # Since 3.13 Python does this itself.
            part["description"] = cleandoc(part["description"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": PROTOCOL,
        "oneOf": [frame, {"$ref": "#/$defs/MobileSaid"}],
        "$defs": {**dict(sorted(parts.items())), "MobileSaid": said},
    }
