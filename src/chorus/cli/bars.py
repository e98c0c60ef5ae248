"""Small charts of characters: bars in tables, and a week with its hours."""

from collections.abc import Mapping, Sequence

from chorus.find.usage.spans import WEEKDAYS

WIDTH = 12
"""Characters of the longest bar."""
_EIGHTHS = "▏▎▍▌▋▊▉█"
_SHADES = "░▒▓█"


def bar(value: float | None, most: float) -> str:
    """Return a bar for a value; "" for 0 and for a value that is not known. The smallest bar is one eighth wide."""
    if not value or value <= 0 or most <= 0:
        return ""
    eighths = max(1, round(value / most * WIDTH * 8))
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (_EIGHTHS[rest - 1] if rest else "")


def week(counts: Mapping[str, int]) -> list[str]:
    """Return a line for each weekday with a shade for each hour. `counts`: `mon-09` → number."""
    most = max(counts.values(), default=0)
    lines = ["     " + "".join(f"{hour:<6}" for hour in range(0, 24, 6)).rstrip()]
    for day in WEEKDAYS:
        shades = "".join(_shade(counts.get(f"{day}-{hour:02d}", 0), most) for hour in range(24))
        lines.append(f"{day.capitalize()}  {shades}".rstrip())
    return lines


def _shade(count: int, most: int) -> str:
    if count <= 0:
        return "·"
    return _SHADES[min(len(_SHADES) - 1, count * len(_SHADES) // (most + 1))]


def most_of(values: Sequence[float | None]) -> float:
    return max((value for value in values if value is not None), default=0.0)
