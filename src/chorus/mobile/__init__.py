"""A client of `chorus.mobile.v1`: it follows agents as a phone does, and misses nothing while it is away.

    from chorus import mobile

    client = mobile.MobileClient(mobile.MobileServer(link), mobile.Store(Path("phone")), ["work-1f0c/main/sess_123"])
    for received in client.follow():
        print(received.message)

The protocol is described in docs/formats/mobile.md. This client is its reference: it does what a client must, and no
more.
"""

from chorus.mobile.client import MobileClient as MobileClient
from chorus.mobile.frames import Received as Received
from chorus.mobile.server import MobileServer as MobileServer
from chorus.mobile.store import Store as Store
from chorus.mobile.stored import Stored as Stored

__all__ = ["MobileClient", "MobileServer", "Received", "Store", "Stored"]
