"""The settings of a stand-in: how a recording is played."""

from msgspec import Struct


class Settings(Struct, frozen=True):
    """How a recording is played; what the caller requests with the client's own options is not included."""

    recording: str
    speed: float = 1
    longest_gap: float | None = None
    run: str = ""
    strict: bool = False
    keep_ids: bool = False
    write_session: bool = False
