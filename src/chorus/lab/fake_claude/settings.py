"""How a recording is to be played, as far as whoever set the stand-in up decides it."""

from msgspec import Struct


class Settings(Struct, frozen=True):
    """How a recording is to be played; what the caller asks for in the client's own options is not in here."""

    recording: str
    speed: float = 1
    longest_gap: float | None = None
    run: str = ""
    strict: bool = False
    keep_ids: bool = False
    write_session: bool = False
