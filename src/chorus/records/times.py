"""Times as the client writes them."""

from datetime import UTC, datetime


def wire_time(moment: datetime) -> str:
    """A moment that knows its zone as text: UTC, milliseconds, `Z`. Such texts sort as the times do."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
