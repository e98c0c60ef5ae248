"""Times in the format of the client."""

from datetime import UTC, datetime


def wire_time(moment: datetime) -> str:
    """Returns a time with a time zone as text: UTC, milliseconds, `Z`. The texts sort in the order of the times."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def canonical_time(text: str | None) -> str | None:
    """Returns `text` in the client's format (UTC, milliseconds, `Z`), which sorts as text; None if it is not a time."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
        if len(text) == 24 and text[23] == "Z" and text[19] == "." and text[10] == "T" and text[7] == "-":
            # It has this format already, as nearly all times have.
            return text
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return wire_time(moment)
    except (ValueError, OverflowError):
        return None
