"""The lines of a file as they are compared."""

_MAX_LINES = 200_000


def text_lines(data: bytes) -> list[str]:
    """Returns the lines of a file without their ends, as git and editors count them; none for one that is no text.

    Other characters that end a line elsewhere, such as a form feed, are part of their line. Bytes that are no UTF-8
    stay different from each other.
    """
    if not is_text(data):
        return []
    lines = data.decode("utf-8", "backslashreplace").split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines[:_MAX_LINES]]


def is_text(data: bytes) -> bool:
    return b"\0" not in data[:8_000]
