"""Cases for clients of `chorus.mobile.v1`, as data: a client in any language can play them.

`client_cases.json` has the name of the one conversation that the client follows from its start, and the cases. The
steps of a case are those of a server, in order:

    subscribes  the next `subscribe` of the client has at least these fields; it comes on the open socket, or the client
                connects again. `known` is compared as a whole
    sends       the server sends this frame. `"$ref"` in it stands for the `ref` of the last `subscribe`; a frame with
                `onNewSocketOnly` is left out if that came on a socket that was open already
    says        the next message of the client is exactly this one
    breaks      the connection ends without a close frame

Nothing else is said by the client. Afterwards `delivered` are the texts that the application was given, in order (null:
any), `stored` those that the client has (`storedInAnyOrder`), and `waiting` the permission requests that still wait.
"""

import json
from importlib.resources import files
from typing import Any


def client_cases() -> tuple[str, list[dict[str, Any]]]:
    """Returns the name of the conversation that a client follows, and the cases."""
    found = json.loads(files("chorus.testing.mobile_contract").joinpath("client_cases.json").read_text("utf-8"))
    return found["conversation"], found["cases"]
