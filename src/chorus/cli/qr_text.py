"""Draw a QR code in a terminal: two rows of modules in one line of text."""

import click

_HALVES = {"00": " ", "10": "▀", "01": "▄", "11": "█"}


def qr_text(rows: tuple[str, ...]) -> str:
    """Return the lines of a QR code, dark on light whatever the colours of the terminal are."""
    padded = (*rows, "0" * len(rows[0])) if len(rows) % 2 else rows
    lines = (
        "".join(_HALVES[above + below] for above, below in zip(padded[at], padded[at + 1], strict=True))
        for at in range(0, len(padded), 2)
    )
    return "\n".join(click.style(line, fg=(0, 0, 0), bg=(255, 255, 255)) for line in lines)
