"""Reads where the client's input begins on its screen. Pure. It can only lead to a refusal, never to an act."""

_MARKS = ("❯", ">")
_BORDERS = " \u00a0│|"


def is_empty(cursor_row: str, cursor_x: int) -> bool:
    """Returns whether the row with the cursor is an input without any text, with the cursor at its beginning."""
    row = cursor_row.lstrip(_BORDERS)
    mark = next((each for each in _MARKS if row.startswith(each)), None)
    if mark is None:
        return False
    begins = len(cursor_row) - len(row) + len(mark)
    return not row[len(mark) :].strip(_BORDERS) and cursor_x == begins + 1
