"""The lines of a file as they are compared."""

_MAX_LINES = 200_000


def text_lines(data: bytes) -> list[str]:
    """Returns the lines of a file; none for a file that is no text."""
    if not is_text(data):
        return []
    return data.decode("utf-8", "replace").splitlines()[:_MAX_LINES]


def is_text(data: bytes) -> bool:
    return b"\0" not in data[:8_000]
