"""Wraps bytes as a terminal does: into rows of the width of the pane."""

from collections.abc import Iterator


def wrap(data: bytes, columns: int, *, end: bytes = b"\n", drops_blanks: bool = False) -> bytes:
    """Returns `data` with each line cut into rows of `columns` characters, as a pane without joined rows shows them.

    A character is never cut, whatever its length in bytes. With `drops_blanks` the blanks at the end of each row are
    removed, as in some captures; then not every record can be rebuilt.
    """
    rows: list[str] = []
    for line in data.decode().removesuffix("\n").split("\n"):
        rows.extend(_cut(line, columns))
    return b"".join((row.rstrip(" ") if drops_blanks else row).encode() + end for row in rows)


def _cut(line: str, columns: int) -> Iterator[str]:
    if not line:
        yield line
    for start in range(0, len(line), columns):
        yield line[start : start + columns]
