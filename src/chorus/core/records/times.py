"""Times as the client writes them."""

from datetime import UTC, datetime


def wire_time(moment: datetime) -> str:
    """A moment that knows its zone as text: UTC, milliseconds, `Z`. Such texts sort as the times do."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def canonical_time(text: str | None) -> str | None:
    """`text` in the client's own form (UTC, milliseconds, `Z`), which sorts as text; None when it is no time."""
    if text is None:
        return None
    if len(text) == 24 and text[23] == "Z" and text[10] == "T":
        return text
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return wire_time(moment)
    except (ValueError, OverflowError):
        return None
